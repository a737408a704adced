// How a cell came to be what it is, told in lines for a person.
#pragma once

#include <string>

#include "engine/model/quad.h"
#include "reconcile/policy.h"
#include "sim/checks/oracle.h"

namespace quadrille::checks {

std::string text_of(const model::TermQuad& quad);
std::string text_of(const reconcile::Content& content);
std::string text_of(const log::ChangesetId& id);  // "ams:12"

// Who wrote the cell of `quad`, when, having seen whom, and what the oracle makes of it. `oracle` knows the cell or
// not.
std::string story_of(const model::TermQuad& quad, const Oracle& oracle);
std::string story_of(const OracleCell& cell);

}  // namespace quadrille::checks
