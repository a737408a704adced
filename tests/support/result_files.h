// Reads expected answers of SPARQL tests, in every form in which the W3C has them.
#pragma once

#include <string_view>

#include "engine/base/result.h"
#include "engine/io/result_set.h"
#include "tests/support/graph.h"
#include "tests/support/w3c_suite.h"

namespace quadrille::test {

base::Result<io::ResultSet> read_xml_results(std::string_view document);
// Values are plain literals, or blank nodes where they begin with "_:": CSV says no more.
base::Result<io::ResultSet> read_csv_results(std::string_view document);
base::Result<io::ResultSet> read_tsv_results(std::string_view document);
// The vocabulary http://www.w3.org/2001/sw/DataAccess/tests/result-set# ; rows come in the order of rs:index.
base::Result<io::ResultSet> read_graph_results(const Graph& graph);

// By the ending of the file: .srx, .srj, .csv, .tsv, .ttl, .rdf.
base::Result<io::ResultSet> read_result_file(const W3cSuite& suite, const model::Term& iri);

}  // namespace quadrille::test
