// The part of verify.h that is about the dictionary: its tables by themselves, and both ways against each other.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/model/term_id.h"
#include "engine/store/hash_index.h"
#include "engine/store/term_row.h"
#include "engine/store/term_texts.h"

namespace quadrille::store {

// Belongs to one thread at a time.
class DictionaryVerification {
 public:
  // One call for each finding.
  using Report = std::function<void(const Table& table, const std::string& what)>;

  // `next_number`: that of the next new term, as of the transaction.
  DictionaryVerification(const ReadTransaction& transaction, const DictionaryTables& tables, TermCache& cache,
                         TermHash hash, uint64_t next_number, Report report);

  void run();

  // What run() has found, in two bits a term.
  uint64_t terms() const noexcept { return terms_; }
  bool has(model::TermId id) const noexcept;

 private:
  void check_term_blocks();
  void check_frame(const Table& table, std::string_view key, const TermBlock& block, size_t index);
  void check_new_terms();
  void check_large_terms();
  void check_term(const Table& table, uint64_t number, std::string_view row);
  void check_found_by_text(const Table& table, uint64_t number, std::string_view row);
  bool is_index_sound();
  std::optional<std::string> problem_of(const Cursor& cursor, HashEntry& last) const;
  void check_names_of_index();
  void check_name(const Table& table, uint64_t number);
  void check_fold_state();

  size_t tag_at(uint64_t number) const noexcept;
  void set_tag(uint64_t number, model::TermTag tag);

  const ReadTransaction& transaction_;
  const DictionaryTables& tables_;
  TermCache& cache_;
  TermHash hash_;
  uint64_t next_number_;
  Report report_;
  TermTexts texts_;
  HashIndex index_;
  std::optional<FoldState> fold_;  // none: damaged
  bool has_index_ = false;
  uint64_t terms_ = 0;
  // Two bits a number: a TermTag, or 0 for a term that is not here. As long as the numbers that were found need.
  std::vector<uint64_t> tags_;
  std::vector<uint64_t> numbers_;
};

}  // namespace quadrille::store
