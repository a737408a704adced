// How fast a file is parsed, on one core: parse_speed FILE...
#include <fmt/format.h>

#include <ctime>
#include <memory>
#include <vector>

#include "bench/measuring.h"
#include "engine/io/rdf_parser.h"

using namespace quadrille;

namespace {

class CountingSink final : public io::QuadSink {
 public:
  base::Result<void> add(const model::TermQuadView& quad, uint64_t) override {
    ++quads;
    bytes += quad.subject.text.size() + quad.predicate.text.size() + quad.object.text.size();
    return {};
  }
  uint64_t quads = 0;
  uint64_t bytes = 0;
};

int measure(const std::string& file) {
  const auto format = io::rdf_format_by_file_name(file);
  auto input = io::open_input(file);
  if (!format || !input) {
    fmt::print(stderr, "{}: {}\n", file, format ? input.error().message : "expected .nt, .nq, .ttl, .trig or .rdf");
    return 1;
  }
  bench::FixedBits random;
  model::BlankNodeScope blank_nodes(random);
  CountingSink sink;
  const std::clock_t start = std::clock();
  const auto parsed = io::parse_rdf(*format, **input, {}, blank_nodes, sink);
  const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  if (!parsed) {
    const base::Position position = parsed.error().position.value_or(base::Position{});
    fmt::print(stderr, "{}:{}:{}: {}\n", file, position.line, position.column, parsed.error().message);
    return 1;
  }
  fmt::print("{}: {} quads, {:.2f} s of one core, {:.2f} M quads/s, {:.0f} MB/s of terms\n", file, sink.quads, seconds,
             static_cast<double>(sink.quads) / seconds / 1e6, static_cast<double>(sink.bytes) / seconds / 1e6);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  int status = 0;
  for (int i = 1; i < argc; ++i) status |= measure(argv[i]);
  return status;
}
