#include "policies/check/history_generator.h"

#include "policies/check/dice.h"

namespace quadrille::policies::check {
namespace {

// Writes one history.
class Script {
 public:
  Script(Dice dice, const ValuePool& pool, History& history, bool several_values)
      : dice_(dice), pool_(pool), history_(history), several_values_(several_values), sites_(history.sites) {
    const uint32_t families = dice_.percent(65) ? 1 : dice_.percent(60) ? 2 : 4;
    for (uint32_t i = 0; i < families; ++i) {
      palette_.push_back(static_cast<ValueFamily>(dice_.below(static_cast<uint32_t>(value_families))));
    }
  }

  void write_start() {
    if (!dice_.percent(60)) return;
    history_.start = values();
  }

  void write_events(bool lets_leave) {
    const bool joins = dice_.percent(12);
    const bool evicts = dice_.percent(10);
    const uint32_t steps = dice_.percent(30) ? dice_.between(2, 5) : dice_.between(5, lets_leave ? 16 : 12);
    for (uint32_t i = 0; i < steps; ++i) {
      const uint32_t what = dice_.below(100);
      if (what < 48) {
        add_write(any_site());
      } else if (what < 72) {
        add_receive(any_site(), any_site(), dice_.percent(70) ? 0xFF : static_cast<uint8_t>(dice_.between(1, 3)));
      } else if (what < 80) {
        exchange(any_site(), any_site());
      } else if (what < 86) {
        criss_cross();
      } else if (what < 93) {
        spread();
        add(Deed::Fold, any_site()).amount = static_cast<uint8_t>(dice_.between(1, 4));
      } else if (what < 96 && joins && sites_ < sites_max) {
        add(Deed::Join, any_site());
        ++sites_;
      } else if (what < 98 && evicts) {
        add(Deed::Evict, any_site());
      } else {
        add_write(any_site());
      }
    }
    if (joins && sites_ < sites_max) join_and_write();
    if (evicts) evict_a_writer();
  }

 private:
  uint8_t any_site() { return static_cast<uint8_t>(dice_.below(sites_)); }

  PoolValue any_value() {
    const ValueFamily family = dice_.one_of(std::span<const ValueFamily>(palette_));
    return {family, static_cast<uint8_t>(dice_.below(pool_.size_of(family)))};
  }

  std::vector<PoolValue> values() {
    const bool is_record = history_.kind == log::CellKind::Record;
    uint32_t count = is_record ? dice_.between(1, 3) : 1;
    if (several_values_ && dice_.percent(25)) count += dice_.between(1, 2);
    std::vector<PoolValue> chosen;
    for (uint32_t i = 0; i < count; ++i) chosen.push_back(any_value());
    return chosen;
  }

  Event& add(Deed deed, uint8_t site) {
    Event event;
    event.deed = deed;
    event.site = site;
    event.wait_ms = static_cast<uint8_t>(dice_.below(4));
    history_.events.push_back(std::move(event));
    return history_.events.back();
  }

  void add_write(uint8_t site) {
    const uint32_t what = dice_.below(100);
    if (history_.kind == log::CellKind::Quad) {
      add(what < 48 ? Deed::Write : what < 90 ? Deed::Delete : Deed::DoNothing, site);
    } else if (what < 9) {
      add(Deed::WriteSame, site);
    } else if (what < 20) {
      add(Deed::Delete, site);
    } else if (what < 25) {
      add(Deed::DoNothing, site);
    } else if (what < 42) {
      add(Deed::Increase, site).values = {any_value()};
    } else if (what < 52 && several_values_) {
      add(Deed::Add, site).values = values();
    } else {
      add(Deed::Write, site).values = values();
    }
  }

  void add_receive(uint8_t site, uint8_t other, uint8_t amount) {
    if (site == other) return;
    Event& event = add(Deed::Receive, site);
    event.other = other;
    event.amount = amount;
  }

  void exchange(uint8_t one, uint8_t other) {
    add_receive(one, other, 0xFF);
    add_receive(other, one, 0xFF);
  }

  // Two sites write, take each other's in, and both write again before they hear of it.
  void criss_cross() {
    const uint8_t one = any_site();
    const uint8_t other = static_cast<uint8_t>((one + 1 + dice_.below(sites_ - 1u)) % sites_);
    for (int round = 0; round < 2; ++round) {
      add_write(one);
      add_write(other);
      if (round == 0 || dice_.percent(50)) exchange(one, other);
    }
  }

  // All hear of nearly all, as in quiet minutes.
  void spread() {
    for (int round = 0; round < 2; ++round) {
      for (uint8_t site = 0; site < sites_; ++site) {
        if (dice_.percent(90)) add_receive(site, static_cast<uint8_t>((site + 1u) % sites_), 0xFF);
      }
    }
  }

  void join_and_write() {
    add(Deed::Join, any_site());
    ++sites_;
    add_write(static_cast<uint8_t>(sites_ - 1));
    add_write(any_site());
  }

  void evict_a_writer() {
    const uint8_t site = any_site();
    add_write(site);
    if (dice_.percent(60)) add_receive(any_site(), site, 1);
    add(Deed::Evict, site);
    add_write(any_site());
  }

  Dice dice_;
  const ValuePool& pool_;
  History& history_;
  bool several_values_;
  uint8_t sites_;
  std::vector<ValueFamily> palette_;
};

}  // namespace

HistoryGenerator::HistoryGenerator(const reconcile::Policy& policy, const ValuePool& pool, std::string property,
                                   std::string argument, uint64_t seed)
    : pool_(pool),
      property_(std::move(property)),
      argument_(std::move(argument)),
      seed_(seed),
      several_values_(policy.accepts_several_values()),
      lets_leave_(policy.retention() != reconcile::Retention::AllVersions) {
  for (const auto kind : {log::CellKind::Value, log::CellKind::Quad, log::CellKind::Record}) {
    if (policy.decides(kind)) kinds_.push_back(kind);
  }
}

History HistoryGenerator::make(uint64_t number) const {
  Dice dice(seed_, number);
  History history;
  history.kind = kinds_[dice.below(static_cast<uint32_t>(kinds_.size()))];
  history.property = property_;
  history.argument = argument_;
  history.sites = static_cast<uint8_t>(dice.percent(60) ? dice.between(2, 3) : dice.between(4, 5));
  const int skew = dice.percent(50) ? 0 : 20;
  for (size_t i = 0; i < sites_max; ++i) {
    history.skew_ms.push_back(
        static_cast<int8_t>(static_cast<int>(dice.between(0, static_cast<uint32_t>(2 * skew))) - skew));
  }
  history.incarnations = dice.next();
  history.neighbours = dice.next();
  Script script(Dice(dice.next()), pool_, history, several_values_);
  script.write_start();
  script.write_events(lets_leave_);
  return history;
}

}  // namespace quadrille::policies::check
