#include "reconcile/conflict_publisher.h"

#include <algorithm>

#include "reconcile/conflict_vocabulary.h"

namespace quadrille::reconcile {
namespace {

std::vector<model::Quad> with_ids(store::Transaction& transaction, const std::vector<model::TermQuad>& quads) {
  std::vector<model::Term> terms;
  terms.reserve(quads.size() * 4);
  for (const model::TermQuad& quad : quads) {
    terms.insert(terms.end(), {quad.subject, quad.predicate, quad.object, *quad.graph});
  }
  const std::vector<model::TermId> ids = transaction.intern_all(terms);
  std::vector<model::Quad> result;
  result.reserve(quads.size());
  for (size_t i = 0; i < ids.size(); i += 4) result.push_back({ids[i], ids[i + 1], ids[i + 2], ids[i + 3]});
  return result;
}

}  // namespace

bool ConflictPublisher::publish(size_t limit) {
  store::WriteTransaction& tables = transaction_.tables();
  std::vector<std::string> marked;
  {
    store::Cursor cursor(tables, tables_.unpublished);
    for (bool has_row = cursor.first(); has_row && marked.size() < limit; has_row = cursor.next()) {
      marked.emplace_back(cursor.key());
    }
  }
  for (const std::string& key : marked) publish_one(key);
  for (const model::Quad& quad : with_ids(transaction_, to_erase_)) transaction_.erase(quad);
  transaction_.insert_all(with_ids(transaction_, to_insert_));
  to_erase_.clear();
  to_insert_.clear();
  return tables.row_count(tables_.unpublished) > 0;
}

void ConflictPublisher::publish_one(const std::string& marked) {
  store::WriteTransaction& tables = transaction_.tables();
  const std::string_view key = std::string_view(marked).substr(1);
  const auto now = tables.get(marked.front() == 0 ? tables_.provisional : tables_.final_ones, key);
  const auto before = tables.get(tables_.published, marked);
  const std::vector<model::TermQuad> old_ones = before ? quads_of(*before) : std::vector<model::TermQuad>();
  const std::vector<model::TermQuad> new_ones = now ? quads_of(*now) : std::vector<model::TermQuad>();
  std::set_difference(old_ones.begin(), old_ones.end(), new_ones.begin(), new_ones.end(),
                      std::back_inserter(to_erase_));
  std::set_difference(new_ones.begin(), new_ones.end(), old_ones.begin(), old_ones.end(),
                      std::back_inserter(to_insert_));
  if (now) {
    tables.put(tables_.published, marked, std::string(*now));
  } else if (before) {
    tables.erase(tables_.published, marked);
  }
  tables.erase(tables_.unpublished, marked);
}

std::vector<model::TermQuad> ConflictPublisher::quads_of(std::string_view row) const {
  std::vector<model::TermQuad> quads;
  for (const StoredConflict& conflict : decode_conflicts(row)) {
    for (model::TermQuad& quad : conflict_quads(to_record(conflict, transaction_, state_))) {
      quads.push_back(std::move(quad));
    }
  }
  std::sort(quads.begin(), quads.end());
  return quads;
}

}  // namespace quadrille::reconcile
