#include "engine/store/dictionary_tables.h"

#include "engine/store/checked_value.h"
#include "engine/store/damage.h"

namespace quadrille::store {
namespace {

constexpr std::string_view fold_key = "term_fold";

}  // namespace

FoldState FoldState::read(const ReadTransaction& transaction, const DictionaryTables& tables) {
  const auto value = get_checked(transaction, tables.metadata, fold_key);
  if (!value) return {};
  if (value->size() != 5 * 8) fail_damaged_row(transaction, tables.metadata, fold_key);
  FoldState state;
  state.steps = big_endian_at(*value, 0);
  state.base_end = big_endian_at(*value, 8);
  state.next_hash = big_endian_at(*value, 16);
  state.target = static_cast<uint32_t>(big_endian_at(*value, 24));
  state.last_run = static_cast<uint32_t>(big_endian_at(*value, 32));
  return state;
}

void FoldState::write(WriteTransaction& transaction, const DictionaryTables& tables) const {
  std::string value;
  for (const uint64_t number : {steps, base_end, next_hash, uint64_t{target}, uint64_t{last_run}}) {
    append_big_endian(value, number);
  }
  put_checked(transaction, tables.metadata, fold_key, value);
}

}  // namespace quadrille::store
