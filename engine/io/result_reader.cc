#include "engine/io/result_reader.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <unordered_map>

#include "engine/model/utf8.h"

namespace quadrille::io {
namespace {

using nlohmann::json;

base::Error bad_document(std::string_view where, std::string_view expected) {
  return {base::ErrorKind::InvalidInput, fmt::format("bad JSON results: {}: expected {}", where, expected), {}};
}

// The string under `key`, or an empty pointer.
const std::string* find_string(const json& object, const char* key) {
  const auto found = object.find(key);
  return found == object.end() ? nullptr : found->get_ptr<const std::string*>();
}

base::Result<model::Term> read_term(const json& value, std::string_view where) {
  if (!value.is_object()) return bad_document(where, "an object with type and value");
  const std::string* type = find_string(value, "type");
  const std::string* text = find_string(value, "value");
  if (type == nullptr || text == nullptr) return bad_document(where, "strings type and value");
  if (*type == "uri") return model::Term::iri(*text);
  if (*type == "bnode") return model::Term::blank_node(*text);
  if (*type != "literal" && *type != "typed-literal") return bad_document(where, "type uri, bnode or literal");
  if (const std::string* language = find_string(value, "xml:lang"); language != nullptr && !language->empty()) {
    return model::Term::language_literal(*text, *language);
  }
  if (const std::string* datatype = find_string(value, "datatype")) return model::Term::typed_literal(*text, *datatype);
  return model::Term::literal(*text);
}

using ColumnNumbers = std::unordered_map<std::string, size_t>;

base::Result<ResultRow> read_row(const json& binding, const ColumnNumbers& columns, size_t number) {
  const std::string where = fmt::format("solution {}", number);
  if (!binding.is_object()) return bad_document(where, "an object");
  ResultRow row(columns.size());
  for (const auto& [name, value] : binding.items()) {
    const auto column = columns.find(name);
    const std::string of_variable = fmt::format("{}, variable \"{}\"", where, model::describe_text(name));
    if (column == columns.end()) return bad_document(of_variable, "a variable of the head");
    QUADRILLE_ASSIGN(row[column->second], read_term(value, of_variable));
  }
  return row;
}

base::Result<std::vector<std::string>> read_variables(const json& document) {
  std::vector<std::string> variables;
  const auto head = document.find("head");
  if (head == document.end() || !head->is_object()) return bad_document("head", "an object");
  const auto names = head->find("vars");
  if (names == head->end() || !names->is_array()) return bad_document("head.vars", "an array of names");
  for (const json& name : *names) {
    if (!name.is_string()) return bad_document("head.vars", "names that are strings");
    variables.push_back(name.get<std::string>());
  }
  return variables;
}

base::Result<ResultSet> read_select(const json& document) {
  ResultSet results;
  QUADRILLE_ASSIGN(results.variables, read_variables(document));
  ColumnNumbers columns;
  for (const std::string& name : results.variables) {
    if (!columns.emplace(name, columns.size()).second) return bad_document("head.vars", "each name once");
  }
  const auto body = document.find("results");
  if (body == document.end() || !body->is_object()) return bad_document("results", "an object");
  const auto bindings = body->find("bindings");
  if (bindings == body->end() || !bindings->is_array())
    return bad_document("results.bindings", "an array of solutions");
  for (const json& binding : *bindings) {
    QUADRILLE_ASSIGN(ResultRow row, read_row(binding, columns, results.rows.size() + 1));
    results.rows.push_back(std::move(row));
  }
  return results;
}

}  // namespace

base::Result<ResultSet> read_json_results(std::string_view document_text) {
  json document;
  try {
    document = json::parse(document_text);
  } catch (const json::exception& failure) {
    return bad_document(model::describe_text(failure.what()), "JSON");
  }
  if (!document.is_object()) return bad_document("the document", "an object");
  if (const auto boolean = document.find("boolean"); boolean != document.end()) {
    if (!boolean->is_boolean()) return bad_document("boolean", "true or false");
    ResultSet results;
    results.boolean = boolean->get<bool>();
    return results;
  }
  return read_select(document);
}

}  // namespace quadrille::io
