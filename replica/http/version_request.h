// What a request says of the version that it wants to be answered by. DESIGN section 3, guarantee 4.
//
//   Quadrille-Version: ams.ff103bb15e44e09e:12:9f86d081     a version token (replica/site/version_token.h), as an
//   answer
//                                                           carried it; several, joined by commas or as several headers
//   Quadrille-Wait-Ms: 2000                                 how long to wait for it; without it [limits]
//   version_wait_ms
//                                                           of site.toml, and never longer than version_wait_ms_max
//
// Answered by a state that includes it; else 400: malformed; 409: it can never be, a crash undid what it names; 503:
// not within that time, too many wait, or the site stops.
#pragma once

#include <optional>

#include "engine/base/result.h"
#include "replica/http/message.h"
#include "replica/site/site_config.h"
#include "replica/site/version_token.h"

namespace quadrille::http {

inline constexpr char version_field[] = "Quadrille-Version";
inline constexpr char wait_field[] = "Quadrille-Wait-Ms";

struct VersionRequest {
  replica::VersionToken token;
  int64_t patience_ms = 0;
};

// Nothing: any state will do. InvalidInput, in one line.
base::Result<std::optional<VersionRequest>> read_version_request(const Request& request,
                                                                 const replica::SiteLimits& limits);

}  // namespace quadrille::http
