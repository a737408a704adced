#include "log/changeset_codec.h"

#include <fmt/format.h>
#include <xxhash.h>

#include "log/bytes.h"
#include "log/field_codec.h"

namespace quadrille::log {
namespace {

void write_assignment(ByteWriter& writer, const AssignmentNumber& number) {
  writer.byte(number.is_initial() ? 0 : 1);
  if (number.is_initial()) return;
  write_stamp(writer, number.stamp);
  write_site(writer, number.origin);
}

AssignmentNumber read_assignment(ByteReader& reader) {
  const uint8_t has_number = reader.byte();
  if (has_number > 1) reader.fail();
  if (!reader.ok() || has_number == 0) return {};
  const Stamp stamp = read_stamp(reader);
  return {stamp, read_site(reader)};
}

std::string encode_hashed_part(const ChangesetHeader& header) {
  std::string bytes;
  ByteWriter writer(bytes);
  write_site(writer, header.id.origin);
  writer.varint(header.id.seq);
  write_stamp(writer, header.stamp);
  write_vector(writer, header.dependencies);
  write_assignment(writer, header.assignment);
  writer.varint(header.operation_count);
  writer.varint(header.chunk_count);
  return bytes;
}

}  // namespace

std::string encode_header(const ChangesetHeader& header) {
  std::string bytes = encode_hashed_part(header);
  bytes.append(reinterpret_cast<const char*>(header.hash.data()), header.hash.size());
  return bytes;
}

base::Result<ChangesetHeader> decode_header(std::string_view bytes) {
  ByteReader reader(bytes);
  ChangesetHeader header;
  header.id.origin = read_site(reader);
  header.id.seq = reader.varint();
  header.stamp = read_stamp(reader);
  header.dependencies = read_vector(reader);
  header.assignment = read_assignment(reader);
  header.operation_count = reader.varint();
  const uint64_t chunk_count = reader.varint();
  const std::string_view hash = reader.raw(header.hash.size());
  if (!reader.ok() || !reader.at_end() || header.id.seq == 0 || chunk_count > UINT32_MAX) {
    return base::Error{base::ErrorKind::InvalidInput,
                       fmt::format("{} bytes that should be the header of a changeset are none", bytes.size()),
                       {}};
  }
  header.chunk_count = static_cast<uint32_t>(chunk_count);
  std::memcpy(header.hash.data(), hash.data(), hash.size());
  return header;
}

struct ChangesetHasher::State {
  struct Free {
    void operator()(XXH3_state_t* state) const noexcept { XXH3_freeState(state); }
  };
  std::unique_ptr<XXH3_state_t, Free> hash{XXH3_createState()};

  void add(std::string_view bytes) { XXH3_128bits_update(hash.get(), bytes.data(), bytes.size()); }
};

ChangesetHasher::ChangesetHasher() : state_(std::make_unique<State>()) { XXH3_128bits_reset(state_->hash.get()); }
ChangesetHasher::~ChangesetHasher() = default;
ChangesetHasher::ChangesetHasher(const ChangesetHasher& other) : state_(std::make_unique<State>()) {
  XXH3_copyState(state_->hash.get(), other.state_->hash.get());
}

void ChangesetHasher::add_chunk(std::string_view chunk) {
  std::string size;
  ByteWriter(size).fixed64(chunk.size());
  state_->add(size);
  state_->add(chunk);
}

ChangesetHash ChangesetHasher::finish(const ChangesetHash& previous, const ChangesetHeader& header) const {
  const ChangesetHasher whole(*this);
  whole.state_->add(encode_hashed_part(header));
  whole.state_->add({reinterpret_cast<const char*>(previous.data()), previous.size()});
  XXH128_canonical_t canonical;
  XXH128_canonicalFromHash(&canonical, XXH3_128bits_digest(whole.state_->hash.get()));
  ChangesetHash hash;
  static_assert(sizeof canonical == sizeof hash);
  std::memcpy(hash.data(), &canonical, sizeof hash);
  return hash;
}

}  // namespace quadrille::log
