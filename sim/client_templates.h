// Updates from templates: text with %name% where a value goes that a parameter draws.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/random_stream.h"
#include "sim/scenario.h"

namespace quadrille::sim {

// The first %name% of the text that is neither a parameter nor %site% nor %number%. (A % that no word and % follow is
// just that: IRIs have them.)
std::optional<std::string> find_unknown_parameter(std::string_view text,
                                                  const std::map<std::string, Parameter>& parameters);
std::string parameter_names(const std::map<std::string, Parameter>& parameters);  // for errors
// The text with some value for each parameter, to see whether it is SPARQL.
std::string sample_of(std::string_view text, const std::map<std::string, Parameter>& parameters);

// The clients of one [[clients]] at one site.
class TemplateClients {
 public:
  // `setup` outlives it.
  TemplateClients(const ClientsSetup& setup, std::string site, RandomStream random);

  std::string next_update();
  int64_t until_next_update_us();  // never: beyond any run

 private:
  std::string draw(const std::string& name, const Parameter& parameter);
  int64_t draw_zipf(const std::string& name, const Parameter& parameter);

  const ClientsSetup& setup_;
  std::string site_;
  RandomStream random_;
  uint64_t number_ = 0;
  std::map<std::string, int64_t> counters_;
  std::map<std::string, std::vector<double>> zipf_sums_;  // by parameter: of the weights of the keys up to each
};

}  // namespace quadrille::sim
