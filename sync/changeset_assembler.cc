#include "sync/changeset_assembler.h"

#include <algorithm>

#include "log/changeset_codec.h"
#include "sync/protocol.h"

namespace quadrille::sync {

namespace {

// Cuts parts out of a batch's data into the chunks of a changeset.
void cut(std::string_view data, uint64_t offset, const std::vector<DataPart>& parts, bool& is_in_chunk,
         std::vector<std::string>& chunks) {
  for (const DataPart& part : parts) {
    if (!is_in_chunk) chunks.emplace_back();
    chunks.back().append(data.substr(offset, part.bytes));
    offset += part.bytes;
    is_in_chunk = part.kind == PartKind::Piece;
  }
}

}  // namespace

base::Result<void> ChangesetAssembler::pass_over(const IncomingBatch& batch) {
  QUADRILLE_TRY(unpack(batch, stream_));
  return {};
}

base::Result<std::vector<ChangesetAssembler::Item>> ChangesetAssembler::add(IncomingBatch batch) {
  QUADRILLE_ASSIGN(const std::string data, unpack(batch, stream_));
  std::vector<Item> items;
  uint64_t offset = 0;
  for (const BatchEntry& entry : batch.entries) {
    if (const auto* heartbeat = std::get_if<reconcile::Heartbeat>(&entry)) {
      if (open_) return broken_rule("a heartbeat in the middle of a changeset");
      items.emplace_back(*heartbeat);
      continue;
    }
    const auto& part = std::get<DataPart>(entry);
    if (part.kind == PartKind::Header) {
      QUADRILLE_TRY(begin(std::string_view(data).substr(offset, part.bytes)));
    } else {
      QUADRILLE_TRY(add_piece(batch, offset, part));
    }
    offset += part.bytes;
    if (!is_complete()) continue;
    QUADRILLE_ASSIGN(auto changeset, take(&batch, data));
    items.emplace_back(std::move(changeset));
  }
  QUADRILLE_TRY(keep_rest(batch, data));
  return items;
}

// Of a changeset that goes on in the next batch its data is kept as a frame of its own: a large one may take long to
// come.
base::Result<void> ChangesetAssembler::keep_rest(const IncomingBatch& batch, const std::string& data) {
  if (!open_ || open_->staged.empty() || open_->staged.back().batch != &batch) return {};
  StagedParts& staged = open_->staged.back();
  staged.frame = compress_frame(data);
  staged.data_bytes = data.size();
  staged.batch = nullptr;
  open_->frame_bytes += staged.frame.size();
  return check_size();
}

base::Result<void> ChangesetAssembler::check_size() const {
  if (std::max(open_->bytes, open_->frame_bytes) <= changeset_bytes_max_) return {};
  return broken_rule("a changeset of more than " + std::to_string(changeset_bytes_max_) + " bytes");
}

base::Result<void> ChangesetAssembler::begin(std::string_view header) {
  if (open_) return broken_rule("a changeset begins before the one before is complete");
  if (header.size() > header_bytes_limit) return broken_rule("a header of more than 1 MiB");
  QUADRILLE_ASSIGN(auto decoded, log::decode_header(header));
  open_.emplace();
  open_->header = std::move(decoded);
  return {};
}

base::Result<void> ChangesetAssembler::add_piece(const IncomingBatch& batch, uint64_t offset, const DataPart& part) {
  if (!open_) return broken_rule("a piece of no changeset");
  open_->bytes += part.bytes + sizeof part;
  if (open_->staged.empty() || open_->staged.back().batch != &batch) {
    open_->bytes += sizeof(StagedParts);
    open_->staged.push_back({&batch, {}, 0, offset, {}});
  }
  QUADRILLE_TRY(check_size());
  open_->staged.back().parts.push_back(part);
  open_->is_in_chunk = part.kind == PartKind::Piece;
  if (!open_->is_in_chunk) ++open_->chunks_complete;
  return {};
}

bool ChangesetAssembler::is_complete() const {
  return open_ && !open_->is_in_chunk && open_->chunks_complete == open_->header.chunk_count;
}

base::Result<log::ShippedChangeset> ChangesetAssembler::take(const IncomingBatch* current,
                                                             const std::string& current_data) {
  log::ShippedChangeset changeset;
  changeset.header = std::move(open_->header);
  bool is_in_chunk = false;
  for (auto& staged : open_->staged) {
    if (staged.batch == current) {
      cut(current_data, staged.offset, staged.parts, is_in_chunk, changeset.chunks);
    } else {
      QUADRILLE_ASSIGN(const std::string data, decompress_frame(staged.frame, staged.data_bytes));
      cut(data, staged.offset, staged.parts, is_in_chunk, changeset.chunks);
    }
    staged.frame = {};  // frees it
  }
  open_.reset();
  return changeset;
}

}  // namespace quadrille::sync
