// Shows conflict records as quads of the local graph (conflict_vocabulary.h), apart from the work that makes them:
// a record is some 25 quads, and a burst of conflicts must not wait for those of each.
//
// What changed since is listed (conflict_table.h). Provisional records come first: a record that has become final must
// not lose its quads to the provisional one that it replaces.
#pragma once

#include "reconcile/conflict_table.h"

namespace quadrille::reconcile {

class ConflictPublisher {
 public:
  ConflictPublisher(store::Transaction& transaction, const ConflictTables& tables, const log::LogState& state)
      : transaction_(transaction), tables_(tables), state_(state) {}

  // Brings at most `limit` rows up to date. True: there are more.
  bool publish(size_t limit);

 private:
  void publish_one(const std::string& marked);
  std::vector<model::TermQuad> quads_of(std::string_view row) const;

  store::Transaction& transaction_;
  const ConflictTables& tables_;
  const log::LogState& state_;
  std::vector<model::TermQuad> to_erase_;
  std::vector<model::TermQuad> to_insert_;
};

}  // namespace quadrille::reconcile
