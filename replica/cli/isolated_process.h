// Work in a process that may crash or hang without harm: for `quadrille policy check`.
#pragma once

#include "policies/check/bad_end.h"

namespace quadrille::cli {

// A fork for each run. It is killed when a call of the policy takes too long, or when this process ends.
class ProcessIsolation final : public policies::check::Isolation {
 public:
  base::Result<policies::check::Ending> run(const Work& work, int64_t call_ms_max, bool is_quiet) const override;
};

}  // namespace quadrille::cli
