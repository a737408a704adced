// Loads documents of any size into a store: parsing, interning, sorting and the building of blocks side by side, in
// bounded memory, aside from the store until all is there (prepared_load.h).
//
// The way of a load:
//   1. The documents are cut into pieces of whole lines, which are parsed several at a time; each comes out with its
//      distinct terms. (Turtle, TriG and RDF/XML are parsed one after the other, beside everything else.)
//   2. In the order of the pieces, terms that the load has not met yet are given to the dictionary, many in a commit;
//      so a term's id does not depend on which thread was quick.
//   3. Quads become rows of ids, which are sorted by GSPO, beyond the limit of memory by way of temporary files.
//   4. Sorted, they are compared with the store. Those that it lacks are sorted into the other orders, encoded as
//      blocks, and appended to a run that no reader sees.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "engine/base/clock.h"
#include "engine/base/result.h"
#include "engine/base/task_runner.h"
#include "engine/load/document.h"
#include "engine/load/prepared_load.h"
#include "engine/store/store.h"

namespace quadrille::load {

struct LoadProgress {
  enum class Phase : uint8_t { Reading, Sorting };
  Phase phase = Phase::Reading;
  uint64_t quads = 0;   // read, with repetitions
  size_t document = 0;  // the one that is being read
  // Between 0 and 1, of the whole load; negative where the size of the input is not known.
  double share_done = 0;
};

// What a load works with. All of it outlives the prepared load.
struct LoadParts {
  const store::Store& store;
  StoreWriter& writer;
  base::TaskRunner& runner;
  base::RandomSource& random;
  // Null: nobody asks.
  AssertedQuads* asserted = nullptr;
  // Says which quads go into the run; the others are kept apart. Called from several threads at once. Null: all do.
  std::function<bool(const model::Quad&)> is_bulk;
};

struct LoadOptions {
  // For rows, terms and text together; temporary files in the store's directory take what is more. With less than some
  // 64 MiB everything takes longer; less than 1 MiB counts as 1 MiB.
  uint64_t memory_bytes = uint64_t{2} << 30;
  // About how much a commit appends to the store. Where others wait for the writer, this is for how long.
  size_t commit_bytes = size_t{16} << 20;
  // The length of a piece of text. Another one in tests only.
  size_t piece_bytes = size_t{1} << 20;
  // Where it becomes true the load gives up soon: Unavailable.
  const std::atomic<bool>* stopping = nullptr;
  // Called now and then, from any of the load's threads, one call at a time; must be quick.
  std::function<void(const LoadProgress&)> on_progress;
};

// Step 1 of a load. An error says "NAME:LINE:COLUMN: what" if it is a document's, and is the first one in the order of
// the documents and their lines, as far as the load came. After an error nothing of the load is left but terms.
base::Result<std::unique_ptr<PreparedLoad>> prepare_load(std::vector<Document> documents, const LoadParts& parts,
                                                         const LoadOptions& options);

}  // namespace quadrille::load
