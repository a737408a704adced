// What may happen next, and what it does.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tests/model/checker/state.h"

namespace quadrille::model_check {

enum class ActionKind : uint8_t {
  Commit,  // detail: which of the menu; rank
  Take,    // detail: place of the changeset
  Beat,    // a heartbeat is sent
  Hear,    // detail: which of those under way
  Settle,  // detail: cell
  Flush,   // what the site holds is durable from here on
  Crash,   // and a start from what was durable
  Start,   // the last site starts from a snapshot; detail: whose
  Join,    // the sponsor writes the joining changeset
  Evict,   // of the last site
  Answer,  // to the eviction
  Assign,  // other policies
};

struct Action {
  ActionKind kind = ActionKind::Commit;
  Site site = 0;
  uint8_t detail = 0;
  uint8_t rank = 0;

  friend bool operator==(const Action&, const Action&) = default;
};

class System {
 public:
  explicit System(const Setting& setting);

  State first_state() const;
  // Whatever may happen. A fixed order.
  void find_actions(const State& state, std::vector<Action>& actions) const;
  // Does it. Returns what went wrong in the doing.
  std::optional<std::string> act(State& state, const Action& action) const;

  // Whether a site shows what an oracle shows that keeps everything, conflict records included; else what differs.
  std::optional<std::string> check_site(const State& state, Site site) const;
  // Goes on until nothing is left to deliver, to hear and to fold, and says what is not as it should be then.
  std::optional<std::string> check_after_quiet(State state) const;

  const Setting& setting() const { return setting_; }
  Outcome shown(const State& state, Site site, size_t cell) const;

 private:
  void find_transactions(const State& state, Site site, std::vector<Action>& actions) const;
  void find_deliveries(const State& state, Site site, std::vector<Action>& actions) const;
  void find_heartbeats(const State& state, Site site, std::vector<Action>& actions) const;
  void find_membership(const State& state, Site site, std::vector<Action>& actions) const;

  std::optional<std::string> issue(State& state, Site site, Changeset changeset) const;
  std::optional<std::string> commit(State& state, const Action& action) const;
  void enter(State& state, Site site, Place place) const;
  void beat(State& state, Site site) const;
  void settle(State& state, Site site, size_t cell) const;
  void crash(State& state, Site site) const;
  void start_from(State& state, Site sponsor) const;
  void tidy(State& state) const;
  bool go_on_quietly(State& state) const;

  bool is_durable(const State& state, Site site) const;
  bool may_write(const State& state, Site site) const;
  ChangesetSet offered_to(const State& state, Site site) const;
  ChangesetSet heartbeat_of(const State& state, Site site) const;
  ChangesetSet find(const State& state, ChangesetSet among, Purpose purpose) const;
  bool has_answered(const State& state, ChangesetSet has, Site site) const;
  bool is_eviction_complete(const State& state, ChangesetSet has) const;
  bool counts(const State& state, Site site, Site member) const;
  ChangesetSet stable_at(const State& state, Site site) const;
  uint8_t newest_common_rank(const State& state, Site site) const;
  uint8_t number_in_force(const State& state, Site site) const;

  Setting setting_;
  std::vector<CellRules> rules_;  // by cell
};

}  // namespace quadrille::model_check
