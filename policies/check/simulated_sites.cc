#include "policies/check/simulated_sites.h"

#include <optional>

#include "engine/model/value.h"
#include "policies/check/concurrency.h"
#include "policies/check/dice.h"
#include "policies/check/generated_context.h"
#include "policies/check/simulated_site.h"

namespace quadrille::policies::check {
namespace {

using reconcile::Conflict;
using reconcile::Content;
using reconcile::Retention;

constexpr int64_t first_ms = 1'767'225'600'000;  // 2026-01-01
constexpr size_t record_parts = 3;

void sort_content(Content& content) {
  std::sort(content.begin(), content.end());
  content.erase(std::unique(content.begin(), content.end()), content.end());
}

class Player {
 public:
  Player(const History& history, const reconcile::Policy& policy, const ValuePool& pool);
  Played run();

 private:
  void play(const Event& event);
  void write(const Event& event);
  void receive(const Event& event);
  void fold(size_t site, size_t limit);
  void join(const Event& event);
  void evict(const Event& event);
  void finish();

  size_t there() const;
  void add_changeset(SimulatedSite& site, size_t number, uint8_t version, uint8_t joins);
  void take(SimulatedSite& site, size_t changeset);
  void learn(SimulatedSite& site, const SimulatedSite& other, size_t number);
  bool is_stable(size_t site, size_t version) const;
  bool is_stable_set(size_t site, uint64_t set) const;
  uint64_t may_leave(size_t site, uint64_t component, const Content& base);

  Content evaluate(size_t site, uint64_t window, Content base, bool after_fold);
  Content resolve(size_t site, const Content& base, uint64_t component, bool after_fold);
  Conflict make_conflict(const Content& base, uint64_t component) const;
  std::optional<Content> left_by(const Event& event, const Content& saw, size_t site) const;
  Content written(const Event& event, const Content& saw) const;
  const model::Term& part(size_t number) const { return parts_[number % parts_.size()]; }

  const History& history_;
  const reconcile::Policy& policy_;
  const ValuePool& pool_;
  reconcile::CellName cell_;
  std::vector<model::Term> parts_;
  std::vector<log::SiteId> ids_;
  std::array<SimulatedSite, sites_max> sites_;
  std::array<int, sites_max> joined_by_{};  // changeset + 1
  std::array<uint16_t, sites_max> cut_{};
  size_t sites_count_ = 0;
  std::vector<SimulatedChangeset> changesets_;
  int64_t now_ms_ = first_ms;
  size_t event_ = 0;
  Played played_;
};

Player::Player(const History& history, const reconcile::Policy& policy, const ValuePool& pool)
    : history_(history), policy_(policy), pool_(pool), cell_(cell_of(history, pool)), sites_count_(history.sites) {
  if (history.kind == log::CellKind::Record) {
    for (const char* name : {"#street", "#city", "#since"}) parts_.push_back(model::Term::iri(history.property + name));
  } else {
    parts_.push_back(cell_.property);
  }
  Dice dice(history.incarnations);
  for (size_t i = 0; i < sites_max; ++i) ids_.push_back({site_name(i), dice.next()});
  Event start;
  start.values = history.start;
  const Content base = written(start, {});
  for (size_t i = 0; i < sites_count_; ++i) {
    sites_[i].is_there = true;
    sites_[i].base = base;
  }
  if (policy.reads_context()) {
    played_.context = std::make_unique<GeneratedContext>(history.neighbours, cell_.subject, cell_.property);
  }
}

Played Player::run() {
  for (; event_ < history_.events.size(); ++event_) play(history_.events[event_]);
  finish();
  return std::move(played_);
}

void Player::play(const Event& event) {
  now_ms_ += event.wait_ms;
  if (event.site >= sites_count_ || !sites_[event.site].is_there) return;
  switch (event.deed) {
    case Deed::Receive: return receive(event);
    case Deed::Fold: return fold(event.site, event.amount);
    case Deed::Join: return join(event);
    case Deed::Evict: return evict(event);
    default: return write(event);
  }
}

size_t Player::there() const {
  return static_cast<size_t>(
      std::count_if(sites_.begin(), sites_.end(), [](const auto& site) { return site.is_there; }));
}

void Player::add_changeset(SimulatedSite& site, size_t number, uint8_t version, uint8_t joins) {
  const int64_t wall = now_ms_ + history_.skew_ms[number];
  site.clock =
      wall > site.clock.physical_ms ? log::Stamp{wall, 0} : log::Stamp{site.clock.physical_ms, site.clock.counter + 1};
  ++site.has.seqs[number];
  site.log.push_back(static_cast<uint16_t>(changesets_.size()));
  changesets_.push_back({static_cast<uint8_t>(number), site.has.seqs[number], site.clock, site.has, version, joins});
  site.known[number] = site.has;
}

void Player::write(const Event& event) {
  SimulatedSite& site = sites_[event.site];
  if (played_.versions.size() == versions_max) return;
  const Content saw = evaluate(event.site, site.window, site.base, site.has_folded);
  auto left = left_by(event, saw, event.site);
  const bool is_quad = history_.kind == log::CellKind::Quad;
  if (!left || *left == saw) {
    ++played_.no_ops;
    if (!left || !is_quad) return;
  }
  const auto number = static_cast<uint8_t>(played_.versions.size());
  add_changeset(site, event.site, number, SimulatedChangeset::none);
  PlayedVersion version{
      {{ids_[event.site], site.has.seqs[event.site]}, site.clock, is_quad ? Content{} : saw, std::move(*left)},
      site.seen,
      event.site,
      event_};
  played_.versions.push_back(std::move(version));
  site.seen |= bit(number);
  site.window |= bit(number);
}

// Nothing: there is nothing to write.
std::optional<Content> Player::left_by(const Event& event, const Content& saw, size_t site) const {
  if (history_.kind == log::CellKind::Quad) {
    if (event.deed == Deed::DoNothing) return saw;
    if (event.deed == Deed::Delete) return Content{};
    return Content{{cell_.property, *cell_.object}};
  }
  switch (event.deed) {
    case Deed::DoNothing: return saw;
    case Deed::Delete: return Content{};
    case Deed::WriteSame: {
      const std::vector<uint8_t> order = in_order(played_.versions, sites_[site].seen);
      for (auto newest = order.rbegin(); newest != order.rend(); ++newest) {
        if (played_.versions[*newest].site != site) return played_.versions[*newest].version.left;
      }
      return std::nullopt;
    }
    default: return written(event, saw);
  }
}

Content Player::written(const Event& event, const Content& saw) const {
  Content content;
  if (history_.kind == log::CellKind::Quad) {
    if (!event.values.empty()) content.push_back({cell_.property, *cell_.object});
    return content;
  }
  if (event.deed == Deed::Increase && saw.size() == 1 && !event.values.empty()) {
    const auto sum = model::add(model::value_of(saw.front().object), model::value_of(pool_.at(event.values.front())));
    if (sum) return {{saw.front().property, model::to_term(*sum)}};
  }
  if (event.deed == Deed::Add || history_.kind == log::CellKind::Record) content = saw;
  if (event.deed != Deed::Add && history_.kind == log::CellKind::Record) {
    for (size_t i = 0; i < event.values.size(); ++i) {
      std::erase_if(content, [&](const auto& statement) { return statement.property == part(i); });
    }
  }
  for (size_t i = 0; i < event.values.size(); ++i) content.push_back({part(i), pool_.at(event.values[i])});
  sort_content(content);
  return content;
}

void Player::take(SimulatedSite& site, size_t number) {
  const SimulatedChangeset& changeset = changesets_[number];
  site.has.seqs[changeset.site] = changeset.seq;
  site.known[changeset.site].merge(changeset.after);
  site.log.push_back(static_cast<uint16_t>(number));
  site.clock = std::max(site.clock, changeset.stamp);
  if (changeset.version == SimulatedChangeset::none) return;
  site.seen |= bit(changeset.version);
  site.window |= bit(changeset.version);
}

// A heartbeat of the other site, and those that it has had, once all that they name is here.
void Player::learn(SimulatedSite& site, const SimulatedSite& other, size_t number) {
  site.known[number].merge(other.has);
  for (size_t i = 0; i < sites_max; ++i) site.known[i].merge(other.known[i]);
}

void Player::receive(const Event& event) {
  if (event.other >= sites_count_ || event.other == event.site || !sites_[event.other].is_there) return;
  SimulatedSite& site = sites_[event.site];
  const SimulatedSite& other = sites_[event.other];
  size_t room = event.amount;
  for (const uint16_t number : other.log) {
    const SimulatedChangeset& changeset = changesets_[number];
    if (site.has.covers(changeset.site, changeset.seq)) continue;
    if (room == 0) return;
    --room;
    take(site, number);
  }
  learn(site, other, event.other);
}

// What every site that counts here is known to have.
bool Player::is_stable(size_t number, size_t version) const {
  const SimulatedSite& site = sites_[number];
  const log::ChangesetId& id = played_.versions[version].version.id;
  const size_t origin = played_.versions[version].site;
  for (size_t i = 0; i < sites_count_; ++i) {
    if (i == number) continue;
    if (!sites_[i].is_there && site.has.covers(i, cut_[i])) continue;  // evicted, and all of its own is here
    if (i >= history_.sites) {
      const SimulatedChangeset& joining = changesets_[static_cast<size_t>(joined_by_[i]) - 1];
      if (!site.has.covers(joining.site, joining.seq)) continue;  // not a member yet, as far as is known here
    }
    if (!site.known[i].covers(origin, static_cast<uint16_t>(id.seq))) return false;
  }
  return true;
}

bool Player::is_stable_set(size_t site, uint64_t set) const {
  for (; set != 0; set &= set - 1) {
    if (!is_stable(site, static_cast<size_t>(std::countr_zero(set)))) return false;
  }
  return true;
}

// The versions that may leave without parting what stays.
uint64_t Player::may_leave(size_t site, uint64_t component, const Content& base) {
  const uint64_t others = component & ~maximal_of(played_.versions, component);
  if (policy_.retention() == Retention::MaximalVersions) return others;
  if (policy_.retention() != Retention::AsItSays) return 0;
  uint64_t leaving = 0;
  for (uint64_t rest = others; rest != 0; rest &= rest - 1) {
    const auto version = static_cast<size_t>(std::countr_zero(rest));
    const uint64_t staying = component & ~leaving;
    if (!is_stable(site, version)) continue;
    if (components_of(played_.versions, staying & ~bit(version)).size() != 1) continue;
    const std::vector<uint8_t> order = in_order(played_.versions, staying);
    const auto place = static_cast<size_t>(std::find(order.begin(), order.end(), version) - order.begin());
    if (policy_.may_leave(make_conflict(base, staying), place)) leaving |= bit(version);
  }
  return leaving;
}

void Player::fold(size_t number, size_t limit) {
  SimulatedSite& site = sites_[number];
  size_t folded = 0;
  bool leads = true;
  for (uint64_t component : components_of(played_.versions, site.window)) {
    leads = leads && folded < limit && is_stable_set(number, component);
    if (leads) {
      site.base = resolve(number, site.base, component, site.has_folded);
      site.window &= ~component;
      site.has_folded = true;
      ++folded;
      if (event_ < history_.events.size()) played_.folded += static_cast<uint32_t>(std::popcount(component));
    } else if (std::popcount(component) > 2) {
      const uint64_t leaving = may_leave(number, component, site.base);
      site.window &= ~leaving;
      if (event_ < history_.events.size()) played_.left_window += static_cast<uint32_t>(std::popcount(leaving));
    }
  }
}

void Player::join(const Event& event) {
  if (sites_count_ == sites_max) return;
  SimulatedSite& sponsor = sites_[event.site];
  const size_t number = sites_count_++;
  add_changeset(sponsor, event.site, SimulatedChangeset::none, static_cast<uint8_t>(number));
  joined_by_[number] = static_cast<int>(changesets_.size());
  sites_[number] = sponsor;
  ++played_.joins;
}

void Player::evict(const Event& event) {
  if (there() <= 2) return;
  sites_[event.site].is_there = false;
  for (size_t i = 0; i < sites_count_; ++i) {  // what only it had of those evicted before is gone too
    if (sites_[i].is_there) continue;
    cut_[i] = 0;
    for (const SimulatedSite& site : sites_) {
      if (site.is_there) cut_[i] = std::max(cut_[i], site.has.seqs[i]);
    }
  }
  ++played_.evictions;
}

void Player::finish() {
  Event all;
  all.deed = Deed::Receive;
  all.amount = 0xFF;
  for (int round = 0; round < 3; ++round) {
    for (all.site = 0; all.site < sites_count_; ++all.site) {
      for (all.other = 0; all.other < sites_count_; ++all.other) {
        if (sites_[all.site].is_there) receive(all);
      }
    }
  }
  uint64_t everything = 0;
  for (size_t i = 0; i < sites_count_; ++i) {
    SimulatedSite& site = sites_[i];
    if (!site.is_there) continue;
    everything = site.seen;
    SiteEnd end{static_cast<uint8_t>(i), evaluate(i, site.window, site.base, site.has_folded), {}};
    fold(i, sites_max * versions_max);
    end.content = evaluate(i, site.window, site.base, site.has_folded);
    played_.ends.push_back(std::move(end));
  }
  Event start;
  start.values = history_.start;
  played_.expected = evaluate(0, everything, written(start, {}), false);
}

Content Player::evaluate(size_t site, uint64_t window, Content base, bool after_fold) {
  for (const uint64_t component : components_of(played_.versions, window)) {
    base = resolve(site, base, component, after_fold);
  }
  return base;
}

Content Player::resolve(size_t site, const Content& base, uint64_t component, bool after_fold) {
  if (std::has_single_bit(component)) {
    return played_.versions[static_cast<size_t>(std::countr_zero(component))].version.left;
  }
  for (const PlayedConflict& met : played_.conflicts) {
    if (met.members == component && met.conflict.base == base) return outcome(met.conflict, met.answer);
  }
  PlayedConflict met{make_conflict(base, component), component, {}, event_, static_cast<uint8_t>(site), after_fold};
  met.answer = ask(policy_, met.conflict);
  Content content = outcome(met.conflict, met.answer);
  played_.conflicts.push_back(std::move(met));
  return content;
}

Conflict Player::make_conflict(const Content& base, uint64_t component) const {
  Conflict conflict{cell_, base, {}, {}, history_.argument, played_.context.get()};
  const uint64_t maximal = maximal_of(played_.versions, component);
  const std::vector<uint8_t> order = in_order(played_.versions, component);
  for (const uint8_t number : order) {
    conflict.versions.push_back(played_.versions[number].version);
    conflict.versions.back().is_maximal = contains(maximal, number);
    std::vector<bool>& row = conflict.seen.emplace_back();
    for (const uint8_t other : order) row.push_back(contains(played_.versions[number].seen, other));
  }
  return conflict;
}

}  // namespace

reconcile::CellName cell_of(const History& history, const ValuePool& pool) {
  reconcile::CellName cell;
  cell.kind = history.kind;
  cell.subject = model::Term::iri("http://example.org/subject");
  cell.property = model::Term::iri(history.property);
  if (history.kind == log::CellKind::Quad) cell.object = pool.at({ValueFamily::String, 0});
  return cell;
}

Played play(const History& history, const reconcile::Policy& policy, const ValuePool& pool) {
  return Player(history, policy, pool).run();
}

}  // namespace quadrille::policies::check
