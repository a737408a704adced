#include "replica/site/load.h"

#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>

#include "engine/io/rdf_parser.h"
#include "replica/site/quad_batch.h"
#include "tests/support/memory_source.h"

using namespace quadrille;

namespace {

class CountingRandom final : public base::RandomSource {
 public:
  uint64_t next() override { return ++last_; }

 private:
  uint64_t last_ = 0;
};

replica::LoadDocument document(std::string name, std::string_view text, io::RdfFormat format) {
  replica::LoadDocument made;
  made.name = std::move(name);
  made.format = format;
  made.open = [text] { return std::unique_ptr<io::InputStream>(std::make_unique<io::MemoryInput>(text)); };
  return made;
}

std::vector<model::TermQuad> sorted(std::vector<model::TermQuad> quads) {
  std::sort(quads.begin(), quads.end());
  return quads;
}

}  // namespace

TEST_CASE("every statement of a load arrives as it was written, whatever batch it fell into") {
  // More terms than a batch takes at first, and terms that differ only in kind, datatype or language.
  std::string text;
  const char* const objects[] = {"<urn:x>", "_:x", "\"urn:x\"", "\"urn:x\"@en", "\"urn:x\"@de", "\"urn:x\"^^<urn:t>",
                                 "\"\""};
  for (int i = 0; i < 3000; ++i) {
    for (const char* object : objects) {
      text += fmt::format("<urn:s{}> <urn:p{}> {} <urn:g{}> .\n", i, i % 7, object, i % 3);
    }
    text += fmt::format("<urn:s{}> <urn:n> \"{}\" .\n", i, i);
  }
  CountingRandom random;
  test::MemorySource target;
  const auto loaded = replica::load_documents({document("all.nq", text, io::RdfFormat::NQuads)}, target, random, {});
  REQUIRE(loaded.ok());
  CHECK(*loaded == 3000 * 8);

  CountingRandom same_random;
  model::BlankNodeScope blank_nodes(same_random);
  const auto expected = io::parse_rdf_text(io::RdfFormat::NQuads, text, {}, blank_nodes);
  REQUIRE(expected.ok());
  CHECK(sorted(target.quads()) == sorted(*expected));
}

TEST_CASE("a batch says when it is full, and is empty after it was written") {
  test::MemorySource target;
  replica::QuadBatch batch;
  const std::string long_text(size_t{1} << 20, 'x');
  size_t added = 0;
  while (!batch.is_full()) {
    const auto object = long_text + std::to_string(added++);
    batch.add({{model::TermKind::Iri, "urn:s", {}},
               {model::TermKind::Iri, "urn:p", {}},
               {model::TermKind::Literal, object, {}},
               std::nullopt});
  }
  CHECK(added >= 64);
  CHECK(added < 70);
  batch.write_to(target);
  CHECK_FALSE(batch.is_full());
  CHECK(target.quads().size() == added);
  batch.write_to(target);
  CHECK(target.quads().size() == added);
}

TEST_CASE("a bad statement is told with the document's name, line and column") {
  CountingRandom random;
  test::MemorySource target;
  const auto loaded =
      replica::load_documents({document("good.nt", "<urn:a> <urn:b> <urn:c> .\n", io::RdfFormat::NTriples),
                               document("bad.ttl", "<urn:a> <urn:b>\n  oops .\n", io::RdfFormat::Turtle)},
                              target, random, {});
  REQUIRE_FALSE(loaded.ok());
  INFO(loaded.error().message);
  CHECK(loaded.error().message.starts_with("bad.ttl:2:"));
  CHECK(loaded.error().message.find("expected") != std::string::npos);
}

TEST_CASE("progress is told as statements go by") {
  std::string text;
  for (int i = 0; i < 100; ++i) text += fmt::format("<urn:s{}> <urn:p> <urn:o> .\n", i);
  CountingRandom random;
  test::MemorySource target;
  std::vector<uint64_t> told;
  replica::LoadOptions options;
  options.progress_every = 40;
  options.on_progress = [&](const replica::LoadProgress& at) { told.push_back(at.quads); };
  REQUIRE(replica::load_documents({document("x.nt", text, io::RdfFormat::NTriples)}, target, random, options).ok());
  CHECK(told == std::vector<uint64_t>{40, 80});
}
