#include "engine/store/environment.h"

#include <fmt/format.h>
#include <lmdb.h>

#include <sys/resource.h>

#include <cerrno>
#include <system_error>
#include <utility>

namespace quadrille::store {
namespace {

base::ErrorKind kind_of(int code) noexcept {
  switch (code) {
    case MDB_MAP_FULL:
    case MDB_READERS_FULL:
    case MDB_DBS_FULL:
    case MDB_TXN_FULL:
    case ENOSPC:
    case EFBIG:
    case EDQUOT:
    case ENOMEM: return base::ErrorKind::ResourceExhausted;
    case MDB_CORRUPTED:
    case MDB_PAGE_NOTFOUND:
    case MDB_INVALID:
    case MDB_PANIC: return base::ErrorKind::Corruption;
    case MDB_VERSION_MISMATCH: return base::ErrorKind::Mismatch;
    case MDB_NOTFOUND:
    case ENOENT: return base::ErrorKind::NotFound;
    default: return base::ErrorKind::IoFailure;
  }
}

const char* reason_of(int code) noexcept {
  switch (code) {
    case MDB_MAP_FULL: return "the store is full (its map size is reached)";
    case MDB_BAD_TXN: return "the transaction has failed before and must be given up";
    case MDB_INVALID: return "the file is not one of a store";
    default: return mdb_strerror(code);
  }
}

// LMDB says EIO where a write ended early, and does not say why. A disk or a limit that leaves no room for a large
// commit is the likely reason.
bool may_be_full(const std::filesystem::path& file) {
  constexpr uint64_t little_room = uint64_t{16} << 20;
  std::error_code failure;
  const auto space = std::filesystem::space(file, failure);
  if (!failure && space.available < little_room) return true;
  const uint64_t size = std::filesystem::file_size(file, failure);
  rlimit limit{};
  return !failure && getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur < size + little_room;
}

[[noreturn]] void fail_at(const std::filesystem::path& file, int code, const char* operation, const Table* table) {
  if (code == EIO && may_be_full(file)) code = ENOSPC;
  const std::string where = table ? fmt::format("{}, table {}", file.string(), table->name()) : file.string();
  throw base::StorageError({kind_of(code), fmt::format("{}: cannot {}: {}", where, operation, reason_of(code)), {}});
}

MDB_val to_value(std::string_view bytes) noexcept { return {bytes.size(), const_cast<char*>(bytes.data())}; }
std::string_view to_view(const MDB_val& value) noexcept {
  return {static_cast<const char*>(value.mv_data), value.mv_size};
}

void check_key(std::string_view key) {
  QUADRILLE_CHECK(!key.empty() && key.size() <= 511, "a table's keys have 1 to 511 bytes");
}

MDB_env* make_environment(const std::filesystem::path& file) {
  MDB_env* environment = nullptr;
  if (const int code = mdb_env_create(&environment)) fail_at(file, code, "prepare an environment", nullptr);
  return environment;
}

}  // namespace

void Environment::Closer::operator()(MDB_env* environment) const noexcept { mdb_env_close(environment); }

Environment::Environment(std::filesystem::path directory, const EnvironmentOptions& options)
    : file_(directory / "data.mdb"), environment_(make_environment(file_)) {
  const auto check = [this](int code, const char* operation) {
    if (code) fail_at(file_, code, operation, nullptr);
  };
  check(mdb_env_set_mapsize(environment_.get(), options.map_bytes), "reserve its map");
  check(mdb_env_set_maxreaders(environment_.get(), options.readers_max), "set its number of readers");
  check(mdb_env_set_maxdbs(environment_.get(), options.tables_max), "set its number of tables");
  // Read-ahead fetches what random look-ups never use once the file outgrows memory.
  unsigned flags = MDB_NOTLS | MDB_NORDAHEAD;
  if (!options.flush) flags |= MDB_NOSYNC;
  check(mdb_env_open(environment_.get(), directory.c_str(), flags, 0644), "open");
  fill_up_file();
}

// A file that was cut off would end the process by a signal (SIGBUS) where a page is read that it lacks. Pages of
// zeros instead are an error of the one who reads them. A sound file may lack pages at its end too, which were never
// written because nothing uses them.
void Environment::fill_up_file() const {
  std::error_code failure;
  const uint64_t wanted = bytes_in_use();
  if (std::filesystem::file_size(file_, failure) < wanted && !failure) {
    std::filesystem::resize_file(file_, wanted, failure);
  }
  if (failure) fail_at(file_, failure.value(), "measure", nullptr);
}

Environment::~Environment() { QUADRILLE_CHECK(!has_writer_, "an environment is closed while a transaction writes"); }

Table Environment::open_table(std::string_view name) {
  WriteTransaction transaction(*this);
  Table table = transaction.open_table(name);
  transaction.commit();
  return table;
}

void Environment::copy_to(int descriptor) const {
  const int code = mdb_env_copyfd2(environment_.get(), descriptor, MDB_CP_COMPACT);
  if (code) fail_at(file_, code, "copy", nullptr);
}

bool Environment::is_empty() const {
  MDB_stat stat{};
  if (const int code = mdb_env_stat(environment_.get(), &stat)) fail_at(file_, code, "count tables", nullptr);
  return stat.ms_entries == 0;
}

uint64_t Environment::bytes_in_use() const {
  MDB_envinfo info{};
  MDB_stat stat{};
  mdb_env_info(environment_.get(), &info);
  mdb_env_stat(environment_.get(), &stat);
  return (info.me_last_pgno + 1) * stat.ms_psize;
}

uint64_t Environment::map_bytes() const {
  MDB_envinfo info{};
  mdb_env_info(environment_.get(), &info);
  return info.me_mapsize;
}

ReadTransaction::ReadTransaction(const Environment& environment) : environment_(&environment) {
  if (const int code = mdb_txn_begin(environment.environment_.get(), nullptr, MDB_RDONLY, &transaction_)) {
    fail(code, "begin to read", nullptr);
  }
}

ReadTransaction::~ReadTransaction() {
  QUADRILLE_CHECK(open_cursors_ == 0, "a cursor outlives its transaction");
  if (transaction_) mdb_txn_abort(transaction_);
}

uint64_t ReadTransaction::state() const {
  check_open();
  return mdb_txn_id(transaction_);
}

void ReadTransaction::fail(int code, const char* operation, const Table* table) const {
  fail_at(environment_->file(), code, operation, table);
}

void ReadTransaction::check_open() const { QUADRILLE_CHECK(transaction_, "the transaction has ended"); }

std::optional<std::string_view> ReadTransaction::get(const Table& table, std::string_view key) const {
  check_open();
  check_key(key);
  MDB_val key_value = to_value(key);
  MDB_val value{};
  const int code = mdb_get(transaction_, table.handle(), &key_value, &value);
  if (code == MDB_NOTFOUND) return std::nullopt;
  if (code) fail(code, "read", &table);
  return to_view(value);
}

uint64_t ReadTransaction::row_count(const Table& table) const {
  check_open();
  MDB_stat stat{};
  if (const int code = mdb_stat(transaction_, table.handle(), &stat)) fail(code, "count", &table);
  return stat.ms_entries;
}

uint64_t ReadTransaction::byte_count(const Table& table) const {
  check_open();
  MDB_stat stat{};
  if (const int code = mdb_stat(transaction_, table.handle(), &stat)) fail(code, "measure", &table);
  return (stat.ms_branch_pages + stat.ms_leaf_pages + stat.ms_overflow_pages) * stat.ms_psize;
}

WriteTransaction::WriteTransaction(Environment& environment)
    : ReadTransaction(environment, nullptr), writable_(&environment) {
  QUADRILLE_CHECK(!environment.has_writer_.exchange(true), "a second write transaction at the same time");
  if (const int code = mdb_txn_begin(environment.environment_.get(), nullptr, 0, &transaction_)) {
    environment.has_writer_ = false;
    fail(code, "begin to write", nullptr);
  }
}

WriteTransaction::WriteTransaction(WriteTransaction& parent)
    : ReadTransaction(*parent.environment_, nullptr), writable_(parent.writable_), parent_(&parent) {
  parent.check_open();
  MDB_env* environment = writable_->environment_.get();
  if (const int code = mdb_txn_begin(environment, parent.transaction_, 0, &transaction_)) {
    fail(code, "begin a child transaction", nullptr);
  }
}

WriteTransaction::~WriteTransaction() { abort(); }

void WriteTransaction::end() noexcept {
  transaction_ = nullptr;
  if (!parent_) writable_->has_writer_ = false;
}

void WriteTransaction::put(const Table& table, std::string_view key, std::string_view value) {
  check_open();
  check_key(key);
  MDB_val key_value = to_value(key);
  MDB_val data = to_value(value);
  if (const int code = mdb_put(transaction_, table.handle(), &key_value, &data, 0)) fail(code, "write", &table);
}

std::span<char> WriteTransaction::reserve(const Table& table, std::string_view key, size_t size) {
  check_open();
  check_key(key);
  MDB_val key_value = to_value(key);
  MDB_val data{size, nullptr};
  if (const int code = mdb_put(transaction_, table.handle(), &key_value, &data, MDB_RESERVE)) {
    fail(code, "write", &table);
  }
  return {static_cast<char*>(data.mv_data), size};
}

bool WriteTransaction::erase(const Table& table, std::string_view key) {
  check_open();
  check_key(key);
  MDB_val key_value = to_value(key);
  const int code = mdb_del(transaction_, table.handle(), &key_value, nullptr);
  if (code == MDB_NOTFOUND) return false;
  if (code) fail(code, "erase from", &table);
  return true;
}

void WriteTransaction::clear(const Table& table) {
  check_open();
  if (const int code = mdb_drop(transaction_, table.handle(), 0)) fail(code, "clear", &table);
}

Table WriteTransaction::open_table(std::string_view name) {
  check_open();
  const std::string owned(name);
  MDB_dbi handle = 0;
  if (const int code = mdb_dbi_open(transaction_, owned.c_str(), MDB_CREATE, &handle)) {
    const Table table(0, owned);
    fail(code, "open", &table);
  }
  return Table(handle, owned);
}

std::optional<Table> WriteTransaction::find_table(std::string_view name) {
  check_open();
  const Table table(0, std::string(name));
  MDB_dbi handle = 0;
  const int code = mdb_dbi_open(transaction_, table.name().c_str(), 0, &handle);
  if (code == MDB_NOTFOUND) return std::nullopt;
  if (code) fail(code, "open", &table);
  return Table(handle, table.name());
}

void WriteTransaction::commit() {
  check_open();
  QUADRILLE_CHECK(open_cursors_ == 0, "a cursor outlives its transaction");
  const int code = mdb_txn_commit(transaction_);  // frees it, also when it fails
  end();
  if (code) fail(code, "commit", nullptr);
}

void WriteTransaction::abort() noexcept {
  if (!transaction_) return;
  QUADRILLE_CHECK(open_cursors_ == 0, "a cursor outlives its transaction");
  mdb_txn_abort(transaction_);
  end();
}

}  // namespace quadrille::store
