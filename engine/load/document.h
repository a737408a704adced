// What a load reads.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "engine/base/result.h"
#include "engine/io/input_stream.h"
#include "engine/io/rdf_format.h"
#include "engine/model/term.h"

namespace quadrille::load {

// One document. Its blank nodes are its own.
struct Document {
  std::string name;  // in error messages: a file's name
  io::RdfFormat format = io::RdfFormat::NTriples;
  std::string base_iri;              // of relative IRIs; empty: they are errors
  std::optional<model::Term> graph;  // of statements that name none; absent: the default graph
  std::optional<uint64_t> bytes;     // as it lies on the disk, if that is known: for progress
  // Called once, on any of the load's threads. The stream is then read by one thread at a time.
  std::function<base::Result<std::unique_ptr<io::InputStream>>()> open;
};

// An error as it is told of a document: "NAME:LINE:COLUMN: what", without a position of its own.
base::Error error_in_document(const std::string& name, const base::Error& error);

}  // namespace quadrille::load
