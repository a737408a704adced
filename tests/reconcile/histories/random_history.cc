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
    try {
      go_through();
    } catch (const std::exception& failure) {
      outcome_.trouble = failure.what();
    }
    return outcome_;
  }

 private:
  void go_through() {
    const size_t steps = setting_.is_hot ? 40 + below(history_steps_max - 40) : 10 + below(60);
    for (size_t left = setting_.steps > 0 ? setting_.steps : steps; left > 0 && outcome_.trouble.empty(); --left)
      step();
    for (auto& site : cluster_.sites) {
      while (staged_.contains(site.get())) advance(*site);
    }
    if (outcome_.trouble.empty()) outcome_.trouble = end();
  }

  size_t below(size_t limit) { return random_() % limit; }
  void tell(const TestSite& site, const std::string& what) { outcome_.story.push_back(site.id().name + " " + what); }
  static std::string name_of(const log::ChangesetHeader& header) {
    return fmt::format("{}:{}", header.id.origin.name, header.id.seq);
  }
  static std::string names_of(const std::vector<log::ShippedChangeset>& batch) {
    std::string names;
    for (const log::ShippedChangeset& changeset : batch) names += " " + name_of(changeset.header);
    return names;
  }
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
    if (what < 75) {
      tell(site, "sends a heartbeat");
      return beats_.push_back(site.heartbeat());
    }
    if (what < 85) return hear_some(site);
    if (what >= 97) return restart(site);
    if (what >= 92 && setting_.changes_policies) return assign(site);
    if (&site == cluster_.sites.back().get()) return;
    const size_t folded = site.fold(1 + below(5)).cells_folded;
    tell(site, fmt::format("folds {} cells", folded));
    outcome_.folded_in_between += folded;
  }

  // A step of what the site is taking in.
  void advance(TestSite& site) {
    const auto place = staged_.find(&site);
    if (place == staged_.end()) return;
    tell(site, "takes in a step of " + name_of(place->second->header()));
    const auto is_in = site.try_take_step(*place->second);
    if (!is_in.ok()) {
      // Other policies came in between: it has to be taken in anew.
      if (is_in.error().kind != base::ErrorKind::Busy) throw std::runtime_error(is_in.error().message);
      give_up(site, *place->second);
      staged_.erase(place);
    } else if (*is_in) {
      staged_.erase(place);
      ++outcome_.taken_in_steps;
    }
  }

  static void give_up(TestSite& site, reconcile::StagedChangeset& staged) {
    for (bool is_done = false; !is_done;) {
      auto group = site.store->begin().value();
      is_done = group->give_up(staged).value();
      if (const auto committed = group->commit(); !committed.ok()) throw std::runtime_error(committed.error().message);
    }
  }

  // What it knew of the others is sometimes lost. What it was taking in is.
  void restart(TestSite& site) {
    staged_.erase(&site);
    site.reopen();
    const bool forgets = below(2) == 0;
    tell(site, forgets ? "starts again, and has forgotten what others have" : "starts again");
    if (forgets) site.stability = make_stability(site);
    ++outcome_.restarts;
  }

  // Mostly the newest ones, in any order, some again.
  void hear_some(TestSite& site) {
    for (size_t i = 0; i < cluster_.size() && !beats_.empty(); ++i) {
      const reconcile::Heartbeat& beat =
          beats_[beats_.size() - 1 - below(std::min(beats_.size(), 2 * cluster_.size()))];
      tell(site, fmt::format("hears heartbeat {} of {}", beat.number, beat.site.name));
      site.hear(beat);
    }
  }

  // Another assignment than the one in force; once in a while the same.
  void assign(TestSite& site) {
    const uint64_t before = site.store->snapshot()->last_position();
    const size_t variant = below(4);
    tell(site, fmt::format("assigns variant {}", variant));
    site.assign(setting_.assignment(variant));
    remember(site, before);
    ++outcome_.assignments;
  }

  TestSite::Work one_request(const TestSite& site) {
    return [this, in_force = site.store->snapshot()->assignment().assignment](
               model::QuadTarget& target) -> base::Result<void> {
      request_.write(target, in_force);
      return {};
    };
  }

  // Where it is refused by right: it was made for an assignment that another has followed. Else it throws.
  void note_refusal(const base::Error& error) {
    if (!setting_.changes_policies || error.kind != base::ErrorKind::Refused) throw std::runtime_error(error.message);
    ++outcome_.refused;
  }

  void write(TestSite& site) {
    const uint64_t before = site.store->snapshot()->last_position();
    const auto receipt = site.try_update(one_request(site));
    if (!receipt.ok()) return note_refusal(receipt.error());
    remember(site, before);
  }

  // What the site wrote behind this position.
  void remember(TestSite& site, uint64_t position) {
    const auto snapshot = site.store->snapshot();
    while (++position <= snapshot->last_position()) {
      log::ShippedChangeset changeset = snapshot->changeset_at(position).value();
      if (changeset.header.id.origin != site.id()) continue;
      tell(site, fmt::format("wrote {}, {} operations", name_of(changeset.header), changeset.header.operation_count));
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
          const auto receipt = group->update(one_request(site));
          if (!receipt.ok()) {
            note_refusal(receipt.error());
          } else if (receipt->header.id.seq > 0) {
            entered.push_back(receipt->header);
          }
        } else {
          tell(site, "takes in together with what it writes:" + names_of(batch));
          const auto report = group->apply(batch);
          if (!report.ok()) throw std::runtime_error(report.error().message);
          entered.insert(entered.end(), report->applied.begin(), report->applied.end());
        }
      }
      if (below(4) == 0) {
        tell(site, "undoes the group");
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
    tell(site, "takes in:" + names_of(batch));
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
          tell(site, "begins to take in " + name_of(header));
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
    // With policies that read other quads that depends on how far each has replayed.
    for (auto& site : cluster_.sites) {
      if (!setting_.reads_context && site->text() != before) {
        return "sites that have the same changesets hold different quads";
      }
    }
    cluster_.quiet();
    if (setting_.changes_cells) cluster_.quiet();  // older cells fold once all know of the change
    const std::string after = setting_.reads_context ? cluster_[0].text() : before;
    const auto records = cluster_[0].conflicts();
    for (auto& site : cluster_.sites) {
      const auto snapshot = site->store->snapshot();
      if (site->text() != after)
        return setting_.reads_context ? "sites hold different quads" : "folding changed what a site holds";
      if (snapshot->provisional_outcome_count() != 0) return "an outcome is not final after quiet";
      if (snapshot->window_cell_count() != 0) return "the window is not empty after quiet";
      if (snapshot->log_entry_count() != origins_that_wrote()) return "the log keeps more than it must after quiet";
      if (site->conflicts() != records) return "conflict records differ";
      if (snapshot->digest() != cluster_[0].store->snapshot()->digest()) return "digests differ";
      const auto findings = site->store->verify();
      if (!findings.empty()) return findings.front();
    }
    for (const reconcile::ConflictRecord& record : records) {
      if (record.is_provisional) return "a conflict record is not final after quiet";
      ++outcome_.conflicts_by_policy[record.policy.substr(0, record.policy.find('('))];
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

HistoryOutcome run_history(uint32_t seed, const HistorySetting& setting) { return RandomHistory(seed, setting).run(); }

}  // namespace quadrille::test
