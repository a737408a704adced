// The parameters of a URL's query and of application/x-www-form-urlencoded bodies.
// https://url.spec.whatwg.org/#application/x-www-form-urlencoded
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"

namespace quadrille::http {

class Parameters {
 public:
  struct Entry {
    std::string name;
    std::string value;
  };
  // InvalidInput: a broken percent escape.
  static base::Result<Parameters> parse(std::string_view encoded);
  void add(std::string name, std::string value);
  void append(Parameters others);

  std::vector<std::string> all(std::string_view name) const;  // in order
  size_t count(std::string_view name) const;
  std::optional<std::string> first(std::string_view name) const;
  // The first name that is none of those; empty if all are.
  std::string first_unknown(std::initializer_list<std::string_view> known) const;
  const std::vector<Entry>& entries() const noexcept { return entries_; }  // in order

 private:
  std::vector<Entry> entries_;
};

// "%41" -> "A"; with `plus_is_space` as forms have it.
base::Result<std::string> percent_decode(std::string_view text, bool plus_is_space);
// Everything but letters, digits and "-._~" becomes an escape.
std::string percent_encode(std::string_view text);

}  // namespace quadrille::http
