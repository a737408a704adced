#include "tests/model/checker/names.h"

#include <array>

namespace quadrille::model_check {

std::string_view site_name(Site site) {
  constexpr std::array<std::string_view, sites_max> names = {"ams", "nyc", "sgp"};
  return names[site];
}

std::string changeset_name(Place place) {
  return std::string(site_name(origin_of(place))) + ":" + std::to_string(place % changesets_per_site_max + 1);
}

std::string set_name(ChangesetSet set) {
  std::string text;
  for_each_place(set, [&](Place place) { text += (text.empty() ? "" : " ") + changeset_name(place); });
  return text.empty() ? "nothing" : text;
}

}  // namespace quadrille::model_check
