// RDF documents into a transaction, as part of it. Large ones are for bulk_load.h.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "engine/base/clock.h"
#include "engine/base/result.h"
#include "engine/io/input_stream.h"
#include "engine/load/document.h"
#include "engine/model/quad_source.h"

namespace quadrille::replica {

using LoadDocument = load::Document;
using load::error_in_document;

struct LoadProgress {
  uint64_t quads = 0;  // read, with repetitions
  io::InputProgress input;
  size_t document = 0;  // the one that is being read
};

struct LoadOptions {
  // Called every `progress_every` quads.
  std::function<void(const LoadProgress&)> on_progress;
  uint64_t progress_every = 50'000;
};

// Inserts all statements of all documents, and returns how many there were. An error says "NAME:LINE:COLUMN: what";
// undoing what was inserted before it is up to the transaction.
base::Result<uint64_t> load_documents(const std::vector<LoadDocument>& documents, model::QuadTarget& target,
                                      base::RandomSource& random, const LoadOptions& options);

}  // namespace quadrille::replica
