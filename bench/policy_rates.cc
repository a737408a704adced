// Conflicts a second that policies decide: built in, from a shared library, in Lua.
#include <benchmark/benchmark.h>

#include <string>

#include "policies/built_in.h"
#include "policies/load_policy.h"
#include "policies/lua_policy.h"

namespace {

using namespace quadrille;

reconcile::Conflict make_conflict(size_t versions) {
  reconcile::Conflict conflict;
  const auto property = model::Term::iri("http://example.org/balance");
  conflict.cell = {log::CellKind::Value, {}, model::Term::iri("http://example.org/account/17"), property, {}};
  for (size_t i = 0; i < versions; ++i) {
    const auto value = model::Term::typed_literal(std::to_string(100 + i), "http://www.w3.org/2001/XMLSchema#integer");
    conflict.versions.push_back(
        {{{"site" + std::to_string(i), 1}, 1}, {static_cast<int64_t>(i), 0}, {}, {{property, value}}, true});
  }
  conflict.seen.assign(versions, std::vector<bool>(versions, false));
  return conflict;
}

void built_in_sum(benchmark::State& state) {
  const auto policy = policies::built_in().find("sum");
  const auto conflict = make_conflict(static_cast<size_t>(state.range(0)));
  for (auto _ : state) benchmark::DoNotOptimize(policy->resolve(conflict));
}
BENCHMARK(built_in_sum)->Arg(2)->Arg(16);

void longest_text_in_a_library(benchmark::State& state) {
  const auto policy = policies::load_policy(QUADRILLE_PLUGINS "/plugin_longest_text.so");
  const auto conflict = make_conflict(static_cast<size_t>(state.range(0)));
  for (auto _ : state) benchmark::DoNotOptimize((*policy)->resolve(conflict));
}
BENCHMARK(longest_text_in_a_library)->Arg(2)->Arg(16);

// The greatest value that a maximal version left.
void greatest_in_lua(benchmark::State& state) {
  const auto policy = policies::LuaPolicy::make(R"(
    return {
      name = "greatest", version = 1, decides = {"value"}, retention = "maximal",
      resolve = function(conflict)
        local best
        for _, version in ipairs(conflict.versions) do
          for _, statement in ipairs(version.is_maximal and version.left or {}) do
            if not best or rdf.compare(best.object, statement.object) < 0 then best = statement end
          end
        end
        return {best}
      end
    })");
  const auto conflict = make_conflict(static_cast<size_t>(state.range(0)));
  for (auto _ : state) benchmark::DoNotOptimize((*policy)->resolve(conflict));
}
BENCHMARK(greatest_in_lua)->Arg(2)->Arg(16);

}  // namespace

BENCHMARK_MAIN();
