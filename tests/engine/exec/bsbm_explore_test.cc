// BSBM Explore over a real store, against answers of another system; where the data lies beside the project.
// Takes some seconds, most of them to load a million triples.
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <sstream>

#include "engine/io/result_reader.h"
#include "engine/model/value.h"
#include "tests/engine/exec/engine_fixture.h"
#include "tests/engine/store/store_fixture.h"
#include "tests/support/isomorphism.h"

using namespace quadrille;
using model::Term;

namespace {

const std::filesystem::path shared = std::filesystem::path(QUADRILLE_SOURCE_DIR) / "../shared/bsbm";

std::string read_file(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

// Interns and inserts a batch at a time.
class Loader final : public io::QuadSink {
 public:
  explicit Loader(store::Transaction& transaction) : transaction_(transaction) {}
  base::Result<void> add(const model::TermQuadView& quad, uint64_t) override {
    for (const auto* term : {&quad.subject, &quad.predicate, &quad.object}) terms_.push_back(term->to_term());
    if (terms_.size() >= 300'000) write();
    return {};
  }
  void write() {
    const std::vector<model::TermId> ids = transaction_.intern_all(terms_);
    std::vector<model::Quad> quads;
    for (size_t i = 0; i < ids.size(); i += 3) {
      quads.push_back({ids[i], ids[i + 1], ids[i + 2], model::TermId::default_graph()});
    }
    transaction_.insert_all(std::move(quads));
    terms_.clear();
  }

 private:
  store::Transaction& transaction_;
  std::vector<Term> terms_;
};

void load(store::Store& store, const std::string& file) {
  auto transaction = store.begin();
  auto input = io::open_input(file);
  if (!input.ok()) FAIL(input.error().message);
  test::SeededRandom random(1);
  model::BlankNodeScope nodes(random);
  Loader loader(*transaction);
  const auto parsed = io::parse_rdf(io::RdfFormat::NTriples, **input, {}, nodes, loader);
  if (!parsed.ok()) FAIL(parsed.error().message);
  loader.write();
  const auto committed = transaction->commit();
  if (!committed.ok()) FAIL(committed.error().message);
}

struct Answer {
  io::ResultSet results;
  std::vector<model::TermQuad> triples;
};

// One snapshot a query, as a server does.
Answer run(const store::Store& store, const std::string& text) {
  test::Engine engine;
  exec::QueryContext context = engine.context();
  const auto snapshot = store.snapshot();
  context.source = snapshot.get();
  auto query = sparql::parse_query(text);
  if (!query.ok()) FAIL(query.error().message);
  Answer answer;
  if (query->form == sparql::QueryForm::Select) {
    auto solutions = exec::run_select(std::move(*query), context);
    if (!solutions.ok()) FAIL(solutions.error().message);
    answer.results.variables = (*solutions)->variables();
    for (auto rows = (*solutions)->next(); rows.ok() && *rows > 0; rows = (*solutions)->next()) {
      for (size_t row = 0; row < *rows; ++row) {
        auto& cells = answer.results.rows.emplace_back();
        for (size_t i = 0; i < answer.results.variables.size(); ++i) cells.push_back((*solutions)->term(row, i));
      }
    }
    return answer;
  }
  auto triples = exec::run_graph_query(std::move(*query), context);
  if (!triples.ok()) FAIL(triples.error().message);
  std::vector<model::TermQuad> some;
  do {
    const auto more = (*triples)->next(some);
    if (!more.ok()) FAIL(more.error().message);
    answer.triples.insert(answer.triples.end(), some.begin(), some.end());
  } while (!some.empty());
  return answer;
}

Term by_value(const Term& term) {
  if (!term.is_literal()) return term;
  const model::Value value = model::value_of(term);
  return value.is_numeric() ? model::to_term(value) : term;
}

bool is_expected(const std::filesystem::path& query, const Answer& answer) {
  std::filesystem::path file = query;
  if (file.replace_extension(".srj"); std::filesystem::exists(file)) {
    auto expected = io::read_json_results(read_file(file));
    if (!expected.ok()) FAIL(expected.error().message);
    io::ResultSet found = answer.results;
    for (io::ResultSet* results : {&found, &*expected}) {
      for (auto& row : results->rows) {
        for (auto& cell : row) {
          if (cell) cell = by_value(*cell);
        }
      }
    }
    return test::are_same_results(found, *expected, false);
  }
  if (file.replace_extension(".nt"); std::filesystem::exists(file)) {
    test::SeededRandom random(2);
    model::BlankNodeScope nodes(random);
    auto expected = io::parse_rdf_text(io::RdfFormat::NTriples, read_file(file), {}, nodes);
    if (!expected.ok()) FAIL(expected.error().message);
    std::vector<model::TermQuad> found = answer.triples;
    for (auto* triples : {&found, &*expected}) {
      for (auto& triple : *triples) triple.object = by_value(triple.object);
    }
    return test::are_isomorphic(found, *expected);
  }
  return true;
}

std::string kind_of(const std::string& text) {
  const size_t begin = text.find("q=");
  return begin == std::string::npos ? "?" : text.substr(begin + 2, text.find(' ', begin) - begin - 2);
}

struct Timing {
  int queries = 0;
  double milliseconds = 0;
  double slowest = 0;
};

void measure(const store::Store& store, const std::string& queries) {
  std::map<int, Timing> timings;
  for (size_t begin = 0; begin < queries.size();) {
    size_t end = queries.find("###", begin);
    if (end == std::string::npos) end = queries.size();
    const std::string text = queries.substr(begin, end - begin);
    begin = end + 3;
    if (text.find("#@") == std::string::npos) continue;
    // Processor time: tests share the machine with others.
    const std::clock_t start = std::clock();
    run(store, text);
    const double took = 1000.0 * static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    Timing& timing = timings[std::stoi(kind_of(text))];
    ++timing.queries;
    timing.milliseconds += took;
    timing.slowest = std::max(timing.slowest, took);
  }
  for (const auto& [kind, timing] : timings) {
    std::cout << "BSBM Explore q" << kind << ": " << timing.queries << " queries, mean "
              << timing.milliseconds / timing.queries << " ms, slowest " << timing.slowest << " ms\n";
  }
}

}  // namespace

TEST_CASE("BSBM Explore gives the expected answers") {
  if (!std::filesystem::exists(shared / "dataset-1m.nt.zst")) {
    std::cout << "skipped: no BSBM data beside the project\n";
    return;
  }
  store::testing::TemporaryDirectory directory;
  const auto store = store::testing::make_store(directory.path() / "store");
  load(*store, (shared / "dataset-1m.nt.zst").string());
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(shared / "expected/explore-1m")) {
    if (entry.path().extension() == ".rq") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  for (const auto& file : files) {
    INFO(file);
    CHECK(is_expected(file, run(*store, read_file(file))));
  }
  measure(*store, read_file(shared / "queries-explore-1m.txt"));
}
