// A source of quads that policies may answer new terms against, where nothing is to be written: what they make gets ids
// that nobody else knows, and no quad that is stored has them.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "engine/base/check.h"
#include "engine/model/quad_source.h"

namespace quadrille::reconcile {

class ReadOnlyTerms : public model::QuadTarget {
 public:
  explicit ReadOnlyTerms(const model::QuadSource& source) : source_(source) {}
  std::unique_ptr<model::QuadScan> scan(model::QuadOrder order, std::span<const model::TermId> prefix,
                                        model::ColumnSet wanted) const override {
    return source_.scan(order, prefix, wanted);
  }
  uint64_t estimate_count(model::QuadOrder order, std::span<const model::TermId> prefix) const override {
    return source_.estimate_count(order, prefix);
  }
  bool contains(const model::Quad& quad) const override { return source_.contains(quad); }
  std::optional<model::TermId> find_term(const model::Term& term) const override { return source_.find_term(term); }
  model::Term get_term(model::TermId id) const override {
    if (!id.is_transient()) return source_.get_term(id);
    QUADRILLE_CHECK(id.payload() < in_order_.size(), "an id that nobody gave");
    return in_order_[id.payload()]->first;
  }
  model::TermId intern(const model::Term& term) override {
    if (const auto id = source_.find_term(term)) return *id;
    const model::TermId next(model::TermTag::Transient, in_order_.size());
    const auto [entry, is_new] = new_terms_.try_emplace(term, next);
    if (is_new) in_order_.push_back(entry);
    return entry->second;
  }
  bool insert(const model::Quad&) override { return false; }
  bool erase(const model::Quad&) override { return false; }

 private:
  using NewTerms = std::map<model::Term, model::TermId>;
  const model::QuadSource& source_;
  NewTerms new_terms_;
  std::vector<NewTerms::const_iterator> in_order_;
};

}  // namespace quadrille::reconcile
