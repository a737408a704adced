#include "engine/io/result_writer.h"

#include "engine/io/result_writers.h"

namespace quadrille::io {

std::unique_ptr<ResultWriter> make_result_writer(ResultFormat format, OutputSink& sink) {
  switch (format) {
    case ResultFormat::Json: return make_json_result_writer(sink);
    case ResultFormat::Xml: return make_xml_result_writer(sink);
    case ResultFormat::Csv: return make_csv_result_writer(sink);
    case ResultFormat::Tsv: return make_tsv_result_writer(sink);
    case ResultFormat::Table: break;
  }
  return make_table_result_writer(sink);
}

base::Result<void> write_result_set(const ResultSet& results, ResultWriter& writer) {
  if (results.boolean) return writer.write_boolean(*results.boolean);
  QUADRILLE_TRY(writer.start(results.variables));
  for (const ResultRow& row : results.rows) QUADRILLE_TRY(writer.row(row));
  return writer.finish();
}

}  // namespace quadrille::io
