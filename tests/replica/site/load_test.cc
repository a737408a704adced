#include "replica/site/load.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <catch2/catch.hpp>

#include "engine/io/rdf_parser.h"
#include "tests/support/memory_source.h"

using namespace quadrille;

namespace {

class CountingRandom final : public base::RandomSource {
 public:
  uint64_t next() override { return ++last_; }

 private:
  uint64_t last_ = 0;
};

load::Document document(std::string name, std::string_view text, io::RdfFormat format) {
  load::Document made;
  made.name = std::move(name);
  made.format = format;
  made.open = [text] { return std::unique_ptr<io::InputStream>(std::make_unique<io::MemoryInput>(text)); };
  return made;
}

// Each document's statements, written to `target`.
base::Result<uint64_t> parse_and_write(const std::vector<load::Document>& documents, model::QuadTarget& target,
                                       const replica::ParseLimits& limits = {}) {
  CountingRandom random;
  QUADRILLE_ASSIGN(const auto parsed, replica::ParsedDocuments::parse(documents, random, limits));
  QUADRILLE_TRY(parsed.write_to(target));
  return parsed.quads();
}

std::vector<model::TermQuad> sorted(std::vector<model::TermQuad> quads) {
  std::sort(quads.begin(), quads.end());
  return quads;
}

}  // namespace

TEST_CASE("every statement of a load arrives as it was written, whatever piece it fell into") {
  // More terms than a piece takes at first, and terms that differ only in kind, datatype or language.
  std::string text;
  const char* const objects[] = {"<urn:x>",      "_:x",
                                 "\"urn:x\"",    "\"urn:x\"@en",
                                 "\"urn:x\"@de", "\"urn:x\"^^<urn:t>",
                                 "\"\"",         "\"7\"^^<http://www.w3.org/2001/XMLSchema#integer>"};
  for (int i = 0; i < 3000; ++i) {
    for (const char* object : objects) {
      text += fmt::format("<urn:s{}> <urn:p{}> {} <urn:g{}> .\n", i, i % 7, object, i % 3);
    }
    text += fmt::format("<urn:s{}> <urn:n> \"{}\" .\n", i, i);
  }
  CountingRandom same_random;
  same_random.next();  // the load's own
  model::BlankNodeScope blank_nodes(same_random);
  const auto expected = io::parse_rdf_text(io::RdfFormat::NQuads, text, {}, blank_nodes);
  REQUIRE(expected.ok());
  for (const size_t piece_quads : {size_t{100}, size_t{200'000}}) {
    test::MemorySource target;
    const auto loaded =
        parse_and_write({document("all.nq", text, io::RdfFormat::NQuads)}, target, {.piece_quads = piece_quads});
    REQUIRE(loaded.ok());
    CHECK(*loaded == 3000 * 9);
    CHECK(sorted(target.quads()) == sorted(*expected));
  }
}

TEST_CASE("documents are cut into pieces of so many statements and so much text") {
  std::string text, long_text;
  for (int i = 0; i < 1000; ++i) text += fmt::format("<urn:s{}> <urn:p> <urn:o> .\n", i);
  for (int i = 0; i < 10; ++i) long_text += fmt::format("<urn:s> <urn:p> \"{}{}\" .\n", std::string(100'000, 'x'), i);
  CountingRandom random;
  const auto pieces = [&](std::string_view lines, const replica::ParseLimits& limits) {
    const auto parsed =
        replica::ParsedDocuments::parse({document("a.nt", lines, io::RdfFormat::NTriples)}, random, limits);
    return parsed.ok() ? parsed->pieces() : 0;
  };
  CHECK(pieces(text, {}) == 1);
  CHECK(pieces(text, {.piece_quads = 100}) == 10);
  CHECK(pieces(long_text, {.piece_bytes = 150'000}) == 5);
  CHECK(pieces("", {}) == 0);
}

TEST_CASE("documents that unpack to more than memory is for them are refused") {
  std::string text;
  for (int i = 0; i < 100'000; ++i) text += "<urn:s> <urn:p> <urn:o> .\n";
  test::MemorySource target;
  const auto loaded = parse_and_write({document("a.nt", text, io::RdfFormat::NTriples)}, target,
                                      {.memory_bytes = 1 << 20, .piece_quads = 1000});
  REQUIRE_FALSE(loaded.ok());
  CHECK(loaded.error().kind == base::ErrorKind::ResourceExhausted);
  CHECK(loaded.error().message.starts_with("a.nt:"));
  CHECK(target.quads().empty());
}

TEST_CASE("parsing and writing of documents give up where the site stops") {
  const auto one = document("a.nt", "<urn:s> <urn:p> <urn:o> .\n", io::RdfFormat::NTriples);
  std::atomic<bool> stopping{false};
  CountingRandom random;
  const auto parsed = replica::ParsedDocuments::parse({one}, random, {.stopping = &stopping});
  REQUIRE(parsed.ok());
  stopping = true;
  test::MemorySource target;
  const auto written = parsed->write_to(target);
  REQUIRE_FALSE(written.ok());
  CHECK(written.error().kind == base::ErrorKind::Unavailable);
  CHECK(target.quads().empty());
  CHECK_FALSE(replica::ParsedDocuments::parse({one}, random, {.stopping = &stopping}).ok());
}

TEST_CASE("a bad statement is told with the document's name, line and column") {
  test::MemorySource target;
  const auto loaded = parse_and_write({document("good.nt", "<urn:a> <urn:b> <urn:c> .\n", io::RdfFormat::NTriples),
                                       document("bad.ttl", "<urn:a> <urn:b>\n  oops .\n", io::RdfFormat::Turtle)},
                                      target);
  REQUIRE_FALSE(loaded.ok());
  INFO(loaded.error().message);
  CHECK(loaded.error().message.starts_with("bad.ttl:2:"));
  CHECK(loaded.error().message.find("expected") != std::string::npos);
}
