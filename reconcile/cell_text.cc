#include "reconcile/cell_text.h"

#include <algorithm>

namespace quadrille::reconcile {

CellName cell_name(const log::Cell& cell, const model::QuadSource& terms) {
  CellName name;
  name.kind = cell.kind;
  if (cell.graph != model::TermId::default_graph()) name.graph = terms.get_term(cell.graph);
  name.subject = terms.get_term(cell.subject);
  name.property = terms.get_term(cell.property);
  if (cell.kind == log::CellKind::Quad) name.object = terms.get_term(cell.object);
  return name;
}

Content to_text(const log::CellContent& content, const model::QuadSource& terms) {
  Content text;
  text.reserve(content.size());
  for (const log::Statement& statement : content) {
    text.push_back({terms.get_term(statement.property), terms.get_term(statement.object)});
  }
  std::sort(text.begin(), text.end());
  return text;
}

log::CellContent to_ids(const Content& content, model::QuadTarget& terms) {
  log::CellContent ids;
  for (const CellStatement& statement : content) {
    ids.push_back({terms.intern(statement.property), terms.intern(statement.object)});
  }
  std::sort(ids.begin(), ids.end());
  return ids;
}

}  // namespace quadrille::reconcile
