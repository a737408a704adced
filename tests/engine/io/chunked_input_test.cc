// What is parsed does not depend on how the input is cut into pieces, and nothing that is read can crash the parser.
#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "engine/io/rdf_parser.h"
#include "engine/io/rdf_writer.h"
#include "tests/support/random_terms.h"
#include "tests/support/seeded_random.h"
#include "tests/support/w3c_suite.h"

using namespace quadrille;
using io::RdfFormat;

namespace {

// Gives out a few bytes at a time.
class DribblingInput final : public io::InputStream {
 public:
  DribblingInput(std::string_view text, size_t piece) : text_(text), piece_(piece) {}
  base::Result<size_t> read(std::span<char> room) override {
    const size_t count = std::min({room.size(), piece_, text_.size()});
    std::copy_n(text_.data(), count, room.data());
    text_.remove_prefix(count);
    return count;
  }
  io::InputProgress progress() const override { return {}; }

 private:
  std::string_view text_;
  size_t piece_;
};

// All that a sink saw, and how it ended, as text.
class TranscribingSink final : public io::QuadSink {
 public:
  base::Result<void> add(const model::TermQuadView& quad, uint64_t line) override {
    text += std::to_string(line);
    for (const model::TermView& term : {quad.subject, quad.predicate, quad.object}) append(term);
    if (quad.graph) append(*quad.graph);
    return {};
  }
  std::string text;

 private:
  void append(const model::TermView& term) {
    text += fmt::format(" {} {} {}", static_cast<int>(term.kind), term.text, term.qualifier);
  }
};

std::string transcript(RdfFormat format, io::InputStream& input) {
  test::SeededRandom random(1);
  model::BlankNodeScope blank_nodes(random);
  io::ParseOptions options;
  options.base_iri = "http://e/";
  TranscribingSink sink;
  const auto parsed = io::parse_rdf(format, input, options, blank_nodes, sink);
  if (parsed) return sink.text;
  const auto position = parsed.error().position.value_or(base::Position{});
  return fmt::format("{}{}:{}: {}", sink.text, position.line, position.column, parsed.error().message);
}

std::string whole_transcript(RdfFormat format, std::string_view text) {
  io::MemoryInput input(text);
  return transcript(format, input);
}

std::string random_document(test::SeededRandom& random, RdfFormat format) {
  io::StringSink sink;
  auto writer = io::make_rdf_writer(format, sink, {{"e", "http://e/"}});
  for (const auto& quad : test::random_quads(random, 1 + random.below(6), io::carries_graphs(format))) {
    if (!writer->write(quad)) FAIL("cannot write");
  }
  if (!writer->finish()) FAIL("cannot write");
  return sink.take();
}

// Changes some bytes, drops or repeats some: near to what is right, where the corners are.
std::string damaged(std::string text, test::SeededRandom& random) {
  static constexpr std::string_view likely = "<>\"'\\.,;:[](){}@^_#%uU-+eE \n\r\t\xC3\xEF\xF0\x80";
  for (uint64_t changes = 1 + random.below(4); changes != 0 && !text.empty(); --changes) {
    const size_t at = random.below(text.size());
    switch (random.below(4)) {
      case 0: text[at] = likely[random.below(likely.size())]; break;
      case 1: text.insert(at, 1, likely[random.below(likely.size())]); break;
      case 2: text.erase(at, 1 + random.below(4)); break;
      default: text.insert(at, text.substr(random.below(text.size()), random.below(12)));
    }
  }
  return text;
}

}  // namespace

TEST_CASE("every W3C document gives the same quads and errors a byte at a time") {
  const auto suite = test::W3cSuite::find();
  if (!suite) {
    fmt::print("chunked input: skipped, ../shared/rdf-tests is not there\n");
    return;
  }
  for (const char* name : {"rdf-n-triples", "rdf-n-quads", "rdf-turtle", "rdf-trig"}) {
    for (const test::W3cTest& entry : suite->read_manifest(fmt::format("rdf/rdf11/{}/manifest.ttl", name))) {
      const RdfFormat format = *io::rdf_format_by_file_name(entry.action->text());
      const std::string text = suite->read_text(*entry.action);
      const std::string expected = whole_transcript(format, text);
      for (const size_t piece : {size_t{1}, size_t{7}}) {
        DribblingInput input(text, piece);
        if (transcript(format, input) != expected) FAIL(entry.name << " in pieces of " << piece);
      }
    }
  }
}

TEST_CASE("damaged documents are parsed or refused, the same however they are cut") {
  for (uint64_t seed = 1; seed <= 4000; ++seed) {
    test::SeededRandom random(seed);
    const auto format = static_cast<RdfFormat>(seed % 4);
    const std::string text = damaged(random_document(random, format), random);
    const std::string expected = whole_transcript(format, text);
    DribblingInput input(text, 1 + random.below(5));
    if (transcript(format, input) != expected) FAIL("seed " << seed << "\n" << text);
  }
}

TEST_CASE("terms that lie across the edges of the parser's window are whole") {
  for (const RdfFormat format : {RdfFormat::NTriples, RdfFormat::NQuads, RdfFormat::Turtle, RdfFormat::TriG}) {
    std::string text;
    std::string expected;
    for (int i = 0; text.size() < 3'000'000; ++i) {
      const std::string value = std::string(static_cast<size_t>(i) % 997, 'v') + "\xF0\x9F\x98\x80" + std::to_string(i);
      text += "<urn:s> <urn:p> \"" + value + "\" .\n";
      expected += std::to_string(i + 1) + " 1 urn:s  1 urn:p  2 " + value + " ";
    }
    CHECK(whole_transcript(format, text) == expected);
  }
}
