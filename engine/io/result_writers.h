// One maker a format; make_result_writer chooses.
#pragma once

#include <memory>

#include "engine/io/result_writer.h"

namespace quadrille::io {

std::unique_ptr<ResultWriter> make_json_result_writer(OutputSink& sink);
std::unique_ptr<ResultWriter> make_xml_result_writer(OutputSink& sink);
std::unique_ptr<ResultWriter> make_csv_result_writer(OutputSink& sink);
std::unique_ptr<ResultWriter> make_tsv_result_writer(OutputSink& sink);
std::unique_ptr<ResultWriter> make_table_result_writer(OutputSink& sink);

}  // namespace quadrille::io
