// What all readings of a store's terms share: frames that were decompressed lately, in bounded memory, the phrases, and
// the contexts of zstd. A number is never given to another term, so what stands here is true for every snapshot. (Only
// where frames are cut may change: a fold that was given up is done again when there are more terms.) Usable from any
// thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string_view>
#include <vector>

#include "engine/store/phrases.h"
#include "engine/store/term_block.h"

struct ZSTD_DCtx_s;

namespace quadrille::store {

class TermCache {
 public:
  explicit TermCache(size_t bytes_max);
  ~TermCache();
  TermCache(const TermCache&) = delete;
  TermCache& operator=(const TermCache&) = delete;

  // By the number of the frame's first term; null if it is not here.
  std::shared_ptr<const TermFrame> find(uint64_t first);
  // In place of another one that begins with the same term.
  void keep(std::shared_ptr<const TermFrame> frame);

  // Null if they are not here.
  std::shared_ptr<const Phrases> find_phrases(uint32_t number) const;
  void keep(std::shared_ptr<const Phrases> phrases);

  // Phrases that were trained for a dictionary of more than `terms_min` terms, or else what `train` gives for one of
  // `terms`. One call at a time trains: batches that are prepared side by side share their phrases. Null if training
  // fails.
  std::shared_ptr<const Phrases> find_or_train(uint64_t terms_min, uint64_t terms,
                                               const std::function<std::shared_ptr<const Phrases>()>& train);

  // The text of a frame, or nothing where its bytes are damaged. `phrases` may be null.
  std::optional<std::string> decompress(const TermBlock::Frame& frame, const Phrases* phrases);
  // Any other bytes that zstd compressed, to a text of a known size.
  std::optional<std::string> decompress(std::string_view bytes, size_t text_bytes, const Phrases* phrases);

 private:
  struct Closer {
    void operator()(ZSTD_DCtx_s* context) const noexcept;
  };
  using Context = std::unique_ptr<ZSTD_DCtx_s, Closer>;
  // A hash table with open addressing. When it is full, a hand goes round: it takes out what it meets, but for what was
  // used since it came by last (CLOCK).
  struct alignas(64) Shard {
    struct Slot {
      uint64_t first = 0;  // 0: free, as no term has that number
      bool is_used = false;
      std::shared_ptr<const TermFrame> frame;
    };
    size_t place_of(uint64_t first) const noexcept;  // of the frame, or the free slot where it would stand
    void grow();
    void erase(size_t place);

    std::mutex mutex;
    std::vector<Slot> slots;  // a power of two, or none
    size_t frames = 0;
    size_t bytes = 0;
    size_t hand = 0;
  };
  static constexpr size_t shards_count = 16;
  Shard& shard_of(uint64_t first) noexcept;
  Context take_context();
  void give_back(Context context);

  const size_t shard_bytes_max_;
  std::array<Shard, shards_count> shards_;
  mutable std::mutex mutex_;  // of what follows
  std::vector<Context> contexts_;
  std::vector<std::shared_ptr<const Phrases>> phrases_;  // a few
  std::mutex training_mutex_;                            // of what follows
  std::shared_ptr<const Phrases> trained_;               // the last ones
  uint64_t trained_for_ = 0;                             // so many terms
};

}  // namespace quadrille::store
