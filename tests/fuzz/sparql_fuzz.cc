// Any bytes as SPARQL: an answer or an error with a position, never a crash. What is a query is planned and run over a
// handful of triples, within limits.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "engine/exec/run.h"
#include "engine/sparql/parse.h"
#include "tests/support/memory_source.h"
#include "tests/support/seeded_random.h"

using namespace quadrille;

namespace {

// A microsecond for each look: a run ends after so many looks.
class CountingClock final : public base::WallClock, public base::SteadyClock {
 public:
  int64_t now_ms() const override { return 1'700'000'000'000; }
  int64_t now_us() const override { return ++now_; }

 private:
  mutable int64_t now_ = 0;
};

constexpr int64_t looks_max = 2000;
constexpr uint64_t memory_max = 64 << 20;

model::TermQuad triple(int subject, int predicate, model::Term object) {
  const auto name = [](const char* kind, int number) {
    return model::Term::iri("http://example.org/" + std::string(kind) + std::to_string(number));
  };
  return {name("n", subject), name("p", predicate), std::move(object), {}};
}

const test::MemorySource& few_triples() {
  static const test::MemorySource source = [] {
    test::MemorySource made;
    for (int i = 0; i < 12; ++i) {
      made.add(triple(i % 4, i % 3, model::Term::iri("http://example.org/n" + std::to_string((i + 1) % 4))));
      made.add(
          triple(i % 4, 3, model::Term::typed_literal(std::to_string(i), "http://www.w3.org/2001/XMLSchema#integer")));
    }
    return made;
  }();
  return source;
}

void run(sparql::Query query) {
  CountingClock clock;
  test::SeededRandom random(1);
  exec::QueryContext context;
  context.source = &few_triples();
  context.limits.wall_clock = &clock;
  context.limits.steady_clock = &clock;
  context.limits.random = &random;
  context.limits.deadline_us = looks_max;
  context.limits.memory_limit_bytes = memory_max;
  if (query.form == sparql::QueryForm::Select) {
    const auto solutions = exec::run_select(std::move(query), context);
    if (!solutions.ok()) return;
    for (auto rows = (*solutions)->next(); rows.ok() && *rows > 0; rows = (*solutions)->next()) {
      for (size_t column = 0; column < (*solutions)->variables().size(); ++column) (*solutions)->term(0, column);
    }
  } else if (query.form == sparql::QueryForm::Ask) {
    (void)exec::run_ask(std::move(query), context);
  } else {
    const auto triples = exec::run_graph_query(std::move(query), context);
    if (!triples.ok()) return;
    std::vector<model::TermQuad> some;
    while ((*triples)->next(some).ok() && !some.empty()) continue;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (auto query = sparql::parse_query(text); query.ok()) run(std::move(query).value());
  (void)sparql::parse_update(text);
  return 0;
}
