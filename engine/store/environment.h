// LMDB with owners: an environment (one file), its tables, transactions and cursors.
//
// The quads, the dictionary, and the tables of other rooms (log, window, records) live in one environment, so that one
// transaction covers them all: no crash can part them.
//
// Keys and values are bytes in a std::string_view. Keys have 1 to 511 bytes (more is a bug: check) and sort bytewise;
// build them with key.h. Values may have up to 4 GiB.
//
// Caveats
//   - A view of a key or value points into the file: it is valid until its transaction ends, and in a write transaction
//     only until the next write of that transaction. Copy what must live longer.
//   - A write transaction belongs to the thread that began it, and there is one at a time: a second one waits in the
//     same process for ever if it is begun by the same thread (check). Read transactions may move between threads and
//     never wait.
//   - While a child transaction lives, its parent must not be used.
//   - Cursors end before their transaction does (check).
//   - A reader that stays open keeps old pages from being used again: the file grows.
//
// Every failure is thrown as base::StorageError and names file, table and operation. A full map or disk is
// ErrorKind::ResourceExhausted; the transaction is then of no more use, the environment stays well.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "engine/base/result.h"

struct MDB_env;
struct MDB_txn;
struct MDB_cursor;

namespace quadrille::store {

struct EnvironmentOptions {
  uint64_t map_bytes = uint64_t{1} << 40;  // address space reserved; the file grows only with its content
  uint32_t readers_max = 2048;
  uint32_t tables_max = 64;
  // False only where no real power can fail: in simulations. Then nothing waits for the disk.
  bool flush = true;
};

// A table of an environment: a sorted map from keys to values. A small value, valid as long as the environment.
class Table {
 public:
  Table(unsigned handle, std::string name) : handle_(handle), name_(std::move(name)) {}
  unsigned handle() const noexcept { return handle_; }
  const std::string& name() const noexcept { return name_; }

 private:
  unsigned handle_;
  std::string name_;
};

// An open LMDB file `directory`/data.mdb. One at a time for a file, over all processes: who opens it sees to that
// (Store does, with directory_lock.h). Usable from any thread.
class Environment {
 public:
  // Makes the file if it is not there.
  Environment(std::filesystem::path directory, const EnvironmentOptions& options);
  ~Environment();
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

  // Opens a table, and makes it if it is not there, in a write transaction of its own. Tables are opened when a store
  // is opened, before work begins: the calling thread must have no transaction open.
  Table open_table(std::string_view name);

  // Writes the file as of now to a descriptor, from where that stands: what is in use, without holes. Reads one state
  // all the while, and nobody waits for it. On any thread.
  void copy_to(int descriptor) const;

  bool is_empty() const;          // no table has been made
  uint64_t bytes_in_use() const;  // of the file: pages that hold or held data
  uint64_t map_bytes() const;
  const std::filesystem::path& file() const noexcept { return file_; }

 private:
  friend class ReadTransaction;
  friend class WriteTransaction;
  struct Closer {
    void operator()(MDB_env* environment) const noexcept;
  };
  void fill_up_file() const;

  std::filesystem::path file_;
  std::unique_ptr<MDB_env, Closer> environment_;
  std::atomic<bool> has_writer_{false};
};

// A view of the environment as of one commit. Never waits, and nobody waits for it.
class ReadTransaction {
 public:
  explicit ReadTransaction(const Environment& environment);
  virtual ~ReadTransaction();
  virtual bool is_writing() const noexcept { return false; }
  ReadTransaction(const ReadTransaction&) = delete;
  ReadTransaction& operator=(const ReadTransaction&) = delete;

  std::optional<std::string_view> get(const Table& table, std::string_view key) const;
  bool contains(const Table& table, std::string_view key) const { return get(table, key).has_value(); }
  uint64_t row_count(const Table& table) const;   // exact, and cheap
  uint64_t byte_count(const Table& table) const;  // whole pages
  uint64_t state() const;                         // two views with the same number see the same
  const Environment& environment() const noexcept { return *environment_; }

 protected:
  friend class Cursor;
  ReadTransaction(const Environment& environment, MDB_txn* transaction)
      : environment_(&environment), transaction_(transaction) {}
  [[noreturn]] void fail(int code, const char* operation, const Table* table) const;
  void check_open() const;

  const Environment* environment_;
  MDB_txn* transaction_ = nullptr;  // null once it has ended
  mutable int open_cursors_ = 0;
};

// The one writer. Without commit() its writes never were.
class WriteTransaction final : public ReadTransaction {
 public:
  explicit WriteTransaction(Environment& environment);
  // A child: its writes become the parent's when it commits. Children nest, one at a time on each level.
  explicit WriteTransaction(WriteTransaction& parent);
  ~WriteTransaction() override;
  bool is_writing() const noexcept override { return true; }

  void put(const Table& table, std::string_view key, std::string_view value);  // replaces
  // Room for a value of `size` bytes, to be filled before the next call on this transaction.
  std::span<char> reserve(const Table& table, std::string_view key, size_t size);
  bool erase(const Table& table, std::string_view key);  // false: it was not there
  void clear(const Table& table);                        // all rows; the table stays
  // Makes or opens a table as part of this transaction; of use to others only once it is committed.
  Table open_table(std::string_view name);
  std::optional<Table> find_table(std::string_view name);  // opens it if it is there

  // Durable when it returns (a child: part of its parent). Throws, and has then rolled back.
  void commit();
  // Rolls back; the destructor does too.
  void abort() noexcept;

 private:
  void end() noexcept;
  Environment* writable_;
  WriteTransaction* parent_ = nullptr;
};

// A place in a table. Each move says whether there is a row there; key() and value() require that there was one.
class Cursor {
 public:
  Cursor(const ReadTransaction& transaction, const Table& table);
  ~Cursor();
  Cursor(Cursor&& other) noexcept;
  Cursor& operator=(Cursor&&) = delete;

  bool seek(std::string_view key);         // to the first row with a key >= `key`
  bool seek_before(std::string_view key);  // to the last row with a key < `key`
  bool find(std::string_view key);         // to the row with just this key
  bool first();
  bool last();
  bool next();      // a new cursor: first(); after a move that failed: false
  bool previous();  // a new cursor: last(); after a move that failed: false
  bool at_row() const noexcept { return place_ == Place::Row; }

  std::string_view key() const noexcept { return key_; }
  std::string_view value() const noexcept { return value_; }

  // In a write transaction only. After a put or append, seek before the next step.
  void put(std::string_view key, std::string_view value);
  void append(std::string_view key, std::string_view value);  // requires that `key` is after all keys of the table
  // For keys that ascend from call to call: those behind all of the table's are appended, which fills its pages.
  // Nothing else may be written to the table between the calls.
  void put_ascending(std::string_view key, std::string_view value);
  void erase_here();  // then next() goes to the row after it

 private:
  bool move(std::string_view key, int operation);
  void write(std::string_view key, std::string_view value, unsigned flags, const char* operation);

  const ReadTransaction* transaction_;
  Table table_;
  MDB_cursor* cursor_ = nullptr;
  std::string_view key_;
  std::string_view value_;
  enum class Place : uint8_t { New, Row, BeforeRow, Nowhere } place_ = Place::New;  // BeforeRow: its row was erased
  bool is_behind_all_ = false;                                                      // what put_ascending wrote last
};

}  // namespace quadrille::store
