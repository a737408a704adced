// Aligned columns for a person at a terminal.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>
#include <vector>

#include "engine/io/result_writers.h"
#include "engine/io/turtle_text.h"
#include "engine/model/utf8.h"

namespace quadrille::io {
namespace {

constexpr size_t measured_rows_max = 1000;      // rows kept until the widths are settled
constexpr size_t measured_bytes_max = 4 << 20;  // the same, for rows of large literals
constexpr uint64_t column_width_max = 80;       // a longer cell pushes the rest of its row out

// Characters that a terminal would obey rather than show: C1 controls and the marks that turn text around.
bool is_command_to_terminal(char32_t c) noexcept {
  return (c >= 0x7F && c < 0xA0) || (c >= 0x2028 && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069) || c == 0x200E ||
         c == 0x200F;
}

std::string cell_text(const std::optional<model::Term>& value) {
  if (!value) return {};
  std::string raw;
  append_term(raw, *value, true);  // escapes the C0 controls
  std::string out;
  for (std::string_view rest = raw; !rest.empty();) {
    const model::DecodedCodePoint decoded = model::decode_utf8(rest);
    const size_t size = std::max<size_t>(decoded.size, 1);
    if (decoded.size == 0) {
      out += '?';
    } else if (is_command_to_terminal(decoded.value)) {
      fmt::format_to(std::back_inserter(out), "\\u{:04X}", static_cast<uint32_t>(decoded.value));
    } else {
      out += rest.substr(0, size);
    }
    rest.remove_prefix(size);
  }
  return out;
}

class TableResultWriter final : public ResultWriter {
 public:
  explicit TableResultWriter(OutputSink& sink) : out_(sink) {}

  base::Result<void> start(std::span<const std::string> variables) override {
    head_.assign(variables.begin(), variables.end());
    for (const std::string& name : head_) widths_.push_back(model::count_code_points(name));
    return {};
  }

  base::Result<void> row(ResultRowView values) override {
    QUADRILLE_CHECK(values.size() == head_.size(), "a row has a value for each variable");
    ++row_count_;
    std::vector<std::string> cells;
    for (const auto& value : values) cells.push_back(cell_text(value));
    if (is_measured_) return write_line(cells);
    for (size_t i = 0; i < cells.size(); ++i) {
      widths_[i] = std::max(widths_[i], std::min(model::count_code_points(cells[i]), column_width_max));
      kept_bytes_ += cells[i].size();
    }
    kept_.push_back(std::move(cells));
    if (kept_.size() >= measured_rows_max || kept_bytes_ >= measured_bytes_max) return write_kept();
    return {};
  }

  base::Result<void> finish() override {
    if (!is_measured_) QUADRILLE_TRY(write_kept());
    out_.text() += row_count_ == 1 ? std::string("(1 row)\n") : fmt::format("({} rows)\n", row_count_);
    return out_.flush();
  }

  base::Result<void> write_boolean(bool answer) override {
    out_.text() += answer ? "true\n" : "false\n";
    return out_.flush();
  }

 private:
  base::Result<void> write_kept() {
    is_measured_ = true;
    QUADRILLE_TRY(write_line(head_));
    std::vector<std::string> rules;
    for (const uint64_t width : widths_) rules.emplace_back(std::max<uint64_t>(width, 1), '-');
    QUADRILLE_TRY(write_line(rules));
    for (const auto& cells : kept_) QUADRILLE_TRY(write_line(cells));
    kept_.clear();
    return {};
  }

  base::Result<void> write_line(const std::vector<std::string>& cells) {
    std::string& text = out_.text();
    for (size_t i = 0; i < cells.size(); ++i) {
      text += cells[i];
      if (i + 1 == cells.size()) break;
      const uint64_t width = model::count_code_points(cells[i]);
      text.append(width < widths_[i] ? widths_[i] - width : 0, ' ').append("  ");
    }
    while (!text.empty() && text.back() == ' ') text.pop_back();
    text += '\n';
    return out_.pass_on();
  }

  BufferedOutput out_;
  std::vector<std::string> head_;
  std::vector<uint64_t> widths_;  // in code points
  std::vector<std::vector<std::string>> kept_;
  size_t kept_bytes_ = 0;
  bool is_measured_ = false;
  uint64_t row_count_ = 0;
};

}  // namespace

std::unique_ptr<ResultWriter> make_table_result_writer(OutputSink& sink) {
  return std::make_unique<TableResultWriter>(sink);
}

}  // namespace quadrille::io
