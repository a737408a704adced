#include "tests/support/memory_source.h"

#include <algorithm>

#include "engine/model/inline_term.h"

namespace quadrille::test {

using model::Column;
using model::Quad;
using model::QuadOrder;
using model::Term;
using model::TermId;
using model::TermTag;

namespace {

using Row = std::array<TermId, 4>;

Row row_of(const Quad& quad, QuadOrder order) {
  const Row by_column = {quad.subject, quad.predicate, quad.object, quad.graph};
  Row row;
  const auto columns = model::columns_of(order);
  for (size_t i = 0; i < 4; ++i) row[i] = by_column[static_cast<size_t>(columns[i])];
  return row;
}

bool before(const Row& row, std::span<const TermId> key) {
  return std::lexicographical_compare(row.begin(), row.begin() + static_cast<std::ptrdiff_t>(key.size()), key.begin(),
                                      key.end());
}

bool starts_with(const Row& row, std::span<const TermId> prefix) {
  return std::equal(prefix.begin(), prefix.end(), row.begin());
}

std::pair<size_t, size_t> range(const std::vector<Row>& rows, std::span<const TermId> prefix) {
  const auto begin = std::lower_bound(rows.begin(), rows.end(), prefix, before);
  const auto end = std::partition_point(begin, rows.end(), [&](const Row& row) { return starts_with(row, prefix); });
  return {static_cast<size_t>(begin - rows.begin()), static_cast<size_t>(end - rows.begin())};
}

class MemoryScan final : public model::QuadScan {
 public:
  MemoryScan(std::shared_ptr<const std::vector<Row>> rows, QuadOrder order, std::span<const TermId> prefix)
      : rows_(std::move(rows)), order_(order), prefix_(prefix.begin(), prefix.end()) {
    std::tie(next_, end_) = range(*rows_, prefix);
    limit_ = end_;
  }

  size_t next(const model::ScanBatch& batch) override {
    const size_t count = std::min(batch.capacity, limit_ - next_);
    const auto columns = model::columns_of(order_);
    for (size_t i = 0; i < 4; ++i) {
      TermId* target = batch.columns[static_cast<size_t>(columns[i])];
      if (target == nullptr) continue;
      for (size_t row = 0; row < count; ++row) target[row] = (*rows_)[next_ + row][i];
    }
    next_ += count;
    return count;
  }

  void skip_to(std::span<const TermId> key) override {
    const std::vector<TermId> whole = with_prefix(key);
    const auto found = std::lower_bound(rows_->begin() + static_cast<std::ptrdiff_t>(next_),
                                        rows_->begin() + static_cast<std::ptrdiff_t>(end_), std::span(whole), before);
    next_ = static_cast<size_t>(found - rows_->begin());
    limit_ = end_;
  }

  void skip_to_rows_of(std::span<const TermId> key) override {
    skip_to(key);
    limit_ = std::clamp(range(*rows_, with_prefix(key)).second, next_, end_);
  }

 private:
  std::vector<TermId> with_prefix(std::span<const TermId> key) const {
    std::vector<TermId> whole = prefix_;
    whole.insert(whole.end(), key.begin(), key.end());
    return whole;
  }

  std::shared_ptr<const std::vector<Row>> rows_;
  QuadOrder order_;
  std::vector<TermId> prefix_;
  size_t next_ = 0;
  size_t limit_ = 0;  // of what was asked for
  size_t end_ = 0;
};

}  // namespace

void MemorySource::add(const model::TermQuad& quad) {
  insert({intern(quad.subject), intern(quad.predicate), intern(quad.object),
          quad.graph ? intern(*quad.graph) : TermId::default_graph()});
}

const std::shared_ptr<const MemorySource::Rows>& MemorySource::rows(QuadOrder order) const {
  auto& sorted = sorted_[static_cast<size_t>(order)];
  if (!sorted) {
    auto made = std::make_shared<Rows>();
    made->reserve(quads_.size());
    for (const Quad& quad : quads_) made->push_back(row_of(quad, order));
    std::sort(made->begin(), made->end());
    sorted = std::move(made);
  }
  return sorted;
}

std::unique_ptr<model::QuadScan> MemorySource::scan(QuadOrder order, std::span<const TermId> prefix,
                                                    model::ColumnSet) const {
  return std::make_unique<MemoryScan>(rows(order), order, prefix);
}

uint64_t MemorySource::estimate_count(QuadOrder order, std::span<const TermId> prefix) const {
  const auto [begin, end] = range(*rows(order), prefix);
  return end - begin;
}

bool MemorySource::contains(const Quad& quad) const { return quads_.contains(quad); }

std::optional<TermId> MemorySource::find_term(const Term& term) const {
  if (const auto id = model::inline_id(term)) return id;
  const auto entry = ids_.find(term);
  return entry == ids_.end() ? std::nullopt : std::optional(entry->second);
}

Term MemorySource::get_term(TermId id) const { return id.is_inline() ? model::inline_term(id) : terms_[id.payload()]; }

TermId MemorySource::intern(const Term& term) {
  if (const auto id = find_term(term)) return *id;
  const TermTag tag = term.is_iri() ? TermTag::Iri : term.is_blank_node() ? TermTag::BlankNode : TermTag::Literal;
  const TermId id(tag, terms_.size());
  terms_.push_back(term);
  ids_.emplace(term, id);
  return id;
}

bool MemorySource::insert(const Quad& quad) {
  sorted_ = {};
  return quads_.insert(quad).second;
}

bool MemorySource::erase(const Quad& quad) {
  sorted_ = {};
  return quads_.erase(quad) > 0;
}

std::vector<model::TermQuad> MemorySource::quads() const {
  std::vector<model::TermQuad> found;
  for (const Quad& quad : quads_) {
    found.push_back({get_term(quad.subject), get_term(quad.predicate), get_term(quad.object),
                     quad.graph == TermId::default_graph() ? std::nullopt : std::optional(get_term(quad.graph))});
  }
  return found;
}

}  // namespace quadrille::test
