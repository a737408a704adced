#include "replica/http/parameters.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "engine/model/hex.h"

namespace quadrille::http {
namespace {

bool is_unreserved(char c) noexcept {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '.' ||
         c == '_' || c == '~';
}

}  // namespace

base::Result<std::string> percent_decode(std::string_view text, bool plus_is_space) {
  std::string decoded;
  decoded.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '+' && plus_is_space) {
      decoded += ' ';
    } else if (text[i] != '%') {
      decoded += text[i];
    } else {
      const int high = i + 1 < text.size() ? model::hex_digit(text[i + 1]) : -1;
      const int low = i + 2 < text.size() ? model::hex_digit(text[i + 2]) : -1;
      if (high < 0 || low < 0) {
        return base::Error{base::ErrorKind::InvalidInput,
                           fmt::format("broken escape at byte {} of a URL or form; expected % and two hex digits", i),
                           {}};
      }
      decoded += static_cast<char>(high * 16 + low);
      i += 2;
    }
  }
  return decoded;
}

std::string percent_encode(std::string_view text) {
  std::string encoded;
  for (const char c : text) {
    if (is_unreserved(c)) {
      encoded += c;
    } else {
      encoded += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return encoded;
}

base::Result<Parameters> Parameters::parse(std::string_view encoded) {
  Parameters parsed;
  while (!encoded.empty()) {
    const auto end = std::min(encoded.find('&'), encoded.size());
    const auto pair = encoded.substr(0, end);
    encoded.remove_prefix(std::min(end + 1, encoded.size()));
    if (pair.empty()) continue;
    const auto equals = std::min(pair.find('='), pair.size());
    QUADRILLE_ASSIGN(auto name, percent_decode(pair.substr(0, equals), true));
    QUADRILLE_ASSIGN(auto value, percent_decode(pair.substr(std::min(equals + 1, pair.size())), true));
    parsed.add(std::move(name), std::move(value));
  }
  return parsed;
}

void Parameters::add(std::string name, std::string value) { entries_.push_back({std::move(name), std::move(value)}); }

void Parameters::append(Parameters others) {
  for (auto& entry : others.entries_) entries_.push_back(std::move(entry));
}

std::vector<std::string> Parameters::all(std::string_view name) const {
  std::vector<std::string> found;
  for (const auto& entry : entries_) {
    if (entry.name == name) found.push_back(entry.value);
  }
  return found;
}

size_t Parameters::count(std::string_view name) const {
  return static_cast<size_t>(
      std::count_if(entries_.begin(), entries_.end(), [&](const Entry& entry) { return entry.name == name; }));
}

std::optional<std::string> Parameters::first(std::string_view name) const {
  for (const auto& entry : entries_) {
    if (entry.name == name) return entry.value;
  }
  return std::nullopt;
}

std::string Parameters::first_unknown(std::initializer_list<std::string_view> known) const {
  for (const auto& entry : entries_) {
    if (std::find(known.begin(), known.end(), entry.name) == known.end()) return entry.name;
  }
  return {};
}

}  // namespace quadrille::http
