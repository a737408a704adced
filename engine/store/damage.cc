#include "engine/store/damage.h"

#include <fmt/format.h>

#include "engine/base/result.h"

namespace quadrille::store {

std::string text_of_key(std::string_view key) {
  std::string text;
  for (const char byte : key) text += fmt::format("{:02x}", static_cast<unsigned char>(byte));
  return text;
}

void fail_damaged_row(const ReadTransaction& transaction, const Table& table, std::string_view key) {
  throw base::StorageError({base::ErrorKind::Corruption,
                            fmt::format("{}, table {}: the row {} is damaged; the store needs 'quadrille verify'",
                                        transaction.environment().file().string(), table.name(), text_of_key(key)),
                            {}});
}

void fail_missing_term(const ReadTransaction& transaction, const Table& table, uint64_t number) {
  throw base::StorageError({base::ErrorKind::Corruption,
                            fmt::format("{}, table {}: the term {} is missing; the store needs 'quadrille verify'",
                                        transaction.environment().file().string(), table.name(), number),
                            {}});
}

}  // namespace quadrille::store
