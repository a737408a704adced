#include "replica/transport/certificate_names.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <ctime>

#include "log/site_id.h"
#include "replica/transport/openssl_handles.h"

namespace quadrille::replica {

std::vector<std::string> site_names_of(X509* certificate) {
  std::vector<std::string> found;
  const NamesHandle names(
      static_cast<GENERAL_NAMES*>(X509_get_ext_d2i(certificate, NID_subject_alt_name, nullptr, nullptr)));
  for (int i = 0; names && i < sk_GENERAL_NAME_num(names.get()); ++i) {
    const GENERAL_NAME* name = sk_GENERAL_NAME_value(names.get(), i);
    if (name->type != GEN_DNS) continue;
    const auto* bytes = reinterpret_cast<const char*>(ASN1_STRING_get0_data(name->d.dNSName));
    std::string text(bytes, static_cast<size_t>(ASN1_STRING_length(name->d.dNSName)));
    if (log::check_site_name(text).ok()) found.push_back(std::move(text));
  }
  return found;
}

base::Result<std::string> member_of(X509* certificate, const IsMember& is_member) {
  constexpr size_t shown_max = 4;
  auto names = site_names_of(certificate);
  std::vector<std::string> members;
  for (const auto& name : names) {
    if (is_member(name)) members.push_back(name);
  }
  if (members.size() == 1) return std::move(members.front());
  auto& shown = members.empty() ? names : members;
  const bool is_shortened = shown.size() > shown_max;
  if (is_shortened) shown.resize(shown_max);
  return base::Error{base::ErrorKind::Refused,
                     fmt::format("names {} ({}{}); expected one member of the cluster as a DNS name",
                                 members.empty() ? "no member" : "several members",
                                 shown.empty() ? "no site at all" : fmt::format("{}", fmt::join(shown, ", ")),
                                 is_shortened ? ", ..." : ""),
                     {}};
}

std::string end_of(X509* certificate) {
  std::tm end{};
  if (ASN1_TIME_to_tm(X509_get0_notAfter(certificate), &end) != 1) return "?";
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", end);
}

}  // namespace quadrille::replica
