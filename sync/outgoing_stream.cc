#include "sync/outgoing_stream.h"

#include <algorithm>

#include "log/changeset_codec.h"
#include "sync/protocol.h"

namespace quadrille::sync {

OutgoingStream::OutgoingStream(const Parts& parts, Peer peer) : parts_(parts), peer_(std::move(peer)) {
  start_from(peer_.has);
}

void OutgoingStream::start_from(const log::VersionVector& has) {
  cursor_ = parts_.store.snapshot()->first_missing(has);
  sent_ = has;
  open_.reset();
}

bool OutgoingStream::is_full(const OutgoingBatch& batch) const {
  return batch.data.size() >= parts_.batch_bytes_max || batch.entries.size() >= batch_entries_max;
}

bool OutgoingStream::skips(const log::ChangesetHeader& header) const {
  const log::SiteId& origin = header.id.origin;
  if (sent_.covers(origin, header.id.seq) || peer_.has.covers(origin, header.id.seq)) return true;
  return peer_.direct.contains(origin) || origin == peer_.site || is_held_back(header);
}

bool OutgoingStream::is_held_back(const log::ChangesetHeader& header) const {
  const auto& held = peer_.held_back.entries();
  return std::any_of(held.begin(), held.end(), [&](const auto& first) {
    const auto& [origin, seq] = first;
    return header.dependencies.covers(origin, seq) || (header.id.origin == origin && header.id.seq >= seq);
  });
}

base::Result<std::optional<OutgoingBatch>> OutgoingStream::next_batch() {
  const auto snapshot = parts_.store.snapshot();
  OutgoingBatch batch;
  batch.round = round_;
  while (!is_full(batch)) {
    if (!open_) {
      add_due_heartbeats(batch);
      QUADRILLE_ASSIGN(const bool is_open, open_next(*snapshot));
      add_due_heartbeats(batch);
      if (!is_open) break;
      add_header(batch);
    }
    QUADRILLE_TRY(add_chunks(*snapshot, batch));
  }
  if (batch.entries.empty()) return std::optional<OutgoingBatch>();
  return std::optional(std::move(batch));
}

base::Result<bool> OutgoingStream::open_next(const reconcile::SiteSnapshot& snapshot) {
  const uint64_t last = snapshot.last_position();
  for (; cursor_ <= last; ++cursor_) {
    auto header = snapshot.header_at(cursor_);
    if (!header.ok()) {
      if (header.error().kind == base::ErrorKind::NotFound) continue;  // let go: every member has it
      return header.error();
    }
    const log::ChangesetId& id = header->id;
    if (!parts_.durable.covers(id.origin, id.seq)) return false;
    if (skips(*header)) continue;
    const uint64_t before = std::max(sent_.at(id.origin), peer_.has.at(id.origin));
    if (id.seq != before + 1) {
      return base::Error{base::ErrorKind::NotFound,
                         "the log no longer keeps what the peer lacks of site " + to_string(id.origin) +
                             ": it has changesets up to " + std::to_string(before) + ", the next one kept is " +
                             std::to_string(id.seq),
                         std::nullopt};
    }
    open_ = OpenChangeset{cursor_, std::move(header).value(), 0, {}, 0};
    return true;
  }
  return false;
}

void OutgoingStream::add_header(OutgoingBatch& batch) const {
  const std::string bytes = log::encode_header(open_->header);
  batch.data += bytes;
  batch.entries.emplace_back(DataPart{PartKind::Header, bytes.size()});
}

base::Result<void> OutgoingStream::add_chunks(const reconcile::SiteSnapshot& snapshot, OutgoingBatch& batch) {
  OpenChangeset& open = *open_;
  while (open.next_chunk < open.header.chunk_count || open.chunk_sent < open.chunk.size()) {
    if (is_full(batch)) return {};
    if (open.chunk_sent == open.chunk.size()) {
      QUADRILLE_ASSIGN(open.chunk, snapshot.chunk_at(open.position, open.next_chunk));
      open.chunk_sent = 0;
      ++open.next_chunk;
    }
    const size_t room = parts_.batch_bytes_max - batch.data.size();
    const size_t bytes = std::min(room, open.chunk.size() - open.chunk_sent);
    batch.data.append(open.chunk, open.chunk_sent, bytes);
    open.chunk_sent += bytes;
    const bool is_last = open.chunk_sent == open.chunk.size();
    batch.entries.emplace_back(DataPart{is_last ? PartKind::LastPiece : PartKind::Piece, bytes});
  }
  sent_.raise(open.header.id.origin, open.header.id.seq);
  ++batch.changesets_completed;
  ++cursor_;
  open_.reset();
  return {};
}

void OutgoingStream::add_due_heartbeats(OutgoingBatch& batch) {
  for (auto each = heartbeats_.begin(); each != heartbeats_.end();) {
    if (each->after_position >= cursor_) {
      ++each;
      continue;
    }
    batch.entries.emplace_back(std::move(each->heartbeat));
    each = heartbeats_.erase(each);
  }
}

void OutgoingStream::add_heartbeat(const reconcile::Heartbeat& heartbeat, uint64_t after_position) {
  bool is_first = true;
  std::erase_if(heartbeats_, [&](const WaitingHeartbeat& each) {
    if (each.heartbeat.site != heartbeat.site) return false;
    return !std::exchange(is_first, false) || each.heartbeat.number >= heartbeat.number;
  });
  heartbeats_.push_back({heartbeat, after_position});
}

void OutgoingStream::on_report(std::set<log::SiteId> direct, const log::VersionVector& has, uint32_t round,
                               log::VersionVector held_back) {
  peer_.direct = std::move(direct);
  peer_.held_back = std::move(held_back);
  peer_.has.merge(has);
  if (round == round_) return;
  round_ = round;
  start_from(peer_.has);
}

bool OutgoingStream::start_again_if_lost() {
  for (const auto& [origin, seq] : sent_.entries()) {
    const uint64_t held = peer_.held_back.at(origin);
    const uint64_t taken = held == 0 ? seq : std::min(seq, held - 1);
    if (peer_.has.covers(origin, taken) || peer_.direct.contains(origin)) continue;
    start_from(peer_.has);
    return true;
  }
  return false;
}

}  // namespace quadrille::sync
