#include "engine/plan/pattern_access.h"

namespace quadrille::plan {

using model::Column;
using model::QuadOrder;

bool is_constant(const PatternAccess& access, Column column) {
  if (column != Column::Graph) return access.triple[static_cast<size_t>(column)].is_constant();
  return access.graph.mode == GraphMode::One || access.graph.mode == GraphMode::Current;
}

VariableId variable_of(const PatternAccess& access, Column column) {
  if (column != Column::Graph) return access.triple[static_cast<size_t>(column)].variable;
  return access.graph.mode == GraphMode::Each ? access.graph.variable : no_variable;
}

void choose_order(PatternAccess& access, const VariableSet& bound) {
  int best = -1;
  // In reverse, so that SPOG wins a tie: it needs no look at the graph before the subject.
  for (QuadOrder order : {QuadOrder::Gspo, QuadOrder::Ospg, QuadOrder::Posg, QuadOrder::Spog}) {
    // Equal triples of several graphs must come one after the other, to be seen as one.
    if (order == QuadOrder::Gspo && access.graph.mode == GraphMode::Merged) continue;
    uint8_t prefix = 0;
    uint8_t key = 0;
    for (Column column : model::columns_of(order)) {
      const bool constant = is_constant(access, column);
      const VariableId variable = variable_of(access, column);
      if (!constant && (variable == no_variable || !bound.has(variable))) break;
      if (constant && prefix == key) ++prefix;
      ++key;
    }
    const int quality = key * 5 + prefix;
    if (quality < best) continue;
    best = quality;
    access.order = order;
    access.prefix_length = prefix;
    access.key_length = key;
  }
}

}  // namespace quadrille::plan
