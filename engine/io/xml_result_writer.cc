// https://www.w3.org/TR/rdf-sparql-XMLres/
#include <string_view>
#include <vector>

#include "engine/io/result_writers.h"

namespace quadrille::io {
namespace {

constexpr std::string_view document_start =
    "<?xml version=\"1.0\"?>\n<sparql xmlns=\"http://www.w3.org/2005/sparql-results#\">\n";
constexpr std::string_view replacement = "\xEF\xBF\xBD";  // U+FFFD

// XML 1.0 section 2.2: what may stand in a document at all; the rest cannot even be written as a reference.
bool is_forbidden_in_xml(std::string_view rest) noexcept {
  const auto c = static_cast<unsigned char>(rest.front());
  if (c < 0x20) return c != '\t' && c != '\n' && c != '\r';
  return rest.starts_with("\xEF\xBF\xBE") || rest.starts_with("\xEF\xBF\xBF");  // U+FFFE, U+FFFF
}

// For element content and for attribute values in double quotes.
void append_xml(std::string& out, std::string_view text) {
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      case '\t': out += "&#9;"; break;  // else attribute values lose it,
      case '\n': out += "&#10;"; break;
      case '\r': out += "&#13;"; break;  // and a parser reads this one as a line feed
      default:
        if (is_forbidden_in_xml(text.substr(i))) {
          out += replacement;
          if (static_cast<unsigned char>(c) >= 0x20) i += 2;  // three bytes
        } else {
          out += c;
        }
    }
  }
}

void append_term(std::string& out, const model::Term& term) {
  if (term.is_iri()) {
    out += "<uri>";
    append_xml(out, term.text());
    out += "</uri>";
    return;
  }
  if (term.is_blank_node()) {
    out += "<bnode>";
    append_xml(out, term.text());
    out += "</bnode>";
    return;
  }
  out += "<literal";
  if (!term.language().empty()) {
    out += " xml:lang=\"";
    append_xml(out, term.language());
    out += '"';
  } else if (!term.is_plain_string()) {
    out += " datatype=\"";
    append_xml(out, term.datatype());
    out += '"';
  }
  out += '>';
  append_xml(out, term.text());
  out += "</literal>";
}

class XmlResultWriter final : public ResultWriter {
 public:
  explicit XmlResultWriter(OutputSink& sink) : out_(sink) {}

  base::Result<void> start(std::span<const std::string> variables) override {
    std::string& text = out_.text();
    text += document_start;
    text += "<head>";
    for (const std::string& variable : variables) {
      std::string attribute = "\"";
      append_xml(attribute, variable);
      attribute += '"';
      text += "<variable name=" + attribute + "/>";
      openings_.push_back("<binding name=" + attribute + ">");
    }
    text += "</head>\n<results>\n";
    return out_.pass_on();
  }

  base::Result<void> row(ResultRowView values) override {
    QUADRILLE_CHECK(values.size() == openings_.size(), "a row has a value for each variable");
    std::string& text = out_.text();
    text += "<result>";
    for (size_t i = 0; i < values.size(); ++i) {
      if (!values[i]) continue;
      text += openings_[i];
      append_term(text, *values[i]);
      text += "</binding>";
    }
    text += "</result>\n";
    return out_.pass_on();
  }

  base::Result<void> finish() override {
    out_.text() += "</results>\n</sparql>\n";
    return out_.flush();
  }

  base::Result<void> write_boolean(bool answer) override {
    out_.text().append(document_start).append("<head/>\n<boolean>");
    out_.text().append(answer ? "true" : "false").append("</boolean>\n</sparql>\n");
    return out_.flush();
  }

 private:
  BufferedOutput out_;
  std::vector<std::string> openings_;  // <binding name="x"> for each variable
};

}  // namespace

std::unique_ptr<ResultWriter> make_xml_result_writer(OutputSink& sink) {
  return std::make_unique<XmlResultWriter>(sink);
}

}  // namespace quadrille::io
