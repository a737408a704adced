// Puts changesets together from the parts that batches bring.
//
// A changeset whose parts came with several batches waits here, compressed as it came, until it is complete: it takes
// memory of the size of its transfer, and of its full size only for the moment in which it is applied.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "engine/base/result.h"
#include "log/changeset.h"
#include "reconcile/stability.h"
#include "sync/batch.h"

namespace quadrille::sync {

class ChangesetAssembler {
 public:
  // Of one changeset, uncompressed; a larger one is refused.
  explicit ChangesetAssembler(uint64_t changeset_bytes_max) : changeset_bytes_max_(changeset_bytes_max) {}

  using Item = std::variant<log::ShippedChangeset, reconcile::Heartbeat>;
  // What is complete with this batch, in stream order. InvalidInput: the stream breaks the rules; do not go on.
  base::Result<std::vector<Item>> add(IncomingBatch batch);
  // One that is dropped: what comes after it is compressed with it in mind. Errors as add().
  base::Result<void> pass_over(const IncomingBatch& batch);

  // Forgets the parts of an incomplete changeset.
  void reset() { open_.reset(); }

 private:
  // The parts of one batch that belong to the incomplete changeset.
  struct StagedParts {
    const IncomingBatch* batch = nullptr;  // while it is the current one; then:
    std::string frame;                     // its data
    uint64_t data_bytes = 0;
    uint64_t offset = 0;  // of the first part in the batch's data
    std::vector<DataPart> parts;
  };
  struct OpenChangeset {
    log::ChangesetHeader header;
    uint32_t chunks_complete = 0;
    bool is_in_chunk = false;
    uint64_t bytes = 0;        // uncompressed, with what keeping them costs
    uint64_t frame_bytes = 0;  // kept
    std::vector<StagedParts> staged;
  };

  base::Result<void> begin(std::string_view header);
  base::Result<void> add_piece(const IncomingBatch& batch, uint64_t offset, const DataPart& part);
  base::Result<void> keep_rest(const IncomingBatch& batch, const std::string& data);
  base::Result<void> check_size() const;
  bool is_complete() const;
  // Takes the open changeset. `current` is the batch that was unpacked last, with its data.
  base::Result<log::ShippedChangeset> take(const IncomingBatch* current, const std::string& current_data);

  uint64_t changeset_bytes_max_;
  Decompressor stream_;
  std::optional<OpenChangeset> open_;
};

}  // namespace quadrille::sync
