// Of which site a certificate is: its subject alternative names of type DNS (RFC 5280 section 4.2.1.6) are looked at,
// and nothing else. Whether it may be trusted is OpenSSL's to say.
#pragma once

#include <openssl/x509.h>

#include <functional>
#include <string>
#include <vector>

#include "engine/base/result.h"

namespace quadrille::replica {

using IsMember = std::function<bool(const std::string& site_name)>;

// DNS names that could be sites' names; others are left out.
std::vector<std::string> site_names_of(X509* certificate);
// The one member that the certificate names. Refused: none, or more than one, in one line that goes on after "its
// certificate".
base::Result<std::string> member_of(X509* certificate, const IsMember& is_member);
// "2027-12-01T00:00:00Z", when it ends.
std::string end_of(X509* certificate);

}  // namespace quadrille::replica
