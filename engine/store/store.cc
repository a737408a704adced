#include "engine/store/store.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include "engine/store/checked_value.h"
#include "engine/store/damage.h"
#include "engine/store/key.h"

namespace quadrille::store {
namespace {

using base::Error;
using base::ErrorKind;
using base::Result;

constexpr std::string_view format_key = "format";
constexpr std::string_view format_name = "quadrille store 6";
constexpr std::string_view next_term_key = "next_term";
constexpr std::string_view metadata_table = "metadata";
// LMDB's two meta pages: a shorter file was never committed to.
constexpr uintmax_t smallest_file = 8192;

std::filesystem::path file_in(const std::filesystem::path& directory) { return directory / "data.mdb"; }

Error io_error(const std::filesystem::path& path, const char* operation, const std::error_code& reason) {
  return {ErrorKind::IoFailure, fmt::format("{}: cannot {}: {}", path.string(), operation, reason.message()), {}};
}

Error no_store(const std::filesystem::path& directory) {
  return {ErrorKind::NotFound,
          fmt::format("{}: there is no store; expected a directory made by 'quadrille init'", directory.string()),
          {}};
}

// So that the names of new files survive a loss of power.
Result<void> flush_directory(const std::filesystem::path& directory) {
  const int file = ::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const bool flushed = file >= 0 && ::fsync(file) == 0;
  const std::error_code reason(errno, std::generic_category());
  if (file >= 0) ::close(file);
  if (!flushed) return io_error(directory, "flush", reason);
  return {};
}

}  // namespace

Store::Store(std::filesystem::path directory, DirectoryLock lock, const StoreOptions& options)
    : directory_(std::move(directory)),
      lock_(std::move(lock)),
      environment_(directory_, options.environment),
      term_hash_(options.term_hash),
      term_cache_(std::make_unique<TermCache>(options.term_cache_bytes)) {}

void Store::open_tables(WriteTransaction& transaction) {
  const auto open = [&](std::string_view name) { return transaction.open_table(name); };
  tables_.emplace(StoreTables{
      open(metadata_table),
      {open("terms.blocks"), open("terms.new"), open("terms.large"), open("terms.phrases"), open("hashes.blocks"),
       open("hashes.new"), open(metadata_table)},
      {{open("quads.spog"), open("quads.posg"), open("quads.ospg"), open("quads.gspo")},
       {open("delta.spog"), open("delta.posg"), open("delta.ospg"), open("delta.gspo")}},
      open("statistics"),
  });
}

Result<std::unique_ptr<Store>> Store::create(const std::filesystem::path& directory, const StoreOptions& options,
                                             const std::function<void(Transaction&)>& fill) {
  return base::catch_storage_error([&] { return try_create(directory, options, fill); });
}

Result<std::unique_ptr<Store>> Store::try_create(const std::filesystem::path& directory, const StoreOptions& options,
                                                 const std::function<void(Transaction&)>& fill) {
  std::error_code failure;
  std::filesystem::create_directories(directory, failure);
  if (failure) return io_error(directory, "make the directory", failure);
  QUADRILLE_ASSIGN(DirectoryLock lock, DirectoryLock::take(directory));
  const auto size = std::filesystem::file_size(file_in(directory), failure);
  if (!failure && size < smallest_file) {
    // What a creation left that was cut off before its first page stood.
    std::filesystem::remove(file_in(directory), failure);
    if (failure) return io_error(file_in(directory), "remove", failure);
  }
  std::unique_ptr<Store> store(new Store(directory, std::move(lock), options));
  if (!store->environment_.is_empty()) {
    return Error{ErrorKind::Refused,
                 fmt::format("{}: is taken by a store or another database; expected a new or empty "
                             "directory",
                             directory.string()),
                 {}};
  }
  {
    WriteTransaction first(store->environment_);
    store->open_tables(first);
    first.put(store->tables_->metadata, format_key, format_name);
    Transaction filling(*store, first);
    if (fill) fill(filling);
    QUADRILLE_TRY(filling.commit());
    first.commit();
  }
  if (options.environment.flush) {
    QUADRILLE_TRY(flush_directory(directory));
    if (directory.has_parent_path()) QUADRILLE_TRY(flush_directory(directory.parent_path()));
  }
  return store;
}

Result<std::unique_ptr<Store>> Store::open(const std::filesystem::path& directory, const StoreOptions& options) {
  return base::catch_storage_error([&] { return try_open(directory, options); });
}

Result<std::unique_ptr<Store>> Store::try_open(const std::filesystem::path& directory, const StoreOptions& options) {
  std::error_code failure;
  const auto size = std::filesystem::file_size(file_in(directory), failure);
  if (failure || size < smallest_file) return no_store(directory);
  QUADRILLE_ASSIGN(DirectoryLock lock, DirectoryLock::take(directory));
  std::unique_ptr<Store> store(new Store(directory, std::move(lock), options));
  if (store->environment_.is_empty()) return no_store(directory);
  WriteTransaction opening(store->environment_);
  const auto metadata = opening.find_table(metadata_table);
  const auto format = metadata ? opening.get(*metadata, format_key) : std::nullopt;
  if (!format) return no_store(directory);
  if (*format != format_name) {
    return Error{ErrorKind::Mismatch,
                 fmt::format("{}: has the format '{}'; this program reads and writes '{}'", directory.string(), *format,
                             format_name),
                 {}};
  }
  store->open_tables(opening);
  store->next_term_ = store->saved_next_term(opening);
  opening.commit();
  QUADRILLE_TRY(store->remove_abandoned_runs());
  return store;
}

// In bounded steps, so that it needs little memory.
Result<void> Store::remove_abandoned_runs() {
  constexpr uint64_t rows_per_step = 1'000'000;
  std::vector<RunNumber> abandoned;
  {
    const Snapshot snapshot(*this);
    const RunList active = read_runs(snapshot.tables(), tables_->metadata);
    for (const RunNumber run : runs_with_blocks(snapshot.tables(), tables_->quads)) {
      if (!active.has(run)) abandoned.push_back(run);
    }
  }
  for (const RunNumber run : abandoned) {
    for (bool is_gone = false; !is_gone;) {
      Transaction transaction(*this);
      is_gone = transaction.drop_run(run, rows_per_step);
      QUADRILLE_TRY(transaction.commit());
    }
  }
  return {};
}

void Store::add_watch(ChangeWatch& watch) const {
  std::lock_guard lock(watches_mutex_);
  watches_.push_back(&watch);
}

void Store::remove_watch(ChangeWatch& watch) const {
  std::lock_guard lock(watches_mutex_);
  std::erase(watches_, &watch);
}

void Store::tell_watches(const ChangeList& changes) {
  std::lock_guard lock(watches_mutex_);
  for (ChangeWatch* watch : watches_) watch->list_.add(changes);
}

// A watch may begin while a transaction is open, and wants all of its changes; without one there may be very many.
size_t Store::changes_to_keep() const {
  constexpr size_t unwatched_changes_max = 100'000;
  std::lock_guard lock(watches_mutex_);
  size_t most = unwatched_changes_max;
  for (const ChangeWatch* watch : watches_) most = std::max(most, watch->list_.limit());
  return most;
}

void Store::save_next_term(WriteTransaction& transaction) const {
  char bytes[8];
  write_big_endian(bytes, next_term_);
  put_checked(transaction, tables_->metadata, next_term_key, {bytes, sizeof bytes});
}

uint64_t Store::saved_next_term(const ReadTransaction& transaction) const {
  const auto next = get_checked(transaction, tables_->metadata, next_term_key);
  if (!next) return 1;
  if (next->size() != 8) fail_damaged_row(transaction, tables_->metadata, next_term_key);
  return big_endian_at(*next, 0);
}

void Store::write_copy(base::TemporaryFile& file) const {
  environment_.copy_to(file.descriptor());
  file.note_size();
}

}  // namespace quadrille::store
