// The offline check of a site: its store (engine/store/verify.h), then log, window and quads against each other.
#pragma once

#include <string>
#include <vector>

#include "reconcile/writing.h"

namespace quadrille::reconcile {

// Each finding is one line; none: all is well.
std::vector<std::string> verify_site(const store::Store& store, const SiteTables& tables,
                                     const PolicyRegistry& policies, model::TermId conflicts_graph);

}  // namespace quadrille::reconcile
