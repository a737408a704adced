#include "reconcile/site_identity.h"

#include <fmt/format.h>

#include <algorithm>

#include "log/bytes.h"
#include "log/field_codec.h"

namespace quadrille::reconcile {
namespace {

constexpr uint8_t format_of_founders = 1;
constexpr uint8_t format_of_copies = 2;

base::Error invalid(std::string message) { return {base::ErrorKind::InvalidInput, std::move(message), {}}; }

}  // namespace

base::Result<void> check_identity(const SiteIdentity& identity, const PolicyRegistry& policies) {
  QUADRILLE_TRY(log::check_site_name(identity.site.name));
  for (const std::string& member : identity.members) QUADRILLE_TRY(log::check_site_name(member));
  const auto& members = identity.members;
  if (!std::is_sorted(members.begin(), members.end()) ||
      std::adjacent_find(members.begin(), members.end()) != members.end()) {
    return invalid("the members of a cluster are not sorted, or one is named twice");
  }
  if (!std::binary_search(members.begin(), members.end(), identity.site.name)) {
    return invalid(fmt::format("site '{}' is not among the members {}", identity.site.name, fmt::join(members, ", ")));
  }
  return identity.assignment.check(policies);
}

std::string encode(const SiteIdentity& identity) {
  std::string bytes;
  log::ByteWriter writer(bytes);
  writer.byte(identity.is_copy ? format_of_copies : format_of_founders);
  log::write_site(writer, identity.site);
  writer.sized(identity.cluster);
  writer.varint(identity.members.size());
  for (const std::string& member : identity.members) writer.sized(member);
  writer.sized(encode(identity.assignment));
  return bytes;
}

base::Result<SiteIdentity> decode_identity(std::string_view bytes) {
  log::ByteReader reader(bytes);
  const uint8_t format = reader.byte();
  if (format != format_of_founders && format != format_of_copies) reader.fail();
  SiteIdentity identity;
  identity.is_copy = format == format_of_copies;
  identity.site = log::read_site(reader);
  identity.cluster = reader.sized();
  for (uint64_t left = reader.count(1); left > 0 && reader.ok(); --left) identity.members.emplace_back(reader.sized());
  const std::string_view assignment = reader.sized();
  if (!reader.ok() || !reader.at_end()) {
    return base::Error{base::ErrorKind::Corruption, "the store's record of who it is is damaged", {}};
  }
  QUADRILLE_ASSIGN(identity.assignment, decode_assignment(assignment));
  return identity;
}

}  // namespace quadrille::reconcile
