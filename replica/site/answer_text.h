// Answers as text, in the formats of SPARQL and RDF.
#pragma once

#include "engine/base/result.h"
#include "engine/io/output_sink.h"
#include "engine/io/rdf_format.h"
#include "engine/io/result_format.h"
#include "replica/site/query.h"

namespace quadrille::replica {

// A SELECT or an ASK. Another form is a bug.
base::Result<void> write_results(Answer& answer, io::ResultFormat format, io::OutputSink& sink);
// A CONSTRUCT or a DESCRIBE. Another form is a bug.
base::Result<void> write_graph(Answer& answer, io::RdfFormat format, io::OutputSink& sink);

}  // namespace quadrille::replica
