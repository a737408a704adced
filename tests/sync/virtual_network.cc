#include "tests/sync/virtual_network.h"

#include <algorithm>

namespace quadrille::test {

VirtualSite::VirtualSite(VirtualNetwork& net, std::string own_name, reconcile::SiteIdentity identity)
    : network(net),
      name(std::move(own_name)),
      store(std::move(identity)),
      writer(store, net.port.timer),
      clock(net.port.timer),
      random(net.seed + store.identity().site.incarnation) {}

void VirtualSite::start(const sync::SyncOptions& options) {
  const auto& identity = store.identity();
  auto stability = std::make_unique<reconcile::Stability>(
      identity.site, std::set<std::string>(identity.members.begin(), identity.members.end()));
  node = sync::SyncNode::make({store, writer, std::move(stability), *this, network.port.timer, clock, random, *this},
                              options);
}

kj::Promise<sync::Connection> VirtualSite::dial(const std::string& address) {
  ++dials;
  const auto target = network.sites.find(address);
  if (target == network.sites.end() || !target->second->node || network.blocked.contains({name, address})) {
    return KJ_EXCEPTION(DISCONNECTED, "nobody answers");
  }
  auto [ours, theirs] = network.connect();
  network.wires_between[{name, address}].push_back(network.wires.back());
  target->second->node->accept(network.certified(kj::mv(theirs), name));
  return network.certified(kj::mv(ours), address);
}

sync::Connection VirtualNetwork::certified(kj::Own<kj::AsyncIoStream> stream, const std::string& site) const {
  const auto found = certificates.find(site);
  return found == certificates.end() ? sync::Connection(kj::mv(stream))
                                     : sync::Connection(kj::mv(stream), found->second);
}

sync::PeerStatus VirtualSite::peer(const std::string& peer_name) const {
  for (const auto& status : node->peers()) {
    if ((status.site && status.site->name == peer_name) || status.address == peer_name) return status;
  }
  return {};
}

bool VirtualSite::has_trouble(const std::string& part) const {
  return std::any_of(troubles.begin(), troubles.end(),
                     [&](const std::string& line) { return line.find(part) != std::string::npos; });
}

VirtualNetwork::VirtualNetwork(const std::vector<std::string>& names, uint64_t network_seed) : seed(network_seed) {
  uint64_t incarnation = 100;
  for (const auto& name : names) {
    reconcile::SiteIdentity identity{{name, ++incarnation}, "test", names, {}};
    std::sort(identity.members.begin(), identity.members.end());
    sites[name] = std::make_unique<VirtualSite>(*this, name, std::move(identity));
  }
}

VirtualNetwork::~VirtualNetwork() {
  for (auto& [name, site] : sites) site->stop();
}

std::pair<kj::Own<kj::AsyncIoStream>, kj::Own<kj::AsyncIoStream>> VirtualNetwork::connect() {
  auto pipe = kj::newTwoWayPipe();
  auto wire = std::make_shared<Wire>();
  wire->bytes_left = bytes_of_next_wire();
  wires.push_back(wire);
  return {kj::heap<WireEnd>(wire, kj::mv(pipe.ends[0])), kj::heap<WireEnd>(wire, kj::mv(pipe.ends[1]))};
}

void VirtualNetwork::cut_all() {
  for (const auto& each : wires) {
    if (const auto wire = each.lock()) wire->cut();
  }
  wires.clear();
}

void VirtualNetwork::for_each_wire_between(const std::string& a, const std::string& b,
                                           const std::function<void(Wire&)>& action) {
  for (const auto& each : wires_between[{a, b}]) {
    if (const auto wire = each.lock()) action(*wire);
  }
}

bool VirtualNetwork::run_until(const std::function<bool()>& condition, uint64_t seconds) {
  const auto deadline = port.timer.now() + seconds * kj::SECONDS;
  while (!condition()) {
    if (port.timer.now() >= deadline) return false;
    run_ms(10);
  }
  return true;
}

bool VirtualNetwork::is_converged() const {
  const auto& first = sites.begin()->second->store.vector;
  return std::all_of(sites.begin(), sites.end(), [&](const auto& each) { return each.second->store.vector == first; });
}

}  // namespace quadrille::test
