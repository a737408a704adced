#include "tests/reconcile/histories/random_history.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <random>

#include "tests/reconcile/histories/random_request.h"
#include "tests/reconcile/site_fixture.h"
#include "tests/reconcile/test_policies.h"

namespace quadrille::test {
namespace {

// Wrong: calls everything stable that is here.
struct IgnoresStability final : reconcile::Stability {
  using Stability::Stability;
  log::VersionVector stable(const log::VersionVector& own) const override { return own; }
};

// Wrong: counts a heartbeat at once, though it names changesets that are not here yet.
struct BelievesAtOnce final : reconcile::Stability {
  using Stability::Stability;
  void on_heartbeat(const reconcile::Heartbeat& heartbeat, const log::VersionVector&) override {
    known_[heartbeat.site.name].merge(heartbeat.vector);
  }
};

class RandomHistory {
 public:
  RandomHistory(uint32_t seed, const HistorySetting& setting)
      : random_(seed),
        setting_(setting),
        registry_(all_policies()),
        cluster_(2 + seed % 3, setting.assignment(), all_policies),
        request_(random_, setting_, registry_) {
    for (size_t i = 0; i < cluster_.size(); ++i) {
      TestSite& site = cluster_[i];
      constexpr std::array choices = {Ranges::Off, Ranges::All, Ranges::OfTwo};
      const Ranges ranges = setting.ranges == Ranges::Mixed ? choices[(seed / 3 + i) % choices.size()] : setting.ranges;
      site.set_large_changeset_min(static_cast<uint64_t>(ranges));
      site.clock.now += static_cast<int64_t>(below(40)) - 20;
      site.stability = make_stability(site);
    }
  }

  HistoryOutcome run() {
    const size_t steps = setting_.is_hot ? 40 + below(history_steps_max - 40) : 10 + below(60);
    for (size_t left = setting_.steps > 0 ? setting_.steps : steps; left > 0 && outcome_.trouble.empty(); --left)
      step();
    for (auto& site : cluster_.sites) {
      while (staged_.contains(site.get())) advance(*site);
    }
    if (outcome_.trouble.empty()) outcome_.trouble = end();
    return outcome_;
  }

 private:
  size_t below(size_t limit) { return random_() % limit; }
  TestSite& any_site() { return cluster_[below(cluster_.size())]; }

  std::unique_ptr<reconcile::Stability> make_stability(const TestSite& site) const {
    const std::set<std::string> members(cluster_.world.members.begin(), cluster_.world.members.end());
    switch (setting_.stability) {
      case StabilityRule::IgnoresStability: return std::make_unique<IgnoresStability>(site.id(), members);
      case StabilityRule::BelievesAtOnce: return std::make_unique<BelievesAtOnce>(site.id(), members);
      case StabilityRule::AsItShouldBe: break;
    }
    return std::make_unique<reconcile::Stability>(site.id(), members);
  }

  void step() {
    TestSite& site = any_site();
    site.clock.now += static_cast<int64_t>(below(4));
    for (size_t steps = below(6); steps > 0; --steps) advance(site);
    const size_t what = below(100);
    if (what < 28) return write(site);
    if (what < 54) return deliver(site);
    if (what < 60) return share_a_commit(site);
    if (what < 75) return beats_.push_back(site.heartbeat());
    if (what < 85) return hear_some(site);
    if (what >= 97) return restart(site);
    if (&site == cluster_.sites.back().get()) return;
    outcome_.folded_in_between += site.fold(1 + below(5)).cells_folded;
  }

  // A step of what the site is taking in.
  void advance(TestSite& site) {
    const auto place = staged_.find(&site);
    if (place == staged_.end()) return;
    if (!site.take_step(*place->second)) return;
    staged_.erase(place);
    ++outcome_.taken_in_steps;
  }

  // What it knew of the others is sometimes lost. What it was taking in is.
  void restart(TestSite& site) {
    staged_.erase(&site);
    site.reopen();
    if (below(2) == 0) site.stability = make_stability(site);
    ++outcome_.restarts;
  }

  // Mostly the newest ones, in any order, some again.
  void hear_some(TestSite& site) {
    for (size_t i = 0; i < cluster_.size() && !beats_.empty(); ++i) {
      site.hear(beats_[beats_.size() - 1 - below(std::min(beats_.size(), 2 * cluster_.size()))]);
    }
  }

  base::Result<void> write_once(model::QuadTarget& target) {
    request_.write(target);
    return {};
  }

  void write(TestSite& site) {
    const uint64_t before = site.store->snapshot()->last_position();
    site.update([&](model::QuadTarget& target) { return write_once(target); });
    remember(site, before);
  }

  // What the site wrote behind this position.
  void remember(TestSite& site, uint64_t position) {
    const auto snapshot = site.store->snapshot();
    while (++position <= snapshot->last_position()) {
      log::ShippedChangeset changeset = snapshot->changeset_at(position).value();
      if (changeset.header.id.origin != site.id()) continue;
      written_.push_back(std::move(changeset));
      ++outcome_.changesets;
    }
  }

  // Requests and deliveries in one commit, or in one that never comes.
  void share_a_commit(TestSite& site) {
    const uint64_t before = site.store->snapshot()->last_position();
    const std::vector<log::ShippedChangeset> batch = choose_batch(site);
    std::vector<log::ChangesetHeader> entered;
    {
      auto group = site.store->begin().value();
      for (size_t parts = 2 + below(3); parts > 0; --parts) {
        if (below(2) == 0) {
          const auto receipt = group->update([&](model::QuadTarget& target) { return write_once(target); });
          if (!receipt.ok()) throw std::runtime_error(receipt.error().message);
          if (receipt->header.id.seq > 0) entered.push_back(receipt->header);
        } else {
          const auto report = group->apply(batch);
          if (!report.ok()) throw std::runtime_error(report.error().message);
          entered.insert(entered.end(), report->applied.begin(), report->applied.end());
        }
      }
      if (below(4) == 0) {
        ++outcome_.undone_commits;
        return;
      }
      if (const auto committed = group->commit(); !committed.ok()) throw std::runtime_error(committed.error().message);
    }
    for (const log::ChangesetHeader& header : entered) site.stability->on_changeset(header);
    remember(site, before);
    ++outcome_.shared_commits;
  }

  void deliver(TestSite& site) {
    const std::vector<log::ShippedChangeset> batch = choose_batch(site);
    site.apply(batch);
  }

  // Some changesets that could enter now, in any order that agrees with causality, some of them again.
  std::vector<log::ShippedChangeset> choose_batch(TestSite& site) {
    const log::VersionVector at_first = site.store->snapshot()->version_vector();
    log::VersionVector have = at_first;
    std::vector<log::ShippedChangeset> batch;
    for (size_t wanted = 1 + below(6); wanted > 0; --wanted) {
      std::vector<const log::ShippedChangeset*> ready;
      for (const log::ShippedChangeset& changeset : written_) {
        const log::ChangesetHeader& header = changeset.header;
        if (!have.covers(header.dependencies) || header.id.seq > have.at(header.id.origin) + 1) continue;
        const bool is_new = !have.covers(header.id.origin, header.id.seq);
        if (const auto place = staged_.find(&site); place != staged_.end()) {
          if (place->second->header().id == header.id) continue;
        } else if (is_new && site.store->is_large(header) && have == at_first && below(2) == 0) {
          staged_[&site] = site.store->stage(changeset);
          continue;
        }
        if (is_new || below(8) == 0) ready.push_back(&changeset);
      }
      if (ready.empty()) break;
      batch.push_back(as_passed_on(*ready[below(ready.size())]));
      have.raise(batch.back().header.id.origin, batch.back().header.id.seq);
    }
    return batch;
  }

  // As some site that has it would send it: the same bytes, whoever does.
  log::ShippedChangeset as_passed_on(const log::ShippedChangeset& changeset) {
    const auto snapshot = any_site().store->snapshot();
    for (uint64_t position = snapshot->last_position(); position > 0; --position) {
      const auto header = snapshot->header_at(position);
      if (!header.ok()) continue;  // let go
      if (header->id != changeset.header.id) continue;
      auto copy = snapshot->changeset_at(position);
      if (!copy.ok()) continue;
      if (copy->chunks != changeset.chunks || copy->header.hash != changeset.header.hash) {
        outcome_.trouble = fmt::format("{} {} is not the same bytes at every site",
                                       to_string(changeset.header.id.origin), changeset.header.id.seq);
      }
      return std::move(copy).value();
    }
    return changeset;
  }

  // Of each the log keeps the last changeset, for the hash chain.
  size_t origins_that_wrote() {
    const log::VersionVector all = cluster_[0].store->snapshot()->version_vector();
    return static_cast<size_t>(std::count_if(cluster_.sites.begin(), cluster_.sites.end(),
                                             [&](const auto& site) { return all.at(site->id()) > 0; }));
  }

  std::string end() {
    cluster_.exchange();
    const std::string before = cluster_[0].text();
    for (auto& site : cluster_.sites) {
      if (site->text() != before) return "sites that have the same changesets hold different quads";
    }
    cluster_.quiet();
    const auto records = cluster_[0].conflicts();
    for (auto& site : cluster_.sites) {
      const auto snapshot = site->store->snapshot();
      if (site->text() != before) return "folding changed what a site holds";
      if (snapshot->window_cell_count() != 0) return "the window is not empty after quiet";
      if (snapshot->log_entry_count() != origins_that_wrote()) return "the log keeps more than it must after quiet";
      if (site->conflicts() != records) return "conflict records differ";
      if (snapshot->digest() != cluster_[0].store->snapshot()->digest()) return "digests differ";
      const auto findings = site->store->verify();
      if (!findings.empty()) return findings.front();
    }
    for (const reconcile::ConflictRecord& record : records) {
      if (record.is_provisional) return "a conflict record is not final after quiet";
      ++outcome_.conflicts_by_policy[record.policy];
    }
    outcome_.conflicts = records.size();
    return {};
  }

  std::mt19937 random_;
  const HistorySetting setting_;
  const reconcile::PolicyRegistry registry_;
  Cluster cluster_;
  RandomRequest request_;
  HistoryOutcome outcome_;
  std::vector<log::ShippedChangeset> written_;
  std::vector<reconcile::Heartbeat> beats_;
  std::map<TestSite*, std::unique_ptr<reconcile::StagedChangeset>> staged_;  // looked up only
};

}  // namespace

HistoryOutcome run_history(uint32_t seed, const HistorySetting& setting) {
  try {
    return RandomHistory(seed, setting).run();
  } catch (const std::exception& failure) {
    HistoryOutcome outcome;
    outcome.trouble = failure.what();
    return outcome;
  }
}

}  // namespace quadrille::test
