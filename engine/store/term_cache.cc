#include "engine/store/term_cache.h"

#include <zstd.h>

#include <algorithm>
#include <utility>

#include "engine/base/result.h"

namespace quadrille::store {
namespace {

uint64_t spread(uint64_t number) noexcept { return number * 0x9E3779B97F4A7C15u; }  // Fibonacci hashing

}  // namespace

void TermCache::Closer::operator()(ZSTD_DCtx_s* context) const noexcept { ZSTD_freeDCtx(context); }

TermCache::TermCache(size_t bytes_max) : shard_bytes_max_(bytes_max / shards_count) {}
TermCache::~TermCache() = default;

TermCache::Shard& TermCache::shard_of(uint64_t first) noexcept { return shards_[spread(first) >> 60]; }

size_t TermCache::Shard::place_of(uint64_t first) const noexcept {
  const size_t mask = slots.size() - 1;
  size_t place = spread(first) >> 20 & mask;
  while (slots[place].first != 0 && slots[place].first != first) place = (place + 1) & mask;
  return place;
}

void TermCache::Shard::grow() {
  std::vector<Slot> old(std::max<size_t>(64, slots.size() * 2));
  old.swap(slots);
  hand = 0;
  for (Slot& slot : old) {
    if (slot.first != 0) slots[place_of(slot.first)] = std::move(slot);
  }
}

// What was pushed on by the frame that goes, moves back.
void TermCache::Shard::erase(size_t place) {
  const size_t mask = slots.size() - 1;
  bytes -= slots[place].frame->bytes();
  --frames;
  slots[place] = {};
  for (size_t next = (place + 1) & mask; slots[next].first != 0; next = (next + 1) & mask) {
    Slot moved = std::exchange(slots[next], {});
    slots[place_of(moved.first)] = std::move(moved);
  }
}

std::shared_ptr<const TermFrame> TermCache::find(uint64_t first) {
  Shard& shard = shard_of(first);
  std::lock_guard lock(shard.mutex);
  if (shard.slots.empty()) return nullptr;
  Shard::Slot& slot = shard.slots[shard.place_of(first)];
  if (slot.first == first) slot.is_used = true;
  return slot.frame;
}

void TermCache::keep(std::shared_ptr<const TermFrame> frame) {
  const size_t bytes = frame->bytes();
  const uint64_t first = frame->first();
  Shard& shard = shard_of(first);
  std::lock_guard lock(shard.mutex);
  if (bytes > shard_bytes_max_) return;
  while (shard.bytes + bytes > shard_bytes_max_) {
    shard.hand = (shard.hand + 1) % shard.slots.size();
    Shard::Slot& slot = shard.slots[shard.hand];
    if (slot.first != 0 && !std::exchange(slot.is_used, false)) shard.erase(shard.hand);
  }
  if (shard.frames * 4 >= shard.slots.size() * 3) shard.grow();
  if (const size_t place = shard.place_of(first); shard.slots[place].first == first) shard.erase(place);
  shard.slots[shard.place_of(first)] = {first, false, std::move(frame)};
  ++shard.frames;
  shard.bytes += bytes;
}

std::shared_ptr<const Phrases> TermCache::find_phrases(uint32_t number) const {
  std::lock_guard lock(mutex_);
  for (const auto& phrases : phrases_) {
    if (phrases->number() == number) return phrases;
  }
  return nullptr;
}

void TermCache::keep(std::shared_ptr<const Phrases> phrases) {
  std::lock_guard lock(mutex_);
  const auto is_same = [&](const auto& each) { return each->number() == phrases->number(); };
  if (std::none_of(phrases_.begin(), phrases_.end(), is_same)) phrases_.push_back(std::move(phrases));
}

std::shared_ptr<const Phrases> TermCache::find_or_train(uint64_t terms_min, uint64_t terms,
                                                        const std::function<std::shared_ptr<const Phrases>()>& train) {
  std::lock_guard lock(training_mutex_);
  if (!trained_ || trained_for_ <= terms_min) {
    trained_ = train();
    trained_for_ = terms;
  }
  return trained_;
}

TermCache::Context TermCache::take_context() {
  {
    std::lock_guard lock(mutex_);
    if (!contexts_.empty()) {
      Context context = std::move(contexts_.back());
      contexts_.pop_back();
      return context;
    }
  }
  Context context(ZSTD_createDCtx());
  if (!context) throw base::StorageError({base::ErrorKind::ResourceExhausted, "no memory to read terms", {}});
  return context;
}

void TermCache::give_back(Context context) {
  std::lock_guard lock(mutex_);
  contexts_.push_back(std::move(context));
}

std::optional<std::string> TermCache::decompress(const TermBlock::Frame& frame, const Phrases* phrases) {
  if (!frame.is_sound()) return std::nullopt;
  if (frame.is_plain()) return std::string(frame.bytes);
  return decompress(frame.bytes, frame.text_bytes, phrases);
}

std::optional<std::string> TermCache::decompress(std::string_view bytes, size_t text_bytes, const Phrases* phrases) {
  Context context = take_context();
  std::string text(text_bytes, '\0');
  const ZSTD_DDict_s* dictionary = phrases ? phrases->for_decompression() : nullptr;
  const size_t size =
      ZSTD_decompress_usingDDict(context.get(), text.data(), text.size(), bytes.data(), bytes.size(), dictionary);
  give_back(std::move(context));
  if (ZSTD_isError(size) || size != text_bytes) return std::nullopt;
  return text;
}

}  // namespace quadrille::store
