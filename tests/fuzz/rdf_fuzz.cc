// Any bytes as RDF: the first says in which format. What is read is written again, and must then be read as the same.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "engine/io/output_sink.h"
#include "engine/io/rdf_parser.h"
#include "engine/io/rdf_writer.h"
#include "tests/support/seeded_random.h"

using namespace quadrille;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  constexpr io::RdfFormat formats[] = {io::RdfFormat::NTriples, io::RdfFormat::NQuads, io::RdfFormat::Turtle,
                                       io::RdfFormat::TriG};
  if (size == 0) return 0;
  const io::RdfFormat format = formats[data[0] % 4];
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  io::ParseOptions options;
  options.base_iri = "http://example.org/";
  options.nesting_max = 200;  // instrumented code needs more of the stack
  test::SeededRandom random(1);
  model::BlankNodeScope nodes(random);
  const auto quads = io::parse_rdf_text(format, text, options, nodes);
  if (!quads.ok()) return 0;

  io::StringSink written;
  const auto writer = io::make_rdf_writer(io::RdfFormat::NQuads, written);
  for (const auto& quad : *quads) {
    if (!writer->write(quad).ok()) std::abort();
  }
  if (!writer->finish().ok()) std::abort();
  model::BlankNodeScope others(random);
  const auto again = io::parse_rdf_text(io::RdfFormat::NQuads, written.text(), {}, others);
  if (!again.ok() || again->size() != quads->size()) std::abort();
  return 0;
}
