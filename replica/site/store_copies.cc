#include "replica/site/store_copies.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <vector>

namespace quadrille::replica {

std::string hash_of_copy(uint64_t size, const std::function<void(uint64_t offset, std::span<char> room)>& read) {
  constexpr size_t piece_bytes = size_t{1} << 20;
  struct Free {
    void operator()(XXH3_state_t* state) const noexcept { XXH3_freeState(state); }
  };
  const std::unique_ptr<XXH3_state_t, Free> state(XXH3_createState());
  XXH3_128bits_reset(state.get());
  std::vector<char> piece(piece_bytes);
  for (uint64_t offset = 0; offset < size;) {
    const auto room = std::span(piece).first(std::min<uint64_t>(piece_bytes, size - offset));
    read(offset, room);
    XXH3_128bits_update(state.get(), room.data(), room.size());
    offset += room.size();
  }
  const XXH128_hash_t hash = XXH3_128bits_digest(state.get());
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

base::Result<void> StoreCopies::keep_log(LoadWriter& writer) const {
  const int64_t until = wall_clock_.now_ms() + log_kept_ms;
  return writer.run([until](reconcile::WriteGroup& group) -> base::Result<void> {
    group.keep_log_until(until);
    return {};
  });
}

base::Result<std::shared_ptr<const StoreCopy>> StoreCopies::make(LoadWriter& writer) {
  {
    const std::lock_guard lock(mutex_);
    drop_old();
    if (kept_.size() + being_made_ >= copies_max) {
      return base::Error{base::ErrorKind::Unavailable,
                         fmt::format("{} copies of the store are being fetched; try again later", copies_max),
                         {}};
    }
    ++being_made_;
  }
  auto made = base::catch_storage_error([&]() -> base::Result<std::shared_ptr<StoreCopy>> {
    QUADRILLE_TRY(keep_log(writer));
    auto copy = std::make_shared<StoreCopy>(fmt::format("{:016x}", random_.next()), directory_);
    QUADRILLE_TRY(store_.write_copy(copy->file));
    copy->hash =
        hash_of_copy(copy->file.size(), [&](uint64_t offset, std::span<char> room) { copy->file.read(offset, room); });
    return copy;
  });
  const std::lock_guard lock(mutex_);
  --being_made_;
  if (!made.ok()) return made.error();
  kept_.push_back({*made, steady_clock_.now_us()});
  return std::shared_ptr<const StoreCopy>(*std::move(made));
}

std::shared_ptr<const StoreCopy> StoreCopies::find(std::string_view id) {
  const std::lock_guard lock(mutex_);
  drop_old();
  const auto found = std::find_if(kept_.begin(), kept_.end(), [&](const Kept& one) { return one.copy->id == id; });
  if (found == kept_.end()) return nullptr;
  found->last_asked_us = steady_clock_.now_us();
  return found->copy;
}

void StoreCopies::drop(std::string_view id) {
  const std::lock_guard lock(mutex_);
  std::erase_if(kept_, [&](const Kept& one) { return one.copy->id == id; });
}

// Not those that somebody still reads.
void StoreCopies::drop_old() {
  const int64_t now = steady_clock_.now_us();
  std::erase_if(kept_, [&](const Kept& one) { return now - one.last_asked_us > kept_us && one.copy.use_count() == 1; });
}

}  // namespace quadrille::replica
