#include "policies/sum.h"

#include "engine/model/value.h"

namespace quadrille::policies {
namespace {

using reconcile::Conflict;
using reconcile::Content;
using reconcile::Version;

// Nothing for what is not exactly one number.
std::optional<model::Value> number_of(const Content& content) {
  if (content.size() != 1) return std::nullopt;
  model::Value value = model::value_of(content.front().object);
  if (!value.is_numeric()) return std::nullopt;
  return value;
}

std::optional<size_t> find_start(const Conflict& conflict) {
  for (size_t i = 0; i < conflict.versions.size(); ++i) {
    if (conflict.versions[i].is_maximal && !conflict.versions[i].left.empty()) return i;
  }
  return std::nullopt;
}

// What a version changed.
std::optional<model::Value> difference(const Version& version) {
  const auto left = number_of(version.left);
  const auto saw = version.saw.empty() ? model::Value::integer(0) : number_of(version.saw);
  if (!left || !saw) return std::nullopt;
  return model::subtract(*left, *saw);
}

// Nothing where it cannot be computed.
std::optional<Content> sum_from(const Conflict& conflict, size_t start) {
  const Content& first = conflict.versions[start].left;
  std::optional<model::Value> total = number_of(first);
  bool is_start_alone = true;
  for (size_t i = 0; i < conflict.versions.size() && total; ++i) {
    if (i == start || conflict.versions[i].left.empty() || conflict.seen[start][i]) continue;
    const auto change = difference(conflict.versions[i]);
    if (!change) return std::nullopt;
    total = model::add(*total, *change);
    is_start_alone = false;
  }
  if (is_start_alone) return first;
  if (!total) return std::nullopt;
  return Content{{first.front().property, model::to_term(*total)}};
}

}  // namespace

reconcile::Decision Sum::resolve(const Conflict& conflict) const {
  const auto start = find_start(conflict);
  if (!start) return {};
  if (auto content = sum_from(conflict, *start)) return {std::move(*content)};
  return {conflict.versions.back().left};
}

}  // namespace quadrille::policies
