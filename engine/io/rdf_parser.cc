#include "engine/io/rdf_parser.h"

#include "engine/io/line_parser.h"
#include "engine/io/rdf_xml_parser.h"
#include "engine/io/turtle_parser.h"
#include "engine/model/iri.h"

namespace quadrille::io {
namespace {

// Says at which line the sink refused.
class PositioningSink final : public QuadSink {
 public:
  explicit PositioningSink(QuadSink& sink) : sink_(sink) {}
  base::Result<void> add(const model::TermQuadView& quad, uint64_t line) override {
    base::Result<void> added = sink_.add(quad, line);
    if (added) return added;
    base::Error error = std::move(added).error();
    if (!error.position) error.position = base::Position{line, 1};
    return error;
  }

 private:
  QuadSink& sink_;
};

class CollectingSink final : public QuadSink {
 public:
  base::Result<void> add(const model::TermQuadView& quad, uint64_t) override {
    quads.push_back(quad.to_quad());
    return {};
  }
  std::vector<model::TermQuad> quads;
};

}  // namespace

base::Result<void> parse_rdf(RdfFormat format, InputStream& input, const ParseOptions& options,
                             model::BlankNodeScope& blank_nodes, QuadSink& sink) {
  QUADRILLE_CHECK(options.base_iri.empty() || model::has_scheme(options.base_iri), "a base IRI is absolute");
  QUADRILLE_CHECK(!options.graph || !options.graph->is_literal(), "a graph is named by an IRI or a blank node");
  PositioningSink positioned(sink);
  switch (format) {
    case RdfFormat::NTriples: return parse_lines(false, input, options, blank_nodes, positioned);
    case RdfFormat::NQuads: return parse_lines(true, input, options, blank_nodes, positioned);
    case RdfFormat::Turtle: return parse_turtle(false, input, options, blank_nodes, positioned);
    case RdfFormat::RdfXml: return parse_rdf_xml(input, options, blank_nodes, positioned);
    case RdfFormat::TriG: break;
  }
  return parse_turtle(true, input, options, blank_nodes, positioned);
}

base::Result<std::vector<model::TermQuad>> parse_rdf_text(RdfFormat format, std::string_view text,
                                                          const ParseOptions& options,
                                                          model::BlankNodeScope& blank_nodes) {
  MemoryInput input(text);
  CollectingSink sink;
  QUADRILLE_TRY(parse_rdf(format, input, options, blank_nodes, sink));
  return std::move(sink.quads);
}

}  // namespace quadrille::io
