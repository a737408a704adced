#include "engine/store/term_cache.h"

#include <zstd.h>

#include <utility>

#include "engine/base/result.h"

namespace quadrille::store {

void TermCache::Closer::operator()(ZSTD_DCtx_s* context) const noexcept { ZSTD_freeDCtx(context); }

TermCache::TermCache(size_t bytes_max) : shard_bytes_max_(bytes_max / shards_count) {}
TermCache::~TermCache() = default;

TermCache::Shard& TermCache::shard_of(uint64_t first) noexcept {
  return shards_[first * 0x9E3779B97F4A7C15u >> 60];  // Fibonacci hashing
}
static_assert(sizeof(uint64_t) == 8);

std::shared_ptr<const TermFrame> TermCache::find(uint64_t first) {
  Shard& shard = shard_of(first);
  std::lock_guard lock(shard.mutex);
  const auto entry = shard.frames.find(first);
  if (entry == shard.frames.end()) return nullptr;
  entry->second.is_used = true;
  return entry->second.frame;
}

void TermCache::keep(std::shared_ptr<const TermFrame> frame) {
  Shard& shard = shard_of(frame->first());
  std::vector<std::shared_ptr<const TermFrame>> gone;  // freed without the lock
  std::lock_guard lock(shard.mutex);
  const size_t bytes = frame->bytes();
  if (bytes > shard_bytes_max_) return;
  const uint64_t first = frame->first();
  if (!shard.frames.try_emplace(first, Entry{std::move(frame), false}).second) return;
  shard.turns.push_back(first);
  shard.bytes += bytes;
  while (shard.bytes > shard_bytes_max_) {
    const uint64_t next = shard.turns.front();
    shard.turns.pop_front();
    const auto entry = shard.frames.find(next);
    if (std::exchange(entry->second.is_used, false)) {
      shard.turns.push_back(next);
      continue;
    }
    shard.bytes -= entry->second.frame->bytes();
    gone.push_back(std::move(entry->second.frame));
    shard.frames.erase(entry);
  }
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
  phrases_.push_back(std::move(phrases));
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
