// The policies of the model: the built-in ones, said a second time in a few lines each, and three that stand for any
// deterministic policy whatever, as their answer is a hash of all that a policy of their kind may look at.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "tests/model/checker/history.h"

namespace quadrille::model_check {

enum class ModelPolicy : uint8_t {
  AddWins,
  DeleteWins,
  LastWriterWins,
  FirstWriterWins,
  Max,
  Min,
  SitePriority,
  KeepAll,
  Union,
  Sum,
  HistoryHash,  // looks at all versions, how they relate, and the base
  MaximalHash,  // looks at the maximal versions and the base
  SettledHash,  // looks at all but the versions that each maximal one has seen, and at the base
};

// Which versions of a component that is still open may leave the window. DESIGN section 4, "Hot cells".
enum class Retention : uint8_t {
  AllVersions,
  MaximalVersions,         // what a stable version has seen leaves
  UnlessStableAndAllSeen,  // what is causally stable and seen by each maximal version leaves
};

std::string_view name_of(ModelPolicy policy);
std::span<const ModelPolicy> all_model_policies();
Retention retention_of(ModelPolicy policy);

// What a cell holds before anything is written.
Content first_content(ModelPolicy policy);
// What a write leaves in a cell that holds `saw`.
Content left_by(ModelPolicy policy, Write write, Content saw);
// In words.
std::string describe(ModelPolicy policy, Content content);

// The outcome of a component of at least two versions. `in_order`: by stamp.
Content resolve(ModelPolicy policy, size_t index, const History& history, size_t cell, Content base,
                std::span<const Place> in_order, ChangesetSet maximal);

// Spreads what is to be told apart over all 64 bits.
uint64_t mix(uint64_t hash, uint64_t value);

}  // namespace quadrille::model_check
