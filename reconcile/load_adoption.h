// The entering of a load that was built aside (engine/load/prepared_load.h).
#pragma once

#include <span>
#include <string>

#include "engine/load/prepared_load.h"
#include "reconcile/staged_load.h"
#include "reconcile/writing.h"

namespace quadrille::reconcile {

// See WriteGroup::adopt. After an error the transaction is to be dropped.
base::Result<CommitReceipt> adopt_load(Writing& writing, LmdbStagedLoad& staged, load::PreparedLoad& load,
                                       std::span<const std::string> names);

}  // namespace quadrille::reconcile
