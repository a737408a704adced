// Any bytes as RDF: the first says in which format. What is read is written again, and must then be read as the same.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "engine/io/output_sink.h"
#include "engine/io/rdf_parser.h"
#include "engine/io/rdf_writer.h"
#include "tests/support/seeded_random.h"

using namespace quadrille;

namespace {

// Term by term; blank nodes have other names, one for each, both ways.
class Comparison {
 public:
  bool is_same(const model::TermQuad& left, const model::TermQuad& right) {
    return is_same(left.subject, right.subject) && is_same(left.predicate, right.predicate) &&
           is_same(left.object, right.object) && left.graph.has_value() == right.graph.has_value() &&
           (!left.graph || is_same(*left.graph, *right.graph));
  }

 private:
  bool is_same(const model::Term& left, const model::Term& right) {
    if (!left.is_blank_node() || !right.is_blank_node()) return left == right;
    return to_right_.try_emplace(left.text(), right.text()).first->second == right.text() &&
           to_left_.try_emplace(right.text(), left.text()).first->second == left.text();
  }

  std::map<std::string, std::string> to_right_;
  std::map<std::string, std::string> to_left_;
};

void check_same(const std::vector<model::TermQuad>& quads, const std::vector<model::TermQuad>& again) {
  if (quads.size() != again.size()) std::abort();
  Comparison comparison;
  for (size_t i = 0; i < quads.size(); ++i) {
    if (!comparison.is_same(quads[i], again[i])) std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  constexpr io::RdfFormat formats[] = {io::RdfFormat::NTriples, io::RdfFormat::NQuads, io::RdfFormat::Turtle,
                                       io::RdfFormat::TriG, io::RdfFormat::RdfXml};
  if (size == 0) return 0;
  const io::RdfFormat format = formats[static_cast<uint8_t>(data[0] - '0') % 5];
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
  if (!again.ok()) std::abort();
  check_same(*quads, *again);
  return 0;
}
