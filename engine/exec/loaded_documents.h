// The documents that the LOADs of an update name: fetched and parsed before it runs, for whoever writes waits for
// nobody.
#pragma once

#include <cstdint>
#include <optional>

#include "engine/base/result.h"
#include "engine/model/quad_source.h"
#include "engine/model/term.h"

namespace quadrille::exec {

class LoadedDocument {
 public:
  virtual ~LoadedDocument() = default;
  // Inserts all of its statements, and says how many were not there before.
  virtual base::Result<uint64_t> insert_into(model::QuadTarget& target) const = 0;
};

class LoadedDocuments {
 public:
  virtual ~LoadedDocuments() = default;
  // The document at `iri`, for this graph (absent: the default one); or why it could not be had.
  virtual base::Result<const LoadedDocument*> find(const model::Term& iri,
                                                   const std::optional<model::Term>& graph) const = 0;
};

}  // namespace quadrille::exec
