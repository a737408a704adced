#include "tests/support/w3c_suite.h"

#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "engine/model/vocabulary.h"
#include "tests/support/rdf_xml.h"
#include "tests/support/seeded_random.h"

namespace quadrille::test {
namespace {

constexpr std::string_view published_at = "https://w3c.github.io/rdf-tests/";
constexpr std::string_view mf = "http://www.w3.org/2001/sw/DataAccess/tests/test-manifest#";

std::string in_mf(std::string_view name) { return std::string(mf).append(name); }

std::string local_name(const std::string& iri) { return iri.substr(iri.find_last_of("#/") + 1); }

W3cTest read_entry(const model::Term& id, std::shared_ptr<const Graph> graph) {
  const auto name = graph->object(id, in_mf("name"));
  const auto type = graph->object(id, model::vocabulary::rdf_type);
  return {id,
          name ? name->text() : id.text(),
          type ? local_name(type->text()) : "",
          graph->object(id, in_mf("action")),
          graph->object(id, in_mf("result")),
          graph};
}

}  // namespace

std::optional<W3cSuite> W3cSuite::find() {
  const std::filesystem::path root = std::filesystem::path(QUADRILLE_SOURCE_DIR) / "../shared/rdf-tests";
  if (!std::filesystem::is_directory(root)) return std::nullopt;
  return W3cSuite(root);
}

std::string W3cSuite::iri_of(std::string_view path) const { return std::string(published_at).append(path); }

std::filesystem::path W3cSuite::file_of(const model::Term& iri) const {
  std::string_view path = iri.text();
  if (path.starts_with(published_at)) path.remove_prefix(published_at.size());
  return root_ / path.substr(0, path.find('#'));
}

std::string W3cSuite::read_text(const model::Term& iri) const {
  auto input = io::open_input(file_of(iri).string());
  if (!input) FAIL(input.error().message);
  auto text = io::read_all(**input, size_t{1} << 30);
  if (!text) FAIL(text.error().message);
  return std::move(text).value();
}

base::Result<std::vector<model::TermQuad>> W3cSuite::read_rdf(const model::Term& iri, uint64_t seed) const {
  SeededRandom random(seed);
  model::BlankNodeScope blank_nodes(random);
  if (iri.text().ends_with(".rdf")) return read_rdf_xml(read_text(iri), iri.text(), blank_nodes);
  const auto format = io::rdf_format_by_file_name(iri.text());
  if (!format) {
    return base::Error{
        base::ErrorKind::Unsupported, fmt::format("{}: expected .nt, .nq, .ttl, .trig or .rdf", iri.text()), {}};
  }
  io::ParseOptions options;
  options.base_iri = iri.text();
  return io::parse_rdf_text(*format, read_text(iri), options, blank_nodes);
}

std::vector<W3cTest> W3cSuite::read_manifest(std::string_view path) const {
  std::vector<W3cTest> tests;
  read_manifest(model::Term::iri(iri_of(path)), tests);
  return tests;
}

void W3cSuite::read_manifest(const model::Term& iri, std::vector<W3cTest>& out) const {
  auto quads = read_rdf(iri);
  if (!quads) {
    const base::Position position = quads.error().position.value_or(base::Position{});
    FAIL(iri.text() << ":" << position.line << ":" << position.column << ": " << quads.error().message);
  }
  const auto graph = std::make_shared<const Graph>(std::move(quads).value());
  const auto type = model::Term::iri(in_mf("Manifest"));
  for (const model::Term& manifest : graph->subjects(model::vocabulary::rdf_type, type)) {
    for (const model::Term& head : graph->objects(manifest, in_mf("include"))) {
      for (const model::Term& included : graph->list(head)) read_manifest(included, out);
    }
    for (const model::Term& head : graph->objects(manifest, in_mf("entries"))) {
      for (const model::Term& id : graph->list(head)) out.push_back(read_entry(id, graph));
    }
  }
}

void W3cTally::fail(const W3cTest& test, std::string_view why) {
  ++failed_;
  fmt::print("{}: FAILED {}: {}\n", suite_, test.name, why);
}

void W3cTally::print() const {
  fmt::print("{}: {} passed, {} failed, {} skipped\n", suite_, passed_, failed_, skipped_);
}

}  // namespace quadrille::test
