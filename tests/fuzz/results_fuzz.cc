// Any bytes as SPARQL results in JSON.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "engine/io/result_reader.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  (void)quadrille::io::read_json_results({reinterpret_cast<const char*>(data), size});
  return 0;
}
