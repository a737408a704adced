// What a random update request does to the cells of a history: writes of all kinds, few subjects, so that sites
// contend.
#pragma once

#include <random>

#include "engine/model/quad_source.h"
#include "tests/reconcile/histories/history_setting.h"

namespace quadrille::test {

class RandomRequest {
 public:
  RandomRequest(std::mt19937& random, const HistorySetting& setting, const reconcile::PolicyRegistry& registry);

  // One request: mostly a few operations, sometimes some dozens. Refused only where a cell has more values than it may
  // have, from before it was one cell. `in_force`: at the site.
  void write(model::QuadTarget& target, const reconcile::Assignment& in_force);

 private:
  size_t below(size_t limit) { return random_() % limit; }
  void write_quad(model::QuadTarget& target);
  void write_value(model::QuadTarget& target, const reconcile::Assignment& in_force);
  void write_record(model::QuadTarget& target);
  void clear(model::QuadTarget& target);
  // Erases what there is, and writes it again or something else or nothing.
  void change(model::QuadTarget& target, const model::Quad& place, bool may_leave_two);
  model::Quad any_place(model::QuadTarget& target, const std::string& property);
  model::Term any_object();

  std::mt19937& random_;
  const HistorySetting& setting_;
  const reconcile::PolicyRegistry& registry_;
};

}  // namespace quadrille::test
