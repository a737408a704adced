#include "reconcile/store_digest.h"

#include <xxhash.h>

#include <cstring>
#include <unordered_map>

#include "engine/model/term.h"

namespace quadrille::reconcile {
namespace {

constexpr size_t remembered_terms_max = 500'000;

class TermHashes {
 public:
  explicit TermHashes(const model::QuadSource& terms) : terms_(terms) {}
  XXH128_hash_t of(model::TermId id) {
    if (id == model::TermId::default_graph()) return {0, 0};
    if (const auto known = hashes_.find(id); known != hashes_.end()) return known->second;
    if (hashes_.size() >= remembered_terms_max) hashes_.clear();
    const std::string text = to_ntriples(terms_.get_term(id));
    return hashes_[id] = XXH3_128bits(text.data(), text.size());
  }

 private:
  const model::QuadSource& terms_;
  std::unordered_map<model::TermId, XXH128_hash_t> hashes_;
};

struct Sum {
  uint64_t low = 0;
  uint64_t high = 0;
  void add(XXH128_hash_t hash) {
    low += hash.low64;
    high += hash.high64 + (low < hash.low64 ? 1 : 0);
  }
};

}  // namespace

log::ChangesetHash digest_of(const model::QuadSource& quads, model::TermId left_out) {
  constexpr size_t rows_max = 1024;
  std::array<std::vector<model::TermId>, 4> columns;
  model::ScanBatch batch;
  batch.capacity = rows_max;
  for (size_t i = 0; i < columns.size(); ++i) {
    columns[i].resize(rows_max);
    batch.columns[i] = columns[i].data();
  }
  TermHashes hashes(quads);
  Sum sum;
  const auto scan = quads.scan(model::QuadOrder::Gspo, {}, model::ColumnSet::all());
  while (const size_t count = scan->next(batch)) {
    for (size_t row = 0; row < count; ++row) {
      if (columns[static_cast<size_t>(model::Column::Graph)][row] == left_out) continue;
      std::array<XXH128_hash_t, 4> parts;
      for (size_t i = 0; i < parts.size(); ++i) parts[i] = hashes.of(columns[i][row]);
      sum.add(XXH3_128bits(parts.data(), sizeof parts));
    }
  }
  XXH128_canonical_t canonical;
  XXH128_canonicalFromHash(&canonical, {sum.low, sum.high});
  log::ChangesetHash digest;
  std::memcpy(digest.data(), &canonical, digest.size());
  return digest;
}

}  // namespace quadrille::reconcile
