// Runs queries and updates over data given as TriG, on the sorted vectors of MemorySource.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <catch2/catch.hpp>

#include "engine/exec/run.h"
#include "engine/io/rdf_parser.h"
#include "engine/io/result_set.h"
#include "engine/plan/plan_memory.h"
#include "engine/sparql/parse.h"
#include "tests/support/memory_source.h"
#include "tests/support/seeded_random.h"

namespace quadrille::test {

class FixedClock final : public base::WallClock, public base::SteadyClock {
 public:
  int64_t now_ms() const override { return 1'700'000'000'000; }
  int64_t now_us() const override { return now; }
  int64_t now = 0;
};

inline constexpr std::string_view test_prefixes =
    "PREFIX : <http://example.org/> PREFIX xsd: <http://www.w3.org/2001/XMLSchema#> ";

class Engine {
 public:
  Engine() = default;
  explicit Engine(std::string_view trig) {
    model::BlankNodeScope nodes(random);
    const std::string text = "@prefix : <http://example.org/> . " + std::string(trig);
    auto quads = io::parse_rdf_text(io::RdfFormat::TriG, text, {}, nodes);
    if (!quads.ok()) FAIL(quads.error().message);
    for (const auto& quad : *quads) data.add(quad);
  }

  exec::QueryContext context() {
    exec::QueryContext made;
    made.source = &data;
    made.limits = limits();
    made.dataset = dataset;
    return made;
  }
  exec::RunLimits limits() {
    exec::RunLimits made;
    made.wall_clock = &clock;
    made.steady_clock = &clock;
    made.random = &random;
    made.tuning = tuning;
    made.plan_memory = plan_memory;
    made.services = services;
    made.tasks = tasks;
    return made;
  }

  // Each row as "a|b", terms in N-Triples without the namespace of the tests, "-" where unbound.
  base::Result<std::vector<std::string>> try_select(std::string_view text) {
    QUADRILLE_ASSIGN(auto query, sparql::parse_query(std::string(test_prefixes) + std::string(text)));
    QUADRILLE_ASSIGN(const auto solutions, exec::run_select(std::move(query), context()));
    return rows_of(*solutions);
  }
  static base::Result<std::vector<std::string>> rows_of(exec::Solutions& solutions) {
    std::vector<std::string> rows;
    for (;;) {
      QUADRILLE_ASSIGN(const size_t count, solutions.next());
      if (count == 0) return rows;
      for (size_t row = 0; row < count; ++row) {
        std::string line;
        for (size_t column = 0; column < solutions.variables().size(); ++column) {
          const auto term = solutions.term(row, column);
          line += (column > 0 ? "|" : "") + (term ? shown(*term) : "-");
        }
        rows.push_back(std::move(line));
      }
    }
  }
  std::vector<std::string> select(std::string_view text) {
    auto rows = try_select(text);
    if (!rows.ok()) FAIL(rows.error().message);
    return std::move(*rows);
  }
  // As a multiset.
  std::vector<std::string> sorted(std::string_view text) {
    auto rows = select(text);
    std::sort(rows.begin(), rows.end());
    return rows;
  }

  base::Result<exec::UpdateReport> update(std::string_view text) {
    QUADRILLE_ASSIGN(const auto update, sparql::parse_update(std::string(test_prefixes) + std::string(text)));
    exec::UpdateContext made;
    made.limits = limits();
    made.dataset = dataset;
    return exec::run_update(update, data, made);
  }

  static std::string shown(const model::Term& term) {
    constexpr std::string_view space = "http://example.org/";
    if (term.is_iri() && term.text().starts_with(space)) return ":" + term.text().substr(space.size());
    if (term.is_literal() && term.datatype().ends_with("#integer")) return term.text();
    return model::to_ntriples(term);
  }

  MemorySource data;
  SeededRandom random{7};
  FixedClock clock;
  exec::DatasetRules dataset;
  plan::Tuning tuning;
  plan::PlanMemory* plan_memory = nullptr;
  exec::ServiceClient* services = nullptr;
  base::TaskRunner* tasks = nullptr;
};

using Rows = std::vector<std::string>;

}  // namespace quadrille::test
