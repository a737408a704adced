#include "replica/site/dump.h"

#include <array>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "engine/io/rdf_writer.h"
#include "replica/site/query.h"

namespace quadrille::replica {
namespace {

constexpr size_t rows_per_batch = 2048;

// Terms by id, with a bounded memory of those that came lately. A reference is valid until the next call.
class TermReader {
 public:
  explicit TermReader(const model::QuadSource& source) : source_(source) {}
  const model::Term& term(model::TermId id) {
    if (const auto known = terms_.find(id); known != terms_.end()) return known->second;
    if (terms_.size() >= remembered_max) terms_.clear();
    return terms_.emplace(id, source_.get_term(id)).first->second;
  }

 private:
  static constexpr size_t remembered_max = size_t{1} << 16;
  const model::QuadSource& source_;
  std::unordered_map<model::TermId, model::Term> terms_;
};

// Writes what a scan in GSPO order gives.
class QuadDump {
 public:
  QuadDump(const reconcile::SiteSnapshot& snapshot, io::RdfWriter& writer, bool names_graphs)
      : snapshot_(snapshot), writer_(writer), terms_(snapshot), names_graphs_(names_graphs) {
    hidden_ = snapshot.find_term(model::Term::iri(std::string(conflicts_graph)));
  }

  base::Result<void> write(std::span<const model::TermId> graph) {
    const auto scan = snapshot_.scan(model::QuadOrder::Gspo, graph, model::ColumnSet::all());
    std::array<std::vector<model::TermId>, 4> columns;
    model::ScanBatch batch;
    batch.capacity = rows_per_batch;
    for (size_t i = 0; i < columns.size(); ++i) {
      columns[i].resize(rows_per_batch);
      batch.columns[i] = columns[i].data();
    }
    while (const size_t count = scan->next(batch)) {
      for (size_t row = 0; row < count; ++row) {
        QUADRILLE_TRY(write_quad({columns[0][row], columns[1][row], columns[2][row], columns[3][row]}));
      }
    }
    return {};
  }

 private:
  base::Result<void> write_quad(const model::Quad& quad) {
    if (hidden_ && quad.graph == *hidden_) return {};
    auto subject = terms_.term(quad.subject);
    auto predicate = terms_.term(quad.predicate);
    auto object = terms_.term(quad.object);
    std::optional<model::Term> graph;
    if (names_graphs_ && quad.graph != model::TermId::default_graph()) graph = terms_.term(quad.graph);
    return writer_.write({std::move(subject), std::move(predicate), std::move(object), std::move(graph)});
  }

  const reconcile::SiteSnapshot& snapshot_;
  io::RdfWriter& writer_;
  TermReader terms_;
  bool names_graphs_;
  std::optional<model::TermId> hidden_;
};

}  // namespace

base::Result<void> write_dump(const reconcile::SiteSnapshot& snapshot, const GraphChoice& choice, io::RdfFormat format,
                              io::OutputSink& sink) {
  return base::catch_storage_error([&]() -> base::Result<void> {
    const auto writer = io::make_rdf_writer(format, sink);
    const bool names_graphs = choice.kind == GraphChoice::Kind::All || io::carries_graphs(format);
    QuadDump dump(snapshot, *writer, names_graphs);
    std::vector<model::TermId> prefix;
    if (choice.kind == GraphChoice::Kind::Default) prefix.push_back(model::TermId::default_graph());
    if (choice.kind == GraphChoice::Kind::One) {
      const auto graph = snapshot.find_term(*choice.graph);
      if (!graph) return writer->finish();
      prefix.push_back(*graph);
    }
    QUADRILLE_TRY(dump.write(prefix));
    return writer->finish();
  });
}

}  // namespace quadrille::replica
