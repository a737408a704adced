#include "replica/site/version_token.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "engine/model/utf8.h"

namespace quadrille::replica {
namespace {

constexpr size_t hash_digits = 2 * sizeof(ShortHash);

base::Error malformed(std::string_view entry) {
  constexpr size_t shown_max = 120;
  return {base::ErrorKind::InvalidInput,
          fmt::format("{} in a version token; expected SITE.INCARNATION:NUMBER:HASH, several joined by commas, as an "
                      "answer of a site gave it",
                      model::describe_text(entry.substr(0, shown_max))),
          {}};
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

template <class Number>
bool read_number(std::string_view text, int base, Number& number) {
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number, base);
  return error == std::errc{} && stop == end && !text.empty();
}

base::Result<VersionToken::Entry> parse_entry(std::string_view text) {
  VersionToken::Entry entry;
  const size_t colon = std::min(text.find(':'), text.size());
  auto origin = log::parse_site_id(text.substr(0, colon));
  if (!origin.ok() || colon == text.size()) return malformed(text);
  entry.changeset.origin = std::move(origin).value();
  const std::string_view rest = text.substr(colon + 1);
  const size_t second = std::min(rest.find(':'), rest.size());
  if (!read_number(rest.substr(0, second), 10, entry.changeset.seq) || entry.changeset.seq == 0) return malformed(text);
  if (second == rest.size()) return entry;
  const std::string_view digits = rest.substr(second + 1);
  ShortHash hash = 0;
  if (digits.size() != hash_digits || !read_number(digits, 16, hash)) return malformed(text);
  entry.hash = hash;
  return entry;
}

}  // namespace

ShortHash short_hash(const log::ChangesetHash& hash) noexcept {
  ShortHash value = 0;
  for (size_t i = 0; i < sizeof value; ++i) value = value << 8 | hash[i];
  return value;
}

std::string to_string(const VersionToken& token) {
  std::string text;
  for (const auto& [changeset, hash] : token.entries) {
    text += fmt::format("{}{}:{}", text.empty() ? "" : ",", log::to_string(changeset.origin), changeset.seq);
    if (hash) text += fmt::format(":{:08x}", *hash);
  }
  return text;
}

base::Result<VersionToken> parse_version_token(std::string_view text) {
  VersionToken token;
  while (true) {
    const size_t comma = std::min(text.find(','), text.size());
    const std::string_view part = trimmed(text.substr(0, comma));
    if (token.entries.size() == token_entries_max) {
      return base::Error{base::ErrorKind::InvalidInput,
                         fmt::format("a version token of more than {} entries; expected one that an answer of a site "
                                     "gave",
                                     token_entries_max),
                         {}};
    }
    if (!part.empty()) {  // a site that includes nothing gives an empty token
      QUADRILLE_ASSIGN(auto entry, parse_entry(part));
      token.entries.push_back(std::move(entry));
    }
    if (comma == text.size()) return token;
    text.remove_prefix(comma + 1);
  }
}

std::optional<ShortHash> find_logged_hash(const reconcile::SiteSnapshot& snapshot, const log::VersionVector& version,
                                          const log::ChangesetId& changeset) {
  // Of one who lacks this changeset and nothing that came before it or from elsewhere, it is the first that is missing.
  log::VersionVector all_but_this;
  for (const auto& [origin, seq] : version.entries()) {
    all_but_this.raise(origin, origin == changeset.origin ? changeset.seq - 1 : seq);
  }
  const uint64_t position = snapshot.first_missing(all_but_this);
  if (position == 0 || position > snapshot.last_position()) return std::nullopt;
  const auto header = snapshot.header_at(position);
  if (!header.ok() || header->id != changeset) return std::nullopt;
  return short_hash(header->hash);
}

VersionToken token_of(const reconcile::SiteSnapshot& snapshot) {
  VersionToken token;
  const auto version = snapshot.version_vector();
  for (const auto& [origin, seq] : version.entries()) {
    const log::ChangesetId changeset{origin, seq};
    token.entries.push_back({changeset, find_logged_hash(snapshot, version, changeset)});
  }
  return token;
}

VersionToken token_of(const log::ChangesetHeader& header) { return {{{header.id, short_hash(header.hash)}}}; }

}  // namespace quadrille::replica
