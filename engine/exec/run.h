// The public door of the query engine: from a parsed query to its answer, from a parsed update to changed quads.
//
// Threads: an answer and the QuadSource below it belong to one thread at a time. Answers are pulled: nothing runs
// between two calls of next(). Storage faults come out as Errors, never as exceptions. What this version does not
// offer is ErrorKind::Unsupported, what is not allowed (writes to hidden graphs; SERVICE and LOAD, where nothing for
// them is handed in) ErrorKind::Refused.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/exec/context.h"
#include "engine/model/quad.h"
#include "engine/model/term.h"
#include "engine/sparql/algebra.h"

namespace quadrille::exec {

// The solutions of a SELECT, a batch of rows at a time.
class Solutions {
 public:
  virtual ~Solutions() = default;
  // The columns' names without '?', in the order of the SELECT clause.
  virtual const std::vector<std::string>& variables() const = 0;
  // Makes the next rows current and returns how many; 0 only at the end. The first batches are small.
  virtual base::Result<size_t> next() = 0;
  // A cell of the current rows; nothing where it is unbound. Fetches strings: ask only for what you show.
  virtual std::optional<model::Term> term(size_t row, size_t column) const = 0;
};

// The triples of a CONSTRUCT or DESCRIBE, each once, in no order. They have no graph.
class Triples {
 public:
  virtual ~Triples() = default;
  // Replaces `batch` by the next triples; an empty one only at the end.
  virtual base::Result<void> next(std::vector<model::TermQuad>& batch) = 0;
};

// Each takes a query of the forms that it names; another form is a bug. What `context` points at must outlive the
// answer; the query and the context themselves are kept.
base::Result<std::unique_ptr<Solutions>> run_select(sparql::Query query, const QueryContext& context);
base::Result<bool> run_ask(sparql::Query query, const QueryContext& context);
base::Result<std::unique_ptr<Triples>> run_graph_query(sparql::Query query, const QueryContext& context);

// The physical plan as a tree of text, a line an operator, with estimated rows: the one that would run. Any form.
base::Result<std::string> explain(sparql::Query query, const QueryContext& context);

// Runs the pattern of a query of any form to its end, and gives the plan as explain() does, with what each operator
// really did: rows, batches, look-ups, and the time in it alone, by `context.limits.steady_clock`, which is needed.
base::Result<std::string> profile(sparql::Query query, const QueryContext& context);

struct UpdateReport {
  uint64_t inserted = 0;  // quads that were not there before
  uint64_t deleted = 0;   // quads that were there before
};

// Runs all operations in order; each sees the writes of those before it, and evaluates its pattern wholly before it
// writes; deletes come before inserts. On an error some writes may have been done: the caller rolls `target` back.
base::Result<UpdateReport> run_update(const sparql::Update& update, model::QuadTarget& target,
                                      const UpdateContext& context);

}  // namespace quadrille::exec
