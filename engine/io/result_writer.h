// Writes SPARQL answers row by row.
//
//   auto writer = make_result_writer(ResultFormat::Json, sink);
//   start({"s", "o"}), row(...) for each solution, finish()      for a SELECT
//   write_boolean(true)                                          for an ASK
//
// Caveats: nothing after finish() or write_boolean(). A writer that is dropped before them leaves a cut-off document,
// which no reader takes for a whole one (CSV, TSV and tables apart: an interrupted HTTP answer must break off the
// connection). An error is the sink's; then the answer is lost.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "engine/base/result.h"
#include "engine/io/output_sink.h"
#include "engine/io/result_format.h"
#include "engine/io/result_set.h"

namespace quadrille::io {

class ResultWriter {
 public:
  virtual ~ResultWriter() = default;
  // Variables without '?'.
  virtual base::Result<void> start(std::span<const std::string> variables) = 0;
  // Requires as many values as there are variables.
  virtual base::Result<void> row(ResultRowView values) = 0;
  virtual base::Result<void> finish() = 0;
  virtual base::Result<void> write_boolean(bool answer) = 0;
};

// The sink must outlive the writer. Memory is bounded but for the table, which keeps its first 1000 rows to align them.
//   - XML 1.0 has no way to write most control characters: they become U+FFFD there.
//   - CSV has no types: terms are their text alone; an empty string is "" and unbound is nothing.
//   - CSV and TSV do not define ASK: the answer is one line, true or false.
//   - The table shows control characters as escapes, so that no answer can command the terminal.
std::unique_ptr<ResultWriter> make_result_writer(ResultFormat format, OutputSink& sink);

// Writes a whole answer.
base::Result<void> write_result_set(const ResultSet& results, ResultWriter& writer);

}  // namespace quadrille::io
