#include "log/field_codec.h"

namespace quadrille::log {

void write_stamp(ByteWriter& writer, Stamp stamp) {
  writer.signed_varint(stamp.physical_ms);
  writer.varint(stamp.counter);
}

Stamp read_stamp(ByteReader& reader) {
  Stamp stamp;
  stamp.physical_ms = reader.signed_varint();
  const uint64_t counter = reader.varint();
  if (counter > UINT32_MAX) reader.fail();
  stamp.counter = static_cast<uint32_t>(counter);
  return stamp;
}

void write_site(ByteWriter& writer, const SiteId& site) {
  writer.sized(site.name);
  writer.fixed64(site.incarnation);
}

SiteId read_site(ByteReader& reader) {
  SiteId site{std::string(reader.sized()), 0};
  site.incarnation = reader.fixed64();
  if (!check_site_name(site.name)) reader.fail();
  return site;
}

void write_vector(ByteWriter& writer, const VersionVector& vector) {
  writer.varint(vector.entries().size());
  for (const auto& [origin, seq] : vector.entries()) {
    write_site(writer, origin);
    writer.varint(seq);
  }
}

VersionVector read_vector(ByteReader& reader) {
  VersionVector vector;
  const uint64_t count = reader.count(10);
  SiteId before;
  for (uint64_t i = 0; i < count && reader.ok(); ++i) {
    SiteId origin = read_site(reader);
    const uint64_t seq = reader.varint();
    if (seq == 0 || (i > 0 && origin <= before)) reader.fail();
    if (reader.ok()) vector.raise(origin, seq);
    before = std::move(origin);
  }
  return vector;
}

}  // namespace quadrille::log
