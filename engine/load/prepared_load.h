// The seam between a bulk load and the site that takes it: what the load needs from the site while it is built aside,
// and what it hands over when all that is left is to switch it in.
//
// A load runs in two steps.
//   1. prepare_load (bulk_load.h) reads the documents, gives ids to their terms, sorts, and writes the quads that the
//      store does not have yet into a run of blocks that no reader sees. This takes as long as it takes, on threads
//      that are handed in, and holds the writer for short commits only (StoreWriter). What the load asserts goes to the
//      site in the same commits (AssertedQuads), sorted, so that its log needs no second look at the quads.
//   2. PreparedLoad::switch_in, in one transaction of the writer, together with what the site logs: then all of the
//      load is there.
// A crash before the end of step 2 leaves nothing but terms; store and site remove the rest at opening.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "engine/base/result.h"
#include "engine/model/quad.h"

namespace quadrille::store {
struct EncodedBlock;
class Transaction;
}  // namespace quadrille::store

namespace quadrille::load {

// The site's writer, as a load sees it. Callable from any of the load's threads, several at once too: they take turns.
class StoreWriter {
 public:
  virtual ~StoreWriter() = default;
  // Runs `work` in a transaction of its own, commits, and returns when it is durable. What `work` throws as a
  // StorageError, or a failed commit, is the result; then nothing of it is there. A load's work is short: a few
  // megabytes to append.
  virtual base::Result<void> write(const std::function<void(store::Transaction&)>& work) = 0;
};

// Takes what a load asserts, for the site's log: each quad once, also those that the store has already.
class AssertedQuads {
 public:
  enum class Was : uint8_t { Absent, Present };  // in the store, when the load looked

  virtual ~AssertedQuads() = default;
  // Blocks of rows in the order GSPO (store/run.h), each kind by itself ascending from call to call; the absent ones
  // are those of the load's run. In one of the load's short commits: what is written here is as hidden as the run, and
  // as much in need of removal should the load fail. One call at a time.
  virtual void append(store::Transaction& transaction, Was was, std::span<const store::EncodedBlock> blocks) = 0;
};

// A quad that the site keeps out of the run (LoadParts::is_bulk): for it to write itself.
struct QuadApart {
  model::Quad quad;
  uint32_t document = 0;  // which of the documents
  uint64_t line = 0;      // where the statement ends, from 1
};

struct LoadCounts {
  uint64_t read = 0;     // statements, with repetitions
  uint64_t absent = 0;   // distinct quads of the run
  uint64_t present = 0;  // distinct quads that the store had when the load looked, and that are asserted all the same
  uint64_t apart = 0;    // statements kept out of the run
};

// A load that is ready to be switched in. Belongs to one thread at a time. Must not outlive the store.
// Destroyed without switch_in or give_up: what it wrote is removed when the store is opened next.
class PreparedLoad {
 public:
  virtual ~PreparedLoad() = default;

  virtual const LoadCounts& counts() const = 0;
  // In the order of the documents and their lines, with repetitions.
  virtual const std::vector<QuadApart>& quads_apart() const = 0;

  // In the writer's transaction: afterwards, in its view, every quad that the load asserts exists, whatever came or
  // went since the load looked. Returns how many that added. Takes little time, however large the load.
  // Busy: so much has changed meanwhile that it has to look again: drop the transaction, call look_again(), and come
  // back. To be followed by a commit; if that fails, or the transaction is dropped, by give_up or another switch_in.
  virtual base::Result<uint64_t> switch_in(store::Transaction& transaction) = 0;
  // Looks at what changed in the store since the load last looked. As long as it takes; all but a moment of it without
  // the writer, from whom the calling thread must hold no transaction. Busy: others have brought or taken away so
  // much of what the load asserts that it has to be made anew.
  virtual base::Result<void> look_again(StoreWriter& writer) = 0;

  // Removes the run, in short commits. (What AssertedQuads has written is for the site to remove.)
  virtual base::Result<void> give_up(StoreWriter& writer) = 0;
};

}  // namespace quadrille::load
