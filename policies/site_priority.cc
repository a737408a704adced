#include "policies/site_priority.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "engine/model/utf8.h"
#include "log/site_id.h"

namespace quadrille::policies {
namespace {

std::string_view without_spaces(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

// Takes what stands before the first comma off `rest`.
std::string_view take_name(std::string_view& rest) {
  const size_t comma = rest.find(',');
  const std::string_view name = without_spaces(rest.substr(0, comma));
  rest.remove_prefix(comma == std::string_view::npos ? rest.size() : comma + 1);
  return name;
}

// How many names stand before it; behind all of them if it is none.
size_t rank_of(std::string_view site, std::string_view argument) {
  size_t rank = 0;
  while (!argument.empty() && take_name(argument) != site) ++rank;
  return rank;
}

}  // namespace

base::Result<void> SitePriority::check_argument(std::string_view argument) const {
  if (argument.empty()) return {};
  std::vector<std::string_view> names;
  bool has_more = true;
  while (has_more) {
    has_more = argument.find(',') != std::string_view::npos;
    const std::string_view site = take_name(argument);
    if (!log::check_site_name(site).ok()) {
      return base::Error{
          base::ErrorKind::InvalidInput,
          fmt::format("'{}' in the argument of '{}' is no name of a site; expected some, as in {}(ams, nyc)",
                      model::describe_text(site), name(), name()),
          {}};
    }
    if (std::find(names.begin(), names.end(), site) != names.end()) {
      return base::Error{
          base::ErrorKind::InvalidInput, fmt::format("the argument of '{}' names '{}' twice", name(), site), {}};
    }
    names.push_back(site);
  }
  return {};
}

size_t SitePriority::pick(const reconcile::Outline& outline) const {
  size_t best = outline.versions.size();
  size_t best_rank = 0;
  for (size_t i = 0; i < outline.versions.size(); ++i) {
    const reconcile::VersionOutline& version = outline.versions[i];
    if (!version.is_maximal) continue;
    const size_t rank = rank_of(version.site->name, outline.argument);
    const bool is_first = best == outline.versions.size();
    // By rank, then by name; of one name the later, as they stand by stamp and origin.
    const bool is_better =
        is_first || rank < best_rank || (rank == best_rank && version.site->name <= outline.versions[best].site->name);
    if (!is_better) continue;
    best = i;
    best_rank = rank;
  }
  return best;
}

}  // namespace quadrille::policies
