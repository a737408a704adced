#include "engine/load/document.h"

#include <fmt/format.h>

namespace quadrille::load {

base::Error error_in_document(const std::string& name, const base::Error& error) {
  if (!error.position) return {error.kind, fmt::format("{}: {}", name, error.message), {}};
  const base::Position at = *error.position;
  return {error.kind, fmt::format("{}:{}:{}: {}", name, at.line, at.column, error.message), {}};
}

}  // namespace quadrille::load
