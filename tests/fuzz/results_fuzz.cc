// Any bytes as SPARQL results: in JSON, whole and a solution at a time, and in XML.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "engine/io/result_reader.h"
#include "engine/io/solution_reader.h"

namespace {

struct Dropped final : quadrille::io::SolutionSink {
  quadrille::base::Result<void> add(Solution) override { return {}; }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view document(reinterpret_cast<const char*>(data), size);
  Dropped dropped;
  (void)quadrille::io::read_json_results(document);
  (void)quadrille::io::read_json_solutions(document, dropped);
  (void)quadrille::io::read_xml_solutions(document, dropped);
  return 0;
}
