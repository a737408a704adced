// What the endpoint is and can do, in RDF: https://www.w3.org/TR/sparql11-service-description/
#pragma once

#include "replica/http/message.h"

namespace quadrille::http {

// The answer to a GET of /sparql without parameters.
void answer_description(Exchange& exchange);

}  // namespace quadrille::http
