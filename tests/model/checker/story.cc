#include "tests/model/checker/story.h"

#include <fmt/format.h>

#include <algorithm>

#include "tests/model/checker/names.h"

namespace quadrille::model_check {
namespace {

class Teller {
 public:
  explicit Teller(const System& system) : system_(system), state_(system.first_state()) {}

  std::string tell(const Violation& violation) {
    for (const Action& action : violation.story) {
      const State before = state_;
      if (system_.act(state_, action)) {
        text_ += fmt::format("{:2}. {} writes once more\n", ++step_, site_name(action.site));
        continue;
      }
      text_ += fmt::format("{:2}. {}\n", ++step_, describe_action(before, action));
      add_cells(action.site);
    }
    if (violation.is_after_quiet)
      text_ += "    Then everything is delivered, each site says what it has, and all fold.\n";
    return text_ + "==> " + violation.what + "\n";
  }

 private:
  std::string describe_action(const State& before, const Action& action) const {
    const std::string_view name = site_name(action.site);
    switch (action.kind) {
      case ActionKind::Commit: return fmt::format("{} writes {}", name, describe_newest(action.site));
      case ActionKind::Take: return fmt::format("{} takes in {}", name, changeset_name(action.detail));
      case ActionKind::Beat:
        return fmt::format("{} sends a heartbeat: it has {}", name, set_name(new_heartbeat(before, action.site)));
      case ActionKind::Hear: {
        const HeartbeatUnderWay& heartbeat = before.heartbeats[action.detail];
        return fmt::format("{} hears that {} has {}", name, site_name(heartbeat.site), set_name(heartbeat.has));
      }
      case ActionKind::Settle: return fmt::format("{} folds cell {}", name, action.detail);
      case ActionKind::Flush: return fmt::format("{} makes durable what it holds", name);
      case ActionKind::Crash: return fmt::format("{} crashes, and starts from what was durable", name);
      case ActionKind::Start: return fmt::format("{} starts from a snapshot of {}", name, site_name(action.detail));
      case ActionKind::Join: return fmt::format("{} writes {}", name, describe_newest(action.site));
      case ActionKind::Evict: return fmt::format("{} writes {}", name, describe_newest(action.site));
      case ActionKind::Answer: return fmt::format("{} writes {}", name, describe_newest(action.site));
      case ActionKind::Assign: return fmt::format("{} writes {}", name, describe_newest(action.site));
    }
    return {};
  }

  std::string describe_newest(Site site) const {
    const ChangesetSet own = state_.sites[site].data.has & all_of(site);
    const auto place = static_cast<Place>(std::bit_width(own) - 1);
    const Changeset& changeset = state_.history.at(place);
    std::string text = changeset_name(place);
    const std::string last{site_name(system_.setting().last_site())};
    switch (changeset.purpose) {
      case Purpose::Join: return text + ": " + last + " joins";
      case Purpose::Eviction: return text + ": " + last + " is evicted";
      case Purpose::Answer: return text + ": its answer to the eviction of " + last;
      case Purpose::Assignment:
        return fmt::format("{}: {} instead of {}", text, name_of(system_.setting().later.front()),
                           name_of(system_.setting().policies.front()));
      case Purpose::Transaction: break;
    }
    text += fmt::format(" (stamp {}, has seen {}):", changeset.rank, set_name(changeset.seen));
    for (size_t cell = 0; cell < system_.setting().cells; ++cell) {
      const CellWrite& write = changeset.writes[cell];
      if (write.write == Write::None) continue;
      const ModelPolicy policy = system_.setting().policies.front();
      text += fmt::format(" cell {}, it saw {} and leaves {}", cell, describe(policy, write.saw[0]),
                          describe(policy, write.left[0]));
    }
    if (changeset.seen == 0 && text.ends_with(":")) text += " another cell";
    return text;
  }

  ChangesetSet new_heartbeat(const State& before, Site site) const {
    for (size_t i = 0; i < state_.heartbeat_count; ++i) {
      const HeartbeatUnderWay& heartbeat = state_.heartbeats[i];
      if (heartbeat.site != site) continue;
      const auto* old = before.heartbeats.data();
      if (std::find(old, old + before.heartbeat_count, heartbeat) == old + before.heartbeat_count) return heartbeat.has;
    }
    return 0;
  }

  void add_cells(Site site) {
    const Setting& setting = system_.setting();
    for (size_t cell = 0; cell < setting.cells; ++cell) {
      const CellState& its = state_.sites[site].data.cells[cell];
      const ModelPolicy policy = setting.policies.front();
      text_ += fmt::format("      {} shows {}; base {}, window", site_name(site),
                           describe(policy, system_.shown(state_, site, cell).content[0]),
                           describe(policy, its.base.content[0]));
      if (its.count == 0) text_ += " empty";
      for (size_t i = 0; i < its.count; ++i) text_ += " [" + set_name(its.open[i].here) + "]";
      text_ += "\n";
    }
  }

  const System& system_;
  State state_;
  std::string text_;
  size_t step_ = 0;
};

}  // namespace

std::string tell(const System& system, const Violation& violation) { return Teller(system).tell(violation); }

}  // namespace quadrille::model_check
