#include "replica/cli/trouble.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "engine/load/document.h"

namespace quadrille::cli {
namespace {

void print_line(std::string message) {
  std::replace(message.begin(), message.end(), '\n', ' ');
  fmt::print(stderr, "quadrille: {}\n", message);
}

}  // namespace

int report(const base::Error& error) {
  print_line(error.position
                 ? fmt::format("line {}, column {}: {}", error.position->line, error.position->column, error.message)
                 : error.message);
  return Failed;
}

void print_notice(const std::string& message) { print_line(message); }

int report_usage(const std::string& message) {
  print_line(message);
  return UsedWrongly;
}

base::Error error_in_text(const std::string& where, const base::Error& error) {
  return error.position ? load::error_in_document(where, error) : error;
}

}  // namespace quadrille::cli
