#include "sync/wire.h"

#include "sync/protocol.h"

namespace quadrille::sync {

namespace {

constexpr size_t line_length_max = 300;

std::string_view view(capnp::Text::Reader text) { return {text.begin(), text.size()}; }

}  // namespace

base::Error broken_rule(std::string what) { return {base::ErrorKind::InvalidInput, std::move(what), std::nullopt}; }

std::string one_line(std::string_view text) {
  std::string line(text.substr(0, line_length_max));
  for (char& c : line) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = ' ';
  }
  return line;
}

void write_site(const log::SiteId& site, wire::SiteId::Builder to) {
  to.setName(site.name.c_str());
  to.setIncarnation(site.incarnation);
}

base::Result<log::SiteId> read_site(wire::SiteId::Reader from) {
  QUADRILLE_TRY(log::check_site_name(view(from.getName())));
  return log::SiteId{std::string(view(from.getName())), from.getIncarnation()};
}

void write_vector(const log::VersionVector& vector, wire::Vector::Builder to) {
  auto entries = to.initEntries(static_cast<unsigned>(vector.entries().size()));
  unsigned i = 0;
  for (const auto& [site, seq] : vector.entries()) {
    auto entry = entries[i++];
    write_site(site, entry.initSite());
    entry.setSeq(seq);
  }
}

base::Result<log::VersionVector> read_vector(wire::Vector::Reader from) {
  const auto entries = from.getEntries();
  if (entries.size() > vector_entries_max) return broken_rule("a version vector of more than 4096 sites");
  log::VersionVector vector;
  for (const auto entry : entries) {
    QUADRILLE_ASSIGN(const log::SiteId site, read_site(entry.getSite()));
    const bool is_sorted = vector.empty() || vector.entries().back().first < site;
    if (!is_sorted || entry.getSeq() == 0) return broken_rule("a version vector that is not in its normal form");
    vector.raise(site, entry.getSeq());
  }
  return vector;
}

void write_heartbeat(const reconcile::Heartbeat& heartbeat, wire::Heartbeat::Builder to) {
  write_site(heartbeat.site, to.initSite());
  to.setNumber(heartbeat.number);
  auto stamp = to.initStamp();
  stamp.setPhysicalMs(heartbeat.stamp.physical_ms);
  stamp.setCounter(heartbeat.stamp.counter);
  write_vector(heartbeat.vector, to.initVector());
}

base::Result<reconcile::Heartbeat> read_heartbeat(wire::Heartbeat::Reader from) {
  reconcile::Heartbeat heartbeat;
  QUADRILLE_ASSIGN(heartbeat.site, read_site(from.getSite()));
  heartbeat.number = from.getNumber();
  heartbeat.stamp = {from.getStamp().getPhysicalMs(), from.getStamp().getCounter()};
  QUADRILLE_ASSIGN(heartbeat.vector, read_vector(from.getVector()));
  return heartbeat;
}

base::Result<std::set<log::SiteId>> read_sites(capnp::List<wire::SiteId>::Reader from) {
  if (from.size() > members_max) return broken_rule("a list of more than 4096 sites");
  std::set<log::SiteId> sites;
  for (const auto each : from) {
    QUADRILLE_ASSIGN(log::SiteId site, read_site(each));
    sites.insert(std::move(site));
  }
  return sites;
}

}  // namespace quadrille::sync
