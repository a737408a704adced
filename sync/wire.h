// Values to messages and back. What comes in is checked: InvalidInput says what is wrong with it. A message that is
// broken as such (pointers that lead nowhere, too deep) makes the reading throw a kj::Exception.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "engine/base/result.h"
#include "log/site_id.h"
#include "log/stamp.h"
#include "log/version_vector.h"
#include "reconcile/stability.h"
#include "sync/sync.capnp.h"

namespace quadrille::sync {

void write_site(const log::SiteId& site, wire::SiteId::Builder to);
base::Result<log::SiteId> read_site(wire::SiteId::Reader from);

void write_vector(const log::VersionVector& vector, wire::Vector::Builder to);
base::Result<log::VersionVector> read_vector(wire::Vector::Reader from);

void write_heartbeat(const reconcile::Heartbeat& heartbeat, wire::Heartbeat::Builder to);
base::Result<reconcile::Heartbeat> read_heartbeat(wire::Heartbeat::Reader from);

// `init` is a callable that makes the list: [&](unsigned size) { return builder.initDirect(size); }
template <class Init>
void write_sites(const std::set<log::SiteId>& sites, Init init) {
  auto list = init(static_cast<unsigned>(sites.size()));
  unsigned i = 0;
  for (const auto& site : sites) write_site(site, list[i++]);
}
base::Result<std::set<log::SiteId>> read_sites(capnp::List<wire::SiteId>::Reader from);

// Text of a peer, made fit for a line of ours: bounded, without control characters.
std::string one_line(std::string_view text);

base::Error broken_rule(std::string what);

}  // namespace quadrille::sync
