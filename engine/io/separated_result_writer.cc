// CSV and TSV. https://www.w3.org/TR/sparql11-results-csv-tsv/
#include <string_view>

#include "engine/io/result_writers.h"
#include "engine/io/turtle_text.h"

namespace quadrille::io {
namespace {

// What the two formats have in common: a line a row, values parted by one character.
class SeparatedResultWriter : public ResultWriter {
 public:
  SeparatedResultWriter(OutputSink& sink, char separator, std::string_view line_end)
      : out_(sink), separator_(separator), line_end_(line_end) {}

  base::Result<void> start(std::span<const std::string> variables) final {
    width_ = variables.size();
    for (size_t i = 0; i < variables.size(); ++i) {
      if (i != 0) out_.text() += separator_;
      append_variable(out_.text(), variables[i]);
    }
    return end_line();
  }

  base::Result<void> row(ResultRowView values) final {
    QUADRILLE_CHECK(values.size() == width_, "a row has a value for each variable");
    for (size_t i = 0; i < values.size(); ++i) {
      if (i != 0) out_.text() += separator_;
      if (values[i]) append_value(out_.text(), *values[i]);
    }
    return end_line();
  }

  base::Result<void> finish() final { return out_.flush(); }

  base::Result<void> write_boolean(bool answer) final {
    out_.text() += answer ? "true" : "false";
    QUADRILLE_TRY(end_line());
    return out_.flush();
  }

 private:
  virtual void append_variable(std::string& out, const std::string& variable) const = 0;
  virtual void append_value(std::string& out, const model::Term& term) const = 0;

  base::Result<void> end_line() {
    out_.text() += line_end_;
    return out_.pass_on();
  }

  BufferedOutput out_;
  char separator_;
  std::string_view line_end_;
  size_t width_ = 0;
};

class CsvResultWriter final : public SeparatedResultWriter {
 public:
  explicit CsvResultWriter(OutputSink& sink) : SeparatedResultWriter(sink, ',', "\r\n") {}

 private:
  // RFC 4180 section 2.
  static void append_field(std::string& out, std::string_view text) {
    if (!text.empty() && text.find_first_of("\",\r\n") == std::string_view::npos) {
      out += text;
      return;
    }
    out += '"';
    for (const char c : text) {
      if (c == '"') out += '"';
      out += c;
    }
    out += '"';
  }

  void append_variable(std::string& out, const std::string& variable) const override { append_field(out, variable); }

  void append_value(std::string& out, const model::Term& term) const override {
    if (term.is_blank_node()) out += "_:";
    append_field(out, term.text());
  }
};

class TsvResultWriter final : public SeparatedResultWriter {
 public:
  explicit TsvResultWriter(OutputSink& sink) : SeparatedResultWriter(sink, '\t', "\n") {}

 private:
  void append_variable(std::string& out, const std::string& variable) const override { (out += '?') += variable; }

  void append_value(std::string& out, const model::Term& term) const override { append_term(out, term, true); }
};

}  // namespace

std::unique_ptr<ResultWriter> make_csv_result_writer(OutputSink& sink) {
  return std::make_unique<CsvResultWriter>(sink);
}

std::unique_ptr<ResultWriter> make_tsv_result_writer(OutputSink& sink) {
  return std::make_unique<TsvResultWriter>(sink);
}

}  // namespace quadrille::io
