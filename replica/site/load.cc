#include "replica/site/load.h"

#include <utility>

#include "engine/io/rdf_parser.h"
#include "engine/model/blank_node_source.h"
#include "replica/site/quad_batch.h"

namespace quadrille::replica {
namespace {

class TargetSink final : public io::QuadSink {
 public:
  TargetSink(model::QuadTarget& target, const LoadOptions& options) : target_(target), options_(options) {}

  void begin_document(size_t number, const io::InputStream& input) {
    progress_.document = number;
    input_ = &input;
  }

  base::Result<void> add(const model::TermQuadView& quad, uint64_t) override {
    batch_.add(quad);
    if (batch_.is_full()) batch_.write_to(target_);
    if (++progress_.quads % options_.progress_every == 0 && options_.on_progress) {
      progress_.input = input_->progress();
      options_.on_progress(progress_);
    }
    return {};
  }

  // To be called once, at the end.
  void flush() { batch_.write_to(target_); }
  uint64_t quads() const noexcept { return progress_.quads; }

 private:
  model::QuadTarget& target_;
  const LoadOptions& options_;
  QuadBatch batch_;
  LoadProgress progress_;
  const io::InputStream* input_ = nullptr;
};

base::Result<void> load_document(const LoadDocument& document, size_t number, TargetSink& sink,
                                 base::RandomSource& random) {
  QUADRILLE_ASSIGN(const auto input, document.open());
  model::BlankNodeScope blank_nodes(random);
  io::ParseOptions options;
  options.base_iri = document.base_iri;
  options.graph = document.graph;
  sink.begin_document(number, *input);
  const auto parsed = io::parse_rdf(document.format, *input, options, blank_nodes, sink);
  if (!parsed.ok()) return error_in_document(document.name, parsed.error());
  return {};
}

}  // namespace

base::Result<uint64_t> load_documents(const std::vector<LoadDocument>& documents, model::QuadTarget& target,
                                      base::RandomSource& random, const LoadOptions& options) {
  TargetSink sink(target, options);
  for (size_t i = 0; i < documents.size(); ++i) QUADRILLE_TRY(load_document(documents[i], i, sink, random));
  sink.flush();
  return sink.quads();
}

}  // namespace quadrille::replica
