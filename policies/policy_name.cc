#include "policies/policy_name.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/model/utf8.h"

namespace quadrille::policies {

base::Result<void> check_policy_name(std::string_view name) {
  constexpr size_t name_max = 63;
  const auto fits = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'; };
  if (!name.empty() && name.size() <= name_max && std::all_of(name.begin(), name.end(), fits)) return {};
  return base::Error{
      base::ErrorKind::InvalidInput,
      fmt::format("its name is '{}'; expected 1 to {} of a-z, 0-9 and '-'", model::describe_text(name), name_max),
      {}};
}

}  // namespace quadrille::policies
