#include "sync/batch.h"

#include "sync/protocol.h"

namespace quadrille::sync {

namespace {

void write_part(const DataPart& part, wire::Entry::Builder to) {
  switch (part.kind) {
    case PartKind::Header: return to.setHeader(part.bytes);
    case PartKind::Piece: return to.setPiece(part.bytes);
    case PartKind::LastPiece: return to.setLastPiece(part.bytes);
  }
}

base::Result<BatchEntry> read_entry(wire::Entry::Reader from) {
  switch (from.which()) {
    case wire::Entry::HEADER: return BatchEntry(DataPart{PartKind::Header, from.getHeader()});
    case wire::Entry::PIECE: return BatchEntry(DataPart{PartKind::Piece, from.getPiece()});
    case wire::Entry::LAST_PIECE: return BatchEntry(DataPart{PartKind::LastPiece, from.getLastPiece()});
    case wire::Entry::HEARTBEAT: {
      QUADRILLE_ASSIGN(auto heartbeat, read_heartbeat(from.getHeartbeat()));
      return BatchEntry(std::move(heartbeat));
    }
  }
  return broken_rule("an entry of an unknown kind in a batch");
}

}  // namespace

void write_batch(const OutgoingBatch& batch, Compressor& compressor, wire::Batch::Builder to) {
  to.setRound(batch.round);
  auto entries = to.initEntries(static_cast<unsigned>(batch.entries.size()));
  unsigned i = 0;
  for (const auto& entry : batch.entries) {
    auto out = entries[i++];
    if (const auto* part = std::get_if<DataPart>(&entry)) {
      write_part(*part, out);
    } else {
      write_heartbeat(std::get<reconcile::Heartbeat>(entry), out.initHeartbeat());
    }
  }
  to.setDataBytes(batch.data.size());
  if (batch.data.empty()) return;
  const std::string part = compressor.compress(batch.data);
  to.setData(kj::arrayPtr(reinterpret_cast<const kj::byte*>(part.data()), part.size()));
}

base::Result<IncomingBatch> read_batch(wire::Batch::Reader from) {
  IncomingBatch batch;
  batch.round = from.getRound();
  batch.data_bytes = from.getDataBytes();
  if (batch.data_bytes > batch_data_bytes_limit) return broken_rule("a batch of more than 64 MiB of data");
  const auto data = from.getData();
  if ((data.size() == 0) != (batch.data_bytes == 0)) return broken_rule("a batch whose data is not what it says");
  batch.frame.assign(reinterpret_cast<const char*>(data.begin()), data.size());

  const auto entries = from.getEntries();
  if (entries.size() > batch_entries_limit) return broken_rule("a batch of more than 65536 entries");
  uint64_t rest = batch.data_bytes;
  for (const auto each : entries) {
    QUADRILLE_ASSIGN(auto entry, read_entry(each));
    if (const auto* part = std::get_if<DataPart>(&entry)) {
      if (part->bytes > rest) return broken_rule("a part of a batch that is longer than its data");
      rest -= part->bytes;
    }
    batch.entries.push_back(std::move(entry));
  }
  if (rest != 0) return broken_rule("a batch with data that no entry speaks of");
  return batch;
}

base::Result<std::string> unpack(const IncomingBatch& batch, Decompressor& stream) {
  if (batch.data_bytes == 0) return std::string();
  return stream.decompress(batch.frame, batch.data_bytes);
}

base::Result<std::string> unpack(const IncomingBatch& batch) {
  Decompressor stream;
  return unpack(batch, stream);
}

}  // namespace quadrille::sync
