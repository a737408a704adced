#include "policies/check/history.h"

#include <array>

namespace quadrille::policies::check {

std::string site_name(size_t site) {
  static constexpr std::array<const char*, sites_max> names = {"ams", "nyc", "sgp", "gru", "jnb", "syd"};
  return names[site];
}

}  // namespace quadrille::policies::check
