// Stamps, sites and version vectors as bytes: parts of what the log and its neighbours write.
//
// Stamp: physical milliseconds (signed varint), counter (varint). Site: name, sized, and incarnation (8 bytes,
// little-endian). Version vector: number of origins, and each as site and seq (varint), in the order of sites.
// What is read may be hostile: the reader fails for a name or a counter that is none.
#pragma once

#include "log/bytes.h"
#include "log/site_id.h"
#include "log/stamp.h"
#include "log/version_vector.h"

namespace quadrille::log {

void write_stamp(ByteWriter& writer, Stamp stamp);
Stamp read_stamp(ByteReader& reader);
void write_site(ByteWriter& writer, const SiteId& site);
SiteId read_site(ByteReader& reader);
void write_vector(ByteWriter& writer, const VersionVector& vector);
VersionVector read_vector(ByteReader& reader);

}  // namespace quadrille::log
