// What a policy from a file may be called.
#pragma once

#include <string_view>

#include "engine/base/result.h"

namespace quadrille::policies {

// A name that an assignment can hold: 1 to 63 of a-z, 0-9 and '-'. Else InvalidInput, which says so.
base::Result<void> check_policy_name(std::string_view name);

}  // namespace quadrille::policies
