// A source that asks another one: tests override what they want to see or to change.
#pragma once

#include "engine/model/quad_source.h"

namespace quadrille::test {

class ForwardingSource : public model::QuadSource {
 public:
  explicit ForwardingSource(const model::QuadSource& inner) : inner_(inner) {}
  std::unique_ptr<model::QuadScan> scan(model::QuadOrder order, std::span<const model::TermId> prefix,
                                        model::ColumnSet wanted) const override {
    return inner_.scan(order, prefix, wanted);
  }
  uint64_t estimate_count(model::QuadOrder order, std::span<const model::TermId> prefix) const override {
    return inner_.estimate_count(order, prefix);
  }
  bool contains(const model::Quad& quad) const override { return inner_.contains(quad); }
  std::optional<model::TermId> find_term(const model::Term& term) const override { return inner_.find_term(term); }
  model::Term get_term(model::TermId id) const override { return inner_.get_term(id); }

 protected:
  const model::QuadSource& inner_;
};

}  // namespace quadrille::test
