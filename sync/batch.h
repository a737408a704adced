// Batches as messages.
#pragma once

#include <string>
#include <vector>

#include "engine/base/result.h"
#include "sync/compression.h"
#include "sync/outgoing_stream.h"
#include "sync/wire.h"

namespace quadrille::sync {

void write_batch(const OutgoingBatch& batch, Compressor& compressor, wire::Batch::Builder to);

// A batch that came in, not looked into yet. Its parts fill `data_bytes` exactly.
struct IncomingBatch {
  uint32_t round = 0;
  std::vector<BatchEntry> entries;
  std::string frame;  // a part of the connection's stream (compression.h); empty if there is no data
  uint64_t data_bytes = 0;
};
base::Result<IncomingBatch> read_batch(wire::Batch::Reader from);
// The data of all its parts, one after the other: for the batches of a connection in the order in which they came.
base::Result<std::string> unpack(const IncomingBatch& batch, Decompressor& stream);
// Of the first one.
base::Result<std::string> unpack(const IncomingBatch& batch);

}  // namespace quadrille::sync
