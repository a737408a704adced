// RDF documents into a transaction.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/clock.h"
#include "engine/base/result.h"
#include "engine/io/input_stream.h"
#include "engine/io/rdf_format.h"
#include "engine/model/quad_source.h"
#include "engine/model/term.h"

namespace quadrille::replica {

// One document to load. Its blank nodes are its own.
struct LoadDocument {
  std::string name;  // in error messages: a file's name
  io::RdfFormat format = io::RdfFormat::NTriples;
  std::string base_iri;              // of relative IRIs; empty: they are errors
  std::optional<model::Term> graph;  // of statements that name none; absent: the default graph
  std::function<base::Result<std::unique_ptr<io::InputStream>>()> open;
};

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

// An error as it is told of a document: its position becomes part of the message.
base::Error error_in_document(const std::string& name, const base::Error& error);

}  // namespace quadrille::replica
