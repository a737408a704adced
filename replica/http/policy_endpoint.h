// /policy: GET tells which policy assignment is in force, and which policies the site knows; POST brings another one
// into force, here and then at all sites. DESIGN section 4, "Policy assignment".
//
// GET answers {"number", "default_policy", "rules": [{"graph", "property", "cells", "group", "policy"}], "policies":
// [names]}. POST takes the whole assignment as TOML (replica/site/assignment_tables.h), and answers as an update does.
#pragma once

#include "replica/http/endpoint_context.h"

namespace quadrille::http {

void answer_policy(const EndpointContext& context, const std::shared_ptr<Exchange>& exchange);

}  // namespace quadrille::http
