#include "replica/site/answer_text.h"

#include <memory>
#include <vector>

#include "engine/io/rdf_writer.h"
#include "engine/io/result_writer.h"

namespace quadrille::replica {
namespace {

base::Result<void> write_solutions(exec::Solutions& solutions, io::ResultWriter& writer) {
  const size_t width = solutions.variables().size();
  QUADRILLE_TRY(writer.start(solutions.variables()));
  io::ResultRow row(width);
  while (true) {
    QUADRILLE_ASSIGN(const size_t count, solutions.next());
    if (count == 0) return writer.finish();
    for (size_t i = 0; i < count; ++i) {
      for (size_t column = 0; column < width; ++column) row[column] = solutions.term(i, column);
      QUADRILLE_TRY(writer.row(row));
    }
  }
}

}  // namespace

base::Result<void> write_results(Answer& answer, io::ResultFormat format, io::OutputSink& sink) {
  return base::catch_storage_error([&]() -> base::Result<void> {
    const auto writer = io::make_result_writer(format, sink);
    if (const bool* boolean = std::get_if<bool>(&answer.content)) return writer->write_boolean(*boolean);
    return write_solutions(*std::get<std::unique_ptr<exec::Solutions>>(answer.content), *writer);
  });
}

base::Result<void> write_graph(Answer& answer, io::RdfFormat format, io::OutputSink& sink) {
  return base::catch_storage_error([&]() -> base::Result<void> {
    const auto writer = io::make_rdf_writer(format, sink);
    auto& triples = *std::get<std::unique_ptr<exec::Triples>>(answer.content);
    std::vector<model::TermQuad> batch;
    while (true) {
      QUADRILLE_TRY(triples.next(batch));
      if (batch.empty()) return writer->finish();
      for (const auto& triple : batch) QUADRILLE_TRY(writer->write(triple));
    }
  });
}

}  // namespace quadrille::replica
