// What rows are sorted by.
#pragma once

#include <compare>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/exec/batch.h"
#include "engine/exec/run_state.h"
#include "engine/model/term_order.h"

namespace quadrille::exec {

// The value of one condition: small integers by their ids, all else by the total order of terms; unbound comes first.
struct SortKey {
  TermId id;
  std::optional<model::OrderedTerm> term;
};

// `id` may be a passing one.
SortKey sort_key_of(TermId id, const TransientTerms& terms);
std::strong_ordering compare_keys(const SortKey& left, const SortKey& right);
// What it takes beside its own size.
inline size_t text_bytes(const SortKey& key) noexcept { return key.term ? key.term->term().text().size() : 0; }

// As bytes that mean the same without the ids of the run, and back: an id of inline values, else the term.
void append_key(const SortKey& key, std::string& out);
// `bytes` begins with what append_key() wrote; it is taken off.
SortKey take_key(std::string_view& bytes);

// The keys of many rows. They lie in blocks that are never moved while rows are added: a key is large.
class SortKeys {
 public:
  static constexpr size_t block_rows = 2048;
  explicit SortKeys(size_t keys_of_row) : keys_of_row_(keys_of_row) {}

  size_t rows() const noexcept { return rows_; }
  const SortKey& at(size_t row, size_t key) const noexcept {
    return blocks_[row / block_rows][row % block_rows * keys_of_row_ + key];
  }
  void add(std::vector<SortKey>& keys) {
    if (rows_++ % block_rows == 0) blocks_.emplace_back();
    for (SortKey& key : keys) blocks_.back().push_back(std::move(key));
  }

 private:
  size_t keys_of_row_;
  size_t rows_ = 0;
  std::vector<std::vector<SortKey>> blocks_;
};

// Whole rows: `keys[i]` is that of condition i.
class SortDirections {
 public:
  explicit SortDirections(std::vector<bool> descending) : descending_(std::move(descending)) {}
  size_t count() const noexcept { return descending_.size(); }
  // `left(i)` and `right(i)` give the keys.
  template <class Left, class Right>
  std::strong_ordering compare(const Left& left, const Right& right) const {
    for (size_t i = 0; i < descending_.size(); ++i) {
      const auto order = compare_keys(left(i), right(i));
      if (order != 0) return descending_[i] ? 0 <=> order : order;
    }
    return std::strong_ordering::equal;
  }

 private:
  std::vector<bool> descending_;
};

}  // namespace quadrille::exec
