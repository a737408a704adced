// Copies of a site's store that others fetch: to join the cluster with, and as backups. DESIGN section 5, "Joining".
//
// A copy is written to the disk here first, and fetched from there: so a slow receiver holds up no snapshot, and may go
// on where its connection broke off. It is gone a while after it was last asked for, and when the process ends.
#pragma once

#include <cstdint>
#include <deque>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "engine/base/clock.h"
#include "engine/base/result.h"
#include "engine/base/temporary_file.h"
#include "reconcile/site_store.h"
#include "replica/site/bulk_load.h"

namespace quadrille::replica {

struct StoreCopy {
  StoreCopy(std::string name, const std::filesystem::path& directory) : id(std::move(name)), file(directory, "copy") {}
  std::string id;  // a random word
  base::TemporaryFile file;
  std::string hash;  // XXH3-128 of its bytes, in hexadecimal
};

// XXH3-128 of the first `size` bytes that `read` gives, in hexadecimal.
std::string hash_of_copy(uint64_t size, const std::function<void(uint64_t offset, std::span<char> room)>& read);

class StoreCopies {
 public:
  // So many at a time: each takes as much disk as the store.
  static constexpr size_t copies_max = 2;
  static constexpr int64_t kept_us = int64_t{10} * 60 * 1'000'000;         // after it was last asked for
  static constexpr int64_t log_kept_ms = int64_t{60} * 60 * 1'000;         // for who joins with it
  static constexpr int64_t log_renewed_us = int64_t{10} * 60 * 1'000'000;  // while it is being fetched

  // `directory`: where the files go, which have no name there. All must outlive this.
  StoreCopies(const reconcile::SiteStore& store, std::filesystem::path directory, const base::WallClock& wall_clock,
              const base::SteadyClock& steady_clock, base::RandomSource& random)
      : store_(store),
        directory_(std::move(directory)),
        wall_clock_(wall_clock),
        steady_clock_(steady_clock),
        random_(random) {}

  // What follows: from any thread but the loop's.

  // First sees to it that the log keeps what comes after. As long as the disk takes. Unavailable: there are too many.
  base::Result<std::shared_ptr<const StoreCopy>> make(LoadWriter& writer);
  // Null: there is none, or no longer.
  std::shared_ptr<const StoreCopy> find(std::string_view id);
  // The log keeps on keeping what came after the copies.
  base::Result<void> keep_log(LoadWriter& writer) const;
  void drop(std::string_view id);

 private:
  struct Kept {
    std::shared_ptr<const StoreCopy> copy;
    int64_t last_asked_us = 0;
  };
  void drop_old();

  const reconcile::SiteStore& store_;
  std::filesystem::path directory_;
  const base::WallClock& wall_clock_;
  const base::SteadyClock& steady_clock_;
  base::RandomSource& random_;
  std::mutex mutex_;  // of what follows
  std::deque<Kept> kept_;
  size_t being_made_ = 0;
};

}  // namespace quadrille::replica
