// Texts of any depth.
#pragma once

#include <string>
#include <string_view>

namespace quadrille::test {

inline std::string repeat(std::string_view part, int times) {
  std::string out;
  for (int i = 0; i < times; ++i) out += part;
  return out;
}

struct Nest {
  const char* head;
  const char* open;
  const char* middle;
  const char* close;
  const char* tail;
};

inline std::string text_of(const Nest& nest, int depth) {
  return nest.head + repeat(nest.open, depth) + nest.middle + repeat(nest.close, depth) + nest.tail;
}

}  // namespace quadrille::test
