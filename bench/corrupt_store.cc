// Damages a store silently, to see that it is found: quadrille-corrupt DIRECTORY --erase N --insert N
//
// Quads go, and others come, in all orders, past log and window, as if they had been lost or made up. What is kept of
// their number and digest goes with them, as after a fault in reconciliation; with --hidden it does not, as after a
// write that was lost. For tests only: the directory must not be being served.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "engine/model/each_quad.h"
#include "engine/model/vocabulary.h"
#include "engine/store/store.h"

using namespace quadrille;

namespace {

struct Damage {
  std::string directory;
  uint64_t erase = 0;
  uint64_t insert = 0;
  bool last = false;
  bool hidden = false;
  uint64_t seed = 1;
};

// `count` of the store's quads, no local ones: the last ones by order of writing their subjects, or any.
std::vector<model::Quad> choose(const store::Transaction& quads, const Damage& damage, uint64_t count) {
  const auto local = quads.find_term(model::Term::iri(std::string(model::vocabulary::conflicts_graph)));
  std::vector<model::Quad> all;
  model::for_each_quad(quads, model::QuadOrder::Spog, [&](const model::Quad& quad) {
    if (!local || quad.graph != *local) all.push_back(quad);
  });
  count = std::min<uint64_t>(count, all.size());
  if (damage.last) return {all.end() - static_cast<std::ptrdiff_t>(count), all.end()};
  std::vector<model::Quad> chosen;
  std::sample(all.begin(), all.end(), std::back_inserter(chosen), count, std::mt19937_64(damage.seed));
  return chosen;
}

void do_damage(store::Transaction& quads, const Damage& damage) {
  store::StatisticsChange back;
  for (const model::Quad& quad : choose(quads, damage, damage.erase)) {
    back.add(quad, 1, quads.hasher().hash(quad));
    quads.erase(quad);
  }
  for (uint64_t i = 0; i < damage.insert; ++i) {
    const model::Quad quad{quads.intern(model::Term::iri(fmt::format("urn:corrupt:{}:{}", damage.seed, i))),
                           quads.intern(model::Term::iri("urn:corrupt")), quads.intern(model::Term::literal("made up")),
                           model::TermId::default_graph()};
    back.add(quad, -1, quads.hasher().hash(quad));
    quads.insert(quad);
  }
  if (damage.hidden) quads.correct_statistics(back);
}

int fail(const base::Error& error) {
  fmt::print(stderr, "quadrille-corrupt: {}\n", error.message);
  return 1;
}

}  // namespace

int main(int argument_count, char** arguments) {
  Damage damage;
  CLI::App app("Damages a store silently, for tests");
  app.add_option("DIRECTORY", damage.directory, "of a site that is not being served")->required();
  app.add_option("--erase", damage.erase, "so many quads are lost");
  app.add_option("--insert", damage.insert, "so many are made up");
  app.add_flag("--last", damage.last, "those that are lost are the last ones, not any");
  app.add_flag("--hidden", damage.hidden, "what the store keeps of their number and digest stays as it was");
  app.add_option("--seed", damage.seed, "chooses them")->capture_default_str();
  CLI11_PARSE(app, argument_count, arguments);
  auto opened = store::Store::open(damage.directory);
  if (!opened.ok()) return fail(opened.error());
  auto transaction = (*opened)->begin();
  const auto done = base::catch_storage_error([&]() -> base::Result<void> {
    do_damage(*transaction, damage);
    return transaction->commit();
  });
  if (!done.ok()) return fail(done.error());
  fmt::print("{}: {} quads lost, {} made up\n", damage.directory, damage.erase, damage.insert);
  return 0;
}
