#include "tests/support/result_files.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "engine/io/rdf_parser.h"
#include "engine/io/result_reader.h"
#include "tests/support/rdf_xml.h"
#include "tests/support/seeded_random.h"
#include "tests/support/xml_events.h"

namespace quadrille::test {
namespace {

using model::Term;

base::Error bad_results(std::string message) { return {base::ErrorKind::InvalidInput, std::move(message), {}}; }

size_t column_of(const io::ResultSet& results, std::string_view variable) {
  return static_cast<size_t>(std::find(results.variables.begin(), results.variables.end(), variable) -
                             results.variables.begin());
}

class XmlResultsReader {
 public:
  void start(const std::string& name, const XmlAttributes& attributes) {
    const auto of = [&](const std::string& key) {
      const auto found = attributes.find(key);
      return found == attributes.end() ? std::string() : found->second;
    };
    const std::string element = local(name);
    if (element == "variable") results_.variables.push_back(of("name"));
    if (element == "result") results_.rows.emplace_back(results_.variables.size());
    if (element == "binding") variable_ = of("name");
    if (element == "literal") {
      language_ = of(std::string(xml_lang));
      datatype_ = of("datatype");
    }
    text_.clear();
  }
  void text(std::string_view text) { text_ += text; }
  void end(const std::string& name) {
    const std::string element = local(name);
    if (element == "boolean") results_.boolean = text_ == "true";
    if (element == "uri") bind(Term::iri(text_));
    if (element == "bnode") bind(Term::blank_node(text_));
    if (element == "literal") {
      bind(!language_.empty()   ? Term::language_literal(text_, language_)
           : !datatype_.empty() ? Term::typed_literal(text_, datatype_)
                                : Term::literal(text_));
    }
  }
  base::Result<io::ResultSet> take() {
    if (is_bad_) return bad_results("found a binding of a variable that is not in the head");
    return std::move(results_);
  }

 private:
  static std::string local(const std::string& name) { return name.substr(name.find_last_of("#/") + 1); }
  void bind(Term term) {
    const size_t column = column_of(results_, variable_);
    is_bad_ = is_bad_ || results_.rows.empty() || column == results_.variables.size();
    if (!is_bad_) results_.rows.back()[column] = std::move(term);
  }

  io::ResultSet results_;
  std::string variable_, language_, datatype_, text_;
  bool is_bad_ = false;
};

using Lines = std::vector<std::vector<std::string>>;

// RFC 4180, with any line end.
Lines split_csv(std::string_view text) {
  Lines lines;
  std::vector<std::string> line;
  std::string field;
  bool is_quoted = false;
  const auto end_field = [&] { line.push_back(std::exchange(field, {})); };
  const auto end_line = [&] {
    end_field();
    lines.push_back(std::exchange(line, {}));
  };
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (is_quoted) {
      if (c != '"')
        field += c;
      else if (i + 1 < text.size() && text[i + 1] == '"')
        field += text[i++];
      else
        is_quoted = false;
    } else if (c == '"') {
      is_quoted = true;
    } else if (c == ',') {
      end_field();
    } else if (c == '\n') {
      end_line();
    } else if (c != '\r') {
      field += c;
    }
  }
  if (!field.empty() || !line.empty()) end_line();
  return lines;
}

Lines split_tsv(std::string_view text) {
  Lines lines;
  while (!text.empty()) {
    const size_t line_size = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, line_size);
    text.remove_prefix(std::min(line_size + 1, text.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    auto& fields = lines.emplace_back();
    for (size_t tab = line.find('\t'); tab != std::string_view::npos; tab = line.find('\t')) {
      fields.emplace_back(line.substr(0, tab));
      line.remove_prefix(tab + 1);
    }
    fields.emplace_back(line);
  }
  return lines;
}

constexpr std::string_view rs = "http://www.w3.org/2001/sw/DataAccess/tests/result-set#";
std::string in_rs(std::string_view name) { return std::string(rs).append(name); }

base::Result<io::ResultRow> read_solution(const Graph& graph, const io::ResultSet& results, const Term& solution) {
  io::ResultRow row(results.variables.size());
  for (const Term& binding : graph.objects(solution, in_rs("binding"))) {
    const auto variable = graph.object(binding, in_rs("variable"));
    const auto value = graph.object(binding, in_rs("value"));
    if (!variable || !value) return bad_results("found a binding without variable or value");
    const size_t column = column_of(results, variable->text());
    if (column == row.size()) return bad_results("found a binding of a variable that is not in the head");
    row[column] = *value;
  }
  return row;
}

}  // namespace

base::Result<io::ResultSet> read_xml_results(std::string_view document) {
  XmlResultsReader reader;
  const XmlEvents events{
      [&](const std::string& name, const XmlAttributes& attributes) { reader.start(name, attributes); },
      [&](const std::string& name) { reader.end(name); }, [&](std::string_view text) { reader.text(text); }};
  QUADRILLE_TRY(read_xml(document, events));
  return reader.take();
}

base::Result<io::ResultSet> read_csv_results(std::string_view document) {
  const Lines lines = split_csv(document);
  if (lines.empty()) return bad_results("expected a head");
  io::ResultSet results;
  results.variables = lines.front();
  for (size_t i = 1; i < lines.size(); ++i) {
    if (lines[i].size() != results.variables.size()) return bad_results("expected a value for each variable");
    io::ResultRow& row = results.rows.emplace_back();
    for (const std::string& field : lines[i]) {
      if (field.empty())
        row.emplace_back();
      else
        row.emplace_back(field.starts_with("_:") ? Term::blank_node(field.substr(2)) : Term::literal(field));
    }
  }
  return results;
}

base::Result<io::ResultSet> read_tsv_results(std::string_view document) {
  const Lines lines = split_tsv(document);
  if (lines.empty()) return bad_results("expected a head");
  io::ResultSet results;
  for (const std::string& name : lines.front()) results.variables.push_back(name.substr(name.starts_with('?') ? 1 : 0));
  SeededRandom random(3);
  model::BlankNodeScope blank_nodes(random);
  for (size_t i = 1; i < lines.size(); ++i) {
    if (lines[i].size() != results.variables.size()) return bad_results("expected a value for each variable");
    io::ResultRow& row = results.rows.emplace_back();
    for (const std::string& field : lines[i]) {
      if (field.empty()) {
        row.emplace_back();
        continue;
      }
      QUADRILLE_ASSIGN(const auto quads,
                       io::parse_rdf_text(io::RdfFormat::Turtle, "<urn:s> <urn:p> " + field + " .", {}, blank_nodes));
      if (quads.size() != 1) return bad_results("expected one term, found " + field);
      row.emplace_back(quads.front().object);
    }
  }
  return results;
}

base::Result<io::ResultSet> read_graph_results(const Graph& graph) {
  io::ResultSet results;
  const auto type = Term::iri("http://www.w3.org/1999/02/22-rdf-syntax-ns#type");
  const auto sets = graph.subjects(type.text(), Term::iri(in_rs("ResultSet")));
  if (sets.size() != 1) return bad_results("expected one rs:ResultSet");
  if (const auto boolean = graph.object(sets.front(), in_rs("boolean"))) {
    results.boolean = boolean->text() == "true";
    return results;
  }
  for (const Term& name : graph.objects(sets.front(), in_rs("resultVariable")))
    results.variables.push_back(name.text());
  std::multimap<long, io::ResultRow> rows;
  for (const Term& solution : graph.objects(sets.front(), in_rs("solution"))) {
    const auto index = graph.object(solution, in_rs("index"));
    QUADRILLE_ASSIGN(io::ResultRow row, read_solution(graph, results, solution));
    rows.emplace(index ? std::strtol(index->text().c_str(), nullptr, 10) : 0, std::move(row));
  }
  for (auto& [index, row] : rows) results.rows.push_back(std::move(row));
  return results;
}

base::Result<io::ResultSet> read_result_file(const W3cSuite& suite, const Term& iri) {
  const std::string& name = iri.text();
  if (name.ends_with(".srx")) return read_xml_results(suite.read_text(iri));
  if (name.ends_with(".srj")) return io::read_json_results(suite.read_text(iri));
  if (name.ends_with(".csv")) return read_csv_results(suite.read_text(iri));
  if (name.ends_with(".tsv")) return read_tsv_results(suite.read_text(iri));
  QUADRILLE_ASSIGN(auto quads, suite.read_rdf(iri));
  return read_graph_results(Graph(std::move(quads)));
}

}  // namespace quadrille::test
