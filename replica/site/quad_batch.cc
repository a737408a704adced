#include "replica/site/quad_batch.h"

#include <functional>
#include <string_view>

#include "engine/model/bulk_target.h"

namespace quadrille::replica {
namespace {

constexpr size_t smallest_table = size_t{1} << 12;

size_t hash_of(const model::TermView& term) noexcept {
  const std::hash<std::string_view> hash;
  return hash(term.text) ^ (hash(term.qualifier) * 31 + static_cast<size_t>(term.kind));
}

bool is_same(const model::Term& term, const model::TermView& view) noexcept {
  if (term.kind() != view.kind || term.text() != view.text) return false;
  if (view.qualifier.empty()) return !term.is_literal() || term.is_plain_string();
  if (view.qualifier.front() == '@') return term.language() == view.qualifier.substr(1);
  return term.language().empty() && term.datatype() == view.qualifier;
}

std::vector<model::TermId> intern_all(const std::vector<model::Term>& terms, model::QuadTarget& target) {
  if (auto* bulk = dynamic_cast<model::BulkTarget*>(&target)) return bulk->intern_all(terms);
  std::vector<model::TermId> ids;
  ids.reserve(terms.size());
  for (const auto& term : terms) ids.push_back(target.intern(term));
  return ids;
}

}  // namespace

QuadBatch::QuadBatch() : table_(smallest_table, none) {}

void QuadBatch::add(const model::TermQuadView& quad) {
  quads_.push_back({index_of(quad.subject), index_of(quad.predicate), index_of(quad.object),
                    quad.graph ? index_of(*quad.graph) : none});
}

QuadBatch::TermIndex QuadBatch::index_of(const model::TermView& term) {
  const size_t hash = hash_of(term);
  const size_t mask = table_.size() - 1;
  size_t place = hash & mask;
  for (; table_[place] != none; place = (place + 1) & mask) {
    const TermIndex index = table_[place];
    if (hashes_[index] == hash && is_same(terms_[index], term)) return index;
  }
  const auto index = static_cast<TermIndex>(terms_.size());
  table_[place] = index;
  terms_.push_back(term.to_term());
  hashes_.push_back(hash);
  text_bytes_ += term.text.size();
  if (terms_.size() * 2 > table_.size()) grow();
  return index;
}

void QuadBatch::grow() {
  table_.assign(table_.size() * 2, none);
  const size_t mask = table_.size() - 1;
  for (TermIndex index = 0; index < terms_.size(); ++index) {
    size_t place = hashes_[index] & mask;
    while (table_[place] != none) place = (place + 1) & mask;
    table_[place] = index;
  }
}

void QuadBatch::write_to(model::QuadTarget& target) {
  const auto ids = intern_all(terms_, target);
  for (const auto& [subject, predicate, object, graph] : quads_) {
    target.insert(
        {ids[subject], ids[predicate], ids[object], graph == none ? model::TermId::default_graph() : ids[graph]});
  }
  terms_.clear();
  hashes_.clear();
  quads_.clear();
  table_.assign(smallest_table, none);
  text_bytes_ = 0;
}

}  // namespace quadrille::replica
