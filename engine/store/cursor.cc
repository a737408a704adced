#include <lmdb.h>

#include <utility>

#include "engine/store/environment.h"

namespace quadrille::store {
namespace {

MDB_val to_value(std::string_view bytes) noexcept { return {bytes.size(), const_cast<char*>(bytes.data())}; }

}  // namespace

Cursor::Cursor(const ReadTransaction& transaction, const Table& table) : transaction_(&transaction), table_(table) {
  transaction.check_open();
  if (const int code = mdb_cursor_open(transaction.transaction_, table.handle(), &cursor_)) {
    transaction.fail(code, "open a cursor on", &table);
  }
  ++transaction.open_cursors_;
}

Cursor::Cursor(Cursor&& other) noexcept
    : transaction_(other.transaction_),
      table_(std::move(other.table_)),
      cursor_(std::exchange(other.cursor_, nullptr)),
      key_(other.key_),
      value_(other.value_),
      place_(other.place_),
      is_behind_all_(other.is_behind_all_) {}

Cursor::~Cursor() {
  if (!cursor_) return;
  mdb_cursor_close(cursor_);
  --transaction_->open_cursors_;
}

bool Cursor::move(std::string_view key, int operation) {
  MDB_val key_value = to_value(key);
  MDB_val data{};
  const int code = mdb_cursor_get(cursor_, &key_value, &data, static_cast<MDB_cursor_op>(operation));
  place_ = code == 0 ? Place::Row : Place::Nowhere;
  if (code == 0) {
    key_ = {static_cast<const char*>(key_value.mv_data), key_value.mv_size};
    value_ = {static_cast<const char*>(data.mv_data), data.mv_size};
  } else if (code != MDB_NOTFOUND) {
    transaction_->fail(code, "read", &table_);
  }
  return code == 0;
}

bool Cursor::seek(std::string_view key) { return key.empty() ? first() : move(key, MDB_SET_RANGE); }

bool Cursor::seek_before(std::string_view key) { return seek(key) ? move({}, MDB_PREV) : last(); }

bool Cursor::find(std::string_view key) { return move(key, MDB_SET_KEY); }
bool Cursor::first() { return move({}, MDB_FIRST); }
bool Cursor::last() { return move({}, MDB_LAST); }

// LMDB would start over from the other end after a failed seek.
bool Cursor::next() { return place_ != Place::Nowhere && move({}, MDB_NEXT); }
bool Cursor::previous() { return place_ != Place::Nowhere && move({}, MDB_PREV); }

void Cursor::write(std::string_view key, std::string_view value, unsigned flags, const char* operation) {
  QUADRILLE_CHECK(!key.empty() && key.size() <= 511, "a table's keys have 1 to 511 bytes");
  MDB_val key_value = to_value(key);
  MDB_val data = to_value(value);
  const int code = mdb_cursor_put(cursor_, &key_value, &data, flags);
  place_ = Place::Nowhere;
  if (code) transaction_->fail(code, operation, &table_);
}

void Cursor::put(std::string_view key, std::string_view value) { write(key, value, 0, "write"); }

void Cursor::append(std::string_view key, std::string_view value) { write(key, value, MDB_APPEND, "append to"); }

void Cursor::put_ascending(std::string_view key, std::string_view value) {
  is_behind_all_ = is_behind_all_ || !last() || key > key_;
  is_behind_all_ ? append(key, value) : put(key, value);
}

void Cursor::erase_here() {
  QUADRILLE_CHECK(at_row(), "the cursor stands at no row");
  if (const int code = mdb_cursor_del(cursor_, 0)) transaction_->fail(code, "erase from", &table_);
  place_ = Place::BeforeRow;
}

}  // namespace quadrille::store
