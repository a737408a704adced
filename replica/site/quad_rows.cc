#include "replica/site/quad_rows.h"

#include "engine/store/leb128.h"
#include "engine/store/term_row.h"

namespace quadrille::replica {
namespace {

void append_row(std::string& out, const std::string& row) {
  store::put_number(row.size(), out);
  out += row;
}

base::Error malformed() {
  return {base::ErrorKind::InvalidInput, "the bytes are no quad; expected four terms with their lengths", {}};
}

base::Result<std::optional<model::Term>> take_term(std::string_view& bytes) {
  uint64_t size = 0;
  if (!store::take_number(bytes, size) || size > bytes.size()) return malformed();
  const std::string_view row = bytes.substr(0, size);
  bytes.remove_prefix(size);
  if (row.empty()) return std::optional<model::Term>();
  auto term = store::decode_term(row);
  if (!term.ok()) return malformed();
  return std::optional(std::move(term).value());
}

bool is_node(const std::optional<model::Term>& term) { return term && !term->is_literal(); }

}  // namespace

void append_quad(std::string& out, const QuadOfTerms& quad) {
  for (const model::Term* term : {&quad.subject, &quad.predicate, &quad.object}) {
    append_row(out, store::encode_term(*term));
  }
  append_row(out, quad.graph ? store::encode_term(*quad.graph) : std::string());
}

base::Result<QuadOfTerms> take_quad(std::string_view& bytes) {
  QUADRILLE_ASSIGN(auto subject, take_term(bytes));
  QUADRILLE_ASSIGN(auto predicate, take_term(bytes));
  QUADRILLE_ASSIGN(auto object, take_term(bytes));
  QUADRILLE_ASSIGN(auto graph, take_term(bytes));
  if (!is_node(subject) || !predicate || predicate->kind() != model::TermKind::Iri || !object ||
      (graph && !is_node(graph))) {
    return malformed();
  }
  return QuadOfTerms{*std::move(subject), *std::move(predicate), *std::move(object), std::move(graph)};
}

void append_item(std::string& out, uint64_t item) {
  for (size_t i = 0; i < sizeof item; ++i) out.push_back(static_cast<char>(item >> (8 * i)));
}

bool take_item(std::string_view& bytes, uint64_t& item) noexcept {
  if (bytes.size() < sizeof item) return false;
  item = 0;
  for (size_t i = 0; i < sizeof item; ++i) item |= uint64_t{static_cast<uint8_t>(bytes[i])} << (8 * i);
  bytes.remove_prefix(sizeof item);
  return true;
}

}  // namespace quadrille::replica
