// How fast a site writes, ships, takes in and folds changesets. Seconds of processor time, so that a busy machine
// matters less; nothing waits for the disk.
// usage: reconcile_rates [QUADS [alone|stream|one|steps|small|conflicts|transition|late]]
#include <fmt/format.h>

#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <functional>

#include "bench/measuring.h"
#include "policies/built_in.h"
#include "reconcile/site_store.h"

using namespace quadrille;

namespace {

struct FixedClock final : base::WallClock {
  int64_t now_ms() const override { return 1'800'000'000'000; }
};
struct CountingRandom final : base::RandomSource {
  uint64_t next() override { return ++state; }
  uint64_t state = 0;
};

struct Bench {
  bench::ScratchDirectory directory;
  reconcile::PolicyRegistry policies = policies::built_in();
  FixedClock clock;
  CountingRandom random;

  std::unique_ptr<reconcile::SiteStore> make_site(const std::string& name, std::vector<std::string> members) {
    const auto path = directory.path() / (name + std::to_string(random.next()));
    reconcile::Assignment assignment;
    assignment.rules.push_back({{"*"}, {"http://example.org/balance"}, log::CellKind::Value, "", "sum"});
    assignment.rules.push_back({{"*"}, {"http://example.org/greatest"}, log::CellKind::Value, "", "max"});
    reconcile::SiteStoreOptions options;
    options.flush = false;
    options.map_bytes = uint64_t{1} << 36;
    const auto made =
        reconcile::SiteStore::create(path, {{name, 1}, "rates", std::move(members), assignment}, policies, options);
    QUADRILLE_CHECK(made.ok(), "a site cannot be made");
    return reconcile::SiteStore::open(path, {policies, clock, random}, options).value();
  }
};

void report(const std::string& what, size_t count, const char* unit, const std::function<void()>& work) {
  const std::clock_t start = std::clock();
  work();
  const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  fmt::print("{:58} {:9} {:9} {:7.2f} s {:10.0f}/s\n", what, count, unit, seconds,
             static_cast<double>(count) / seconds);
  std::fflush(stdout);
}

// Ten quads a subject, some objects shared, some not.
model::TermQuad quad_at(size_t i, const std::string& name) {
  using model::Term;
  const size_t subject = i / 10;
  const size_t property = i % 10;
  Term object = property < 3 ? Term::iri(fmt::format("http://example.org/type{}", (subject * 7 + property) % 1000))
                : property < 6
                    ? Term::typed_literal(std::to_string(i % 5000), "http://www.w3.org/2001/XMLSchema#integer")
                    : Term::literal(fmt::format("text number {} that a person might have written", i));
  return {Term::iri(fmt::format("http://example.org/{}/thing{}", name, subject)),
          Term::iri(fmt::format("http://example.org/property{}", property)), std::move(object), std::nullopt};
}

void insert(model::QuadTarget& target, size_t from, size_t to, const std::string& name, bool exists = true) {
  for (size_t i = from; i < to; ++i) {
    const model::TermQuad quad = quad_at(i, name);
    const model::Quad ids{target.intern(quad.subject), target.intern(quad.predicate), target.intern(quad.object),
                          model::TermId::default_graph()};
    exists ? target.insert(ids) : target.erase(ids);
  }
}

void update(reconcile::SiteStore& site, const std::function<void(model::QuadTarget&)>& work) {
  auto group = site.begin().value();
  const auto receipt = group->update([&](model::QuadTarget& target) -> base::Result<void> {
    work(target);
    return {};
  });
  QUADRILLE_CHECK(receipt.ok() && group->commit().ok(), "an update failed");
}

std::vector<log::ShippedChangeset> ship_all(const reconcile::SiteStore& site) {
  const auto snapshot = site.snapshot();
  std::vector<log::ShippedChangeset> changesets;
  for (uint64_t at = 1; at <= snapshot->last_position(); ++at) {
    changesets.push_back(snapshot->changeset_at(at).value());
  }
  return changesets;
}

void take_in(reconcile::SiteStore& site, const std::vector<log::ShippedChangeset>& changesets) {
  for (const auto& changeset : changesets) {
    auto group = site.begin().value();
    const auto applied = group->apply({&changeset, 1});
    if (!applied.ok()) fmt::print("{}\n", applied.error().message);
    QUADRILLE_CHECK(applied.ok() && group->commit().ok(), "a changeset was not taken in");
  }
}

void fold(reconcile::SiteStore& site) {
  for (bool is_done = false; !is_done;) {
    auto group = site.begin().value();
    is_done = group->fold({group->version_vector(), {}}, 5000)->is_done;
    QUADRILLE_CHECK(group->commit().ok(), "a fold failed");
  }
  QUADRILLE_CHECK(site.snapshot()->window_cell_count() == 0, "a window is not empty");
}

void stream(Bench& bench, size_t quads, size_t each) {
  const auto ams = bench.make_site("ams", {"ams", "nyc"});
  const auto nyc = bench.make_site("nyc", {"ams", "nyc"});
  const std::string what = fmt::format("changesets of {}: ", each);
  report(what + "local", quads, "quads", [&] {
    for (size_t at = 0; at < quads; at += each) {
      update(*ams, [&](model::QuadTarget& target) { insert(target, at, std::min(quads, at + each), "a"); });
    }
  });
  std::vector<log::ShippedChangeset> changesets;
  report(what + "read for shipping", quads, "quads", [&] { changesets = ship_all(*ams); });
  report(what + "taken in", quads, "quads", [&] { take_in(*nyc, changesets); });
  report(what + "folded", quads, "cells", [&] { fold(*nyc); });
  QUADRILLE_CHECK(nyc->snapshot()->digest() == ams->snapshot()->digest(), "two sites differ");
}

// One large changeset, taken in step by step into a store that holds as much already; the longest step is what another
// request may have to wait for it.
void steps(Bench& bench, size_t quads) {
  const auto ams = bench.make_site("ams", {"ams", "nyc"});
  const auto nyc = bench.make_site("nyc", {"ams", "nyc"});
  update(*nyc, [&](model::QuadTarget& target) { insert(target, 0, quads, "b"); });
  update(*ams, [&](model::QuadTarget& target) { insert(target, 0, quads, "a"); });
  std::unique_ptr<reconcile::StagedChangeset> staged = nyc->stage(std::move(ship_all(*ams).front()));
  size_t count = 0;
  double longest_ms = 0, last_ms = 0;
  report(fmt::format("a changeset of {}: taken in by steps", quads), quads, "quads", [&] {
    for (bool is_in = false; !is_in; ++count) {
      const std::clock_t start = std::clock();
      auto group = nyc->begin().value();
      const auto step = group->apply_step(*staged);
      QUADRILLE_CHECK(step.ok() && group->commit().ok(), "a step failed");
      is_in = step->has_value();
      last_ms = static_cast<double>(std::clock() - start) * 1000 / CLOCKS_PER_SEC;
      longest_ms = std::max(longest_ms, last_ms);
    }
  });
  fmt::print("  {} steps, the longest {:.1f} ms, the last {:.1f} ms\n", count, longest_ms, last_ms);
  QUADRILLE_CHECK(nyc->snapshot()->quad_count() == 2 * quads, "the store lacks quads");
}

void conflicts(Bench& bench, size_t quads) {
  const auto ams = bench.make_site("ams", {"ams", "nyc"});
  const auto nyc = bench.make_site("nyc", {"ams", "nyc"});
  for (size_t at = 0; at < quads; at += 10'000) {
    update(*ams, [&](model::QuadTarget& target) { insert(target, at, std::min(quads, at + 10'000), "a"); });
    update(*nyc, [&](model::QuadTarget& target) { insert(target, at, std::min(quads, at + 10'000), "a", false); });
  }
  const auto changesets = ship_all(*ams);
  report("every cell in conflict: taken in", quads, "cells", [&] { take_in(*nyc, changesets); });
  report("every cell in conflict: folded", quads, "cells", [&] { fold(*nyc); });
}

// A changeset of another site writes many quads of one subject while that property's cells change here.
void transition(Bench& bench, size_t quads) {
  const auto ams = bench.make_site("ams", {"ams", "nyc"});
  const auto nyc = bench.make_site("nyc", {"ams", "nyc"});
  update(*ams, [&](model::QuadTarget& target) {
    for (size_t i = 0; i < quads; ++i) {
      target.insert({target.intern(model::Term::iri("http://example.org/thing")),
                     target.intern(model::Term::iri("http://example.org/tag")),
                     target.intern(model::Term::literal(std::to_string(i))), model::TermId::default_graph()});
    }
  });
  auto group = nyc->begin().value();
  const reconcile::AssignmentRule tags{{"*"}, {"http://example.org/tag"}, log::CellKind::Value, "", "max"};
  const auto assigned = group->assign({{tags}, "add-wins"});
  QUADRILLE_CHECK(assigned.ok() && group->commit().ok(), "an assignment failed");
  group.reset();
  const auto changesets = ship_all(*ams);
  report("quads of one subject, their cells in transition: taken in", quads, "quads",
         [&] { take_in(*nyc, changesets); });
}

// One site writes a cell again and again; another, which knew nothing of that, twice.
void late(Bench& bench, size_t versions, const std::string& property) {
  const auto ams = bench.make_site("ams", {"ams", "nyc"});
  const auto nyc = bench.make_site("nyc", {"ams", "nyc"});
  const auto write = [&](reconcile::SiteStore& site, size_t value) {
    update(site, [&](model::QuadTarget& target) {
      target.insert(
          {target.intern(model::Term::iri("http://example.org/thing")),
           target.intern(model::Term::iri("http://example.org/" + property)),
           target.intern(model::Term::typed_literal(std::to_string(value), "http://www.w3.org/2001/XMLSchema#integer")),
           model::TermId::default_graph()});
    });
  };
  for (size_t i = 0; i < versions; ++i) write(*ams, i);
  for (size_t i = 0; i < 2; ++i) write(*nyc, i);
  const auto changesets = ship_all(*nyc);
  for (const auto& changeset : changesets) {
    report(fmt::format("a version ({}) that comes late to so many", property), versions, "versions",
           [&] { take_in(*ams, {changeset}); });
  }
}

}  // namespace

int main(int argc, char** argv) {
  const size_t quads = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 1'000'000;
  const std::string only = argc > 2 ? argv[2] : "";
  const auto wanted = [&](const char* part) { return only.empty() || only == part; };
  Bench bench;
  if (wanted("alone")) {
    const auto alone = bench.make_site("ams", {"ams"});
    report("changesets of 10000, no other member: local", quads, "quads", [&] {
      for (size_t at = 0; at < quads; at += 10'000) {
        update(*alone, [&](model::QuadTarget& target) { insert(target, at, std::min(quads, at + 10'000), "a"); });
      }
    });
  }
  if (wanted("stream")) stream(bench, quads, 10'000);
  if (wanted("one")) stream(bench, quads, quads);
  if (wanted("steps")) steps(bench, quads);
  if (wanted("small")) stream(bench, quads / 20, 10);
  if (wanted("conflicts")) conflicts(bench, quads / 10);
  if (wanted("transition")) transition(bench, quads / 1'000);
  if (wanted("late")) {
    late(bench, quads / 250, "balance");  // under sum
    late(bench, quads / 250, "greatest");
  }
  return 0;
}
