// Experiments that tell apart why a policy does not give the same answer twice. Each asks for the same conflicts under
// two circumstances that differ in one thing alone.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "policies/check/questions.h"

namespace quadrille::policies::check {

struct Difference {
  size_t conflict = 0;  // of its list
  Answer one;
  Answer other;
};

// The conflicts of one history.
using ConflictList = std::vector<reconcile::Conflict>;
// For each list the first difference. Nothing found where another process could not be asked.
using Differences = std::vector<std::optional<Difference>>;

class Experiments {
 public:
  explicit Experiments(const Elsewhere& elsewhere) : elsewhere_(elsewhere) {}

  // Two forks of one process, at once: all memory is the same, addresses included.
  Differences at_once(std::span<const ConflictList> lists) const;
  // Two forks of one process, the second a second later.
  Differences later(std::span<const ConflictList> lists) const;
  // The same calls in processes whose memory lies elsewhere.
  Differences other_addresses(std::span<const ConflictList> lists) const;
  // The same calls in processes with another locale, time zone, user, home and working directory.
  Differences other_surroundings(std::span<const ConflictList> lists) const;
  // A second call right after the first.
  Differences second_call(std::span<const ConflictList> lists) const;
  // All conflicts of a list, forwards and backwards.
  Differences other_order(std::span<const ConflictList> lists) const;
  // The conflict after a call with all but one maximal version, as if that one came last; then as if another did.
  Differences other_arrival(std::span<const ConflictList> lists) const;
  // Whether in all such conflicts of the lists (and there are some) the answer is what the one that came last left.
  bool last_arrival_wins(std::span<const ConflictList> lists) const;

 private:
  struct Place {
    size_t list = 0;
    size_t conflict = 0;
  };
  Differences between_rounds(std::span<const ConflictList> lists, Round first, Round second) const;
  std::vector<Answer> ask(RequestWriter& questions, bool other_surroundings) const;

  const Elsewhere& elsewhere_;
};

}  // namespace quadrille::policies::check
