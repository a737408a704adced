// Who a store is, as bytes in its metadata.
#pragma once

#include <string>
#include <string_view>

#include "engine/base/result.h"
#include "reconcile/site_store.h"

namespace quadrille::reconcile {

inline constexpr std::string_view identity_name = "site.identity";

// InvalidInput: no such site name, the site is not among the members, an assignment that the policies do not fit.
base::Result<void> check_identity(const SiteIdentity& identity, const PolicyRegistry& policies);
std::string encode(const SiteIdentity& identity);
base::Result<SiteIdentity> decode_identity(std::string_view bytes);

}  // namespace quadrille::reconcile
