// Quads in memory, in four sorted vectors: what the query engine is tested on without a store.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <vector>

#include "engine/model/quad_source.h"

namespace quadrille::test {

// Not fast to write to. Scans see the quads as they were when they were opened.
class MemorySource final : public model::QuadTarget {
 public:
  void add(const model::TermQuad& quad);

  std::unique_ptr<model::QuadScan> scan(model::QuadOrder order, std::span<const model::TermId> prefix,
                                        model::ColumnSet wanted) const override;
  uint64_t estimate_count(model::QuadOrder order, std::span<const model::TermId> prefix) const override;
  bool contains(const model::Quad& quad) const override;
  std::optional<model::TermId> find_term(const model::Term& term) const override;
  model::Term get_term(model::TermId id) const override;

  std::unique_ptr<model::QuadSource> make_twin() const override { return std::make_unique<MemorySource>(*this); }

  model::TermId intern(const model::Term& term) override;
  bool insert(const model::Quad& quad) override;
  bool erase(const model::Quad& quad) override;

  std::vector<model::TermQuad> quads() const;

 private:
  using Row = std::array<model::TermId, 4>;  // in the order's columns
  using Rows = std::vector<Row>;
  const std::shared_ptr<const Rows>& rows(model::QuadOrder order) const;

  std::set<model::Quad> quads_;
  std::map<model::Term, model::TermId> ids_;
  std::vector<model::Term> terms_;
  mutable std::array<std::shared_ptr<const Rows>, 4> sorted_;  // made when asked for, dropped by a write
};

}  // namespace quadrille::test
