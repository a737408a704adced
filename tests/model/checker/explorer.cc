#include "tests/model/checker/explorer.h"

#include <xxhash.h>

#include <algorithm>

#include "engine/base/check.h"

namespace quadrille::model_check {
namespace {

// Hashes, each with the number of its state. Open addressing.
class SeenStates {
 public:
  SeenStates() : slots_(1 << 16) {}

  // The state's number; `is_new` where it was not there.
  uint32_t add(uint64_t hash, bool& is_new) {
    if (2 * (count_ + 1) > slots_.size()) grow();
    Slot& slot = find(hash);
    is_new = slot.number == 0;
    if (is_new) slot = {hash, static_cast<uint32_t>(++count_)};
    return slot.number - 1;
  }
  uint64_t size() const { return count_; }

 private:
  struct Slot {
    uint64_t hash = 0;
    uint32_t number = 0;  // from 1
  };
  Slot& find(uint64_t hash) {
    size_t at = hash & (slots_.size() - 1);
    while (slots_[at].number != 0 && slots_[at].hash != hash) at = (at + 1) & (slots_.size() - 1);
    return slots_[at];
  }
  void grow() {
    std::vector<Slot> old(2 * slots_.size());
    old.swap(slots_);
    for (const Slot& slot : old) {
      if (slot.number != 0) find(slot.hash) = slot;
    }
  }

  std::vector<Slot> slots_;
  uint64_t count_ = 0;
};

// States of one distance from the first, encoded.
struct Level {
  std::vector<uint8_t> bytes;
  std::vector<size_t> ends;
  std::vector<uint32_t> numbers;

  void add(const std::vector<uint8_t>& state, uint32_t number) {
    bytes.insert(bytes.end(), state.begin(), state.end());
    ends.push_back(bytes.size());
    numbers.push_back(number);
  }
  std::span<const uint8_t> at(size_t index) const {
    const size_t start = index == 0 ? 0 : ends[index - 1];
    return {bytes.data() + start, ends[index] - start};
  }
  void clear() {
    bytes.clear();
    ends.clear();
    numbers.clear();
  }
};

class Explorer {
 public:
  Explorer(const System& system, uint64_t states_max) : system_(system), states_max_(states_max) {}

  Finding run() {
    const State first = system_.first_state();
    reach(first, 0, {});
    for (Level now; !next_.ends.empty() && !finding_.violation; ++finding_.coverage.longest_story) {
      now.clear();
      std::swap(now, next_);
      for (size_t i = 0; i < now.ends.size() && !finding_.violation; ++i) expand(now.at(i), now.numbers[i]);
      if (seen_.size() > states_max_) {
        finding_.coverage.is_complete = false;
        break;
      }
    }
    finding_.coverage.states = seen_.size();
    finding_.coverage.histories = compared_.size();
    return std::move(finding_);
  }

 private:
  struct Origin {
    uint32_t before = 0;
    Action action;
  };

  void expand(std::span<const uint8_t> bytes, uint32_t number) {
    const State state = decode(system_.setting(), bytes);
    system_.find_actions(state, actions_);
    if (actions_.empty()) {
      ++finding_.coverage.ends;
      if (const auto trouble = system_.check_after_quiet(state)) report(*trouble, number, std::nullopt);
    }
    for (const Action& action : actions_) {
      ++finding_.coverage.transitions;
      after_ = state;
      auto trouble = system_.act(after_, action);
      if (!trouble && changes_data(action.kind)) trouble = check(action.site);
      if (trouble) return report(*trouble, number, action);
      reach(after_, number, action);
    }
  }

  static bool changes_data(ActionKind kind) {
    return kind != ActionKind::Beat && kind != ActionKind::Hear && kind != ActionKind::Flush;
  }

  // The others hold what they held.
  std::optional<std::string> check(Site site) {
    bool is_new = false;
    compared_.add(fingerprint(system_.setting(), after_, site, encoded_), is_new);
    if (!is_new) return std::nullopt;
    return system_.check_site(after_, site);
  }

  void reach(const State& state, uint32_t before, const Action& action) {
    encode(system_.setting(), state, encoded_);
    bool is_new = false;
    const uint32_t number = seen_.add(XXH3_64bits(encoded_.data(), encoded_.size()), is_new);
    if (!is_new) return;
    origins_.push_back({before, action});
    next_.add(encoded_, number);
  }

  void report(const std::string& what, uint32_t number, const std::optional<Action>& last) {
    Violation violation{what, {}, !last.has_value()};
    if (last) violation.story.push_back(*last);
    for (; number != 0; number = origins_[number].before) violation.story.push_back(origins_[number].action);
    std::reverse(violation.story.begin(), violation.story.end());
    finding_.violation = std::move(violation);
  }

  const System& system_;
  uint64_t states_max_;
  Finding finding_;
  SeenStates seen_;
  SeenStates compared_;
  std::vector<Origin> origins_;  // by number of the state
  Level next_;
  std::vector<Action> actions_;
  State after_;
  std::vector<uint8_t> encoded_;
};

}  // namespace

Finding explore(const System& system, uint64_t states_max) { return Explorer(system, states_max).run(); }

}  // namespace quadrille::model_check
