// Operations as the log keeps them: in ids of this store, a row a chunk. Never leaves the site.
//
// Number of quad operations; if there are any, a byte (0: none of these quads exists after, 1: all do, 2: some, and a
// bit for each follows, lowest first), and, 2,048 quads at a time, their graphs, subjects, predicates, and sized their
// objects, as the columns of the quads' blocks (engine/store/column_codec.h), objects grouped by predicate: two or
// three bytes a quad of a load. Then the number of cell operations, and each as kind byte, graph, subject, property (8
// bytes each), number of statements seen, each 16 bytes, the same for those left. Then, if there are any, the
// announcements, each as kind byte and bytes, sized.
#pragma once

#include <string>
#include <string_view>

#include "log/bytes.h"
#include "log/changeset.h"
#include "log/changeset_codec.h"

namespace quadrille::log {

std::string encode_stored(const OperationsView& operations);
// Throws StorageError (Corruption) for bytes that are no operations.
Operations decode_stored(std::string_view bytes);

void write_content(ByteWriter& writer, const CellContent& content);
CellContent read_content(ByteReader& reader);

// For rows of our own tables that are not what we wrote.
[[noreturn]] void fail_as_corrupt(std::string_view table);

}  // namespace quadrille::log
