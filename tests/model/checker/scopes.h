// Which part of all that may happen is tried. docs/proofs.md says what each covers.
#pragma once

#include "tests/model/checker/rules.h"

namespace quadrille::model_check {

enum class Size : uint8_t { Short, Full };  // Short: for the test suite, in seconds

// Each scope once for each retention, with all policies of it.
std::vector<Setting> scopes(Size size);
// A small scope that shows what a broken rule leads to.
Setting scope_of(BrokenRule rule);
// Policies of one retention.
std::vector<ModelPolicy> policies_with(Retention retention);

}  // namespace quadrille::model_check
