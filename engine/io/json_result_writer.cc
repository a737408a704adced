// https://www.w3.org/TR/sparql11-results-json/
#include <fmt/format.h>

#include <iterator>
#include <string_view>
#include <vector>

#include "engine/io/result_writers.h"

namespace quadrille::io {
namespace {

void append_json_string(std::string& out, std::string_view text) {
  out += '"';
  size_t plain_from = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    if (c >= 0x20 && c != '"' && c != '\\' && c != 0x7F) continue;
    out += text.substr(plain_from, i - plain_from);
    plain_from = i + 1;
    switch (c) {
      case '"': out += "\\\""; break;
      case '\\': out += "\\\\"; break;
      case '\n': out += "\\n"; break;
      case '\r': out += "\\r"; break;
      case '\t': out += "\\t"; break;
      default: fmt::format_to(std::back_inserter(out), "\\u{:04x}", c);
    }
  }
  out += text.substr(plain_from);
  out += '"';
}

void append_term(std::string& out, const model::Term& term) {
  out += term.is_iri()          ? R"({"type":"uri","value":)"
         : term.is_blank_node() ? R"({"type":"bnode","value":)"
                                : R"({"type":"literal","value":)";
  append_json_string(out, term.text());
  if (!term.language().empty()) {
    out += R"(,"xml:lang":)";
    append_json_string(out, term.language());
  } else if (term.is_literal() && !term.is_plain_string()) {
    out += R"(,"datatype":)";
    append_json_string(out, term.datatype());
  }
  out += '}';
}

class JsonResultWriter final : public ResultWriter {
 public:
  explicit JsonResultWriter(OutputSink& sink) : out_(sink) {}

  base::Result<void> start(std::span<const std::string> variables) override {
    std::string& text = out_.text();
    text += R"({"head":{"vars":[)";
    for (const std::string& variable : variables) {
      if (!keys_.empty()) text += ',';
      std::string key;
      append_json_string(key, variable);
      text += key;
      keys_.push_back(key + ":");
    }
    text += R"(]},"results":{"bindings":[)";
    return out_.pass_on();
  }

  base::Result<void> row(ResultRowView values) override {
    QUADRILLE_CHECK(values.size() == keys_.size(), "a row has a value for each variable");
    std::string& text = out_.text();
    text += is_first_row_ ? "\n{" : ",\n{";
    is_first_row_ = false;
    bool is_first_value = true;
    for (size_t i = 0; i < values.size(); ++i) {
      if (!values[i]) continue;
      if (!is_first_value) text += ',';
      is_first_value = false;
      text += keys_[i];
      append_term(text, *values[i]);
    }
    text += '}';
    return out_.pass_on();
  }

  base::Result<void> finish() override {
    out_.text() += "\n]}}\n";
    return out_.flush();
  }

  base::Result<void> write_boolean(bool answer) override {
    out_.text() += answer ? "{\"head\":{},\"boolean\":true}\n" : "{\"head\":{},\"boolean\":false}\n";
    return out_.flush();
  }

 private:
  BufferedOutput out_;
  std::vector<std::string> keys_;  // each variable as a JSON key, with its colon
  bool is_first_row_ = true;
};

}  // namespace

std::unique_ptr<ResultWriter> make_json_result_writer(OutputSink& sink) {
  return std::make_unique<JsonResultWriter>(sink);
}

}  // namespace quadrille::io
