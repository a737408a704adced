#include "sim/network.h"

#include <fmt/format.h>
#include <kj/debug.h>

#include <algorithm>

#include "engine/base/check.h"

namespace quadrille::sim {
namespace {

constexpr auto unanswered_dial = 3 * kj::SECONDS;

// Calls `use` for each link that is still there, and forgets the others.
template <class Use>
void for_each_link(std::vector<std::weak_ptr<Link>>& links, Use&& use) {
  std::erase_if(links, [](const auto& link) { return link.expired(); });
  for (const auto& weak : std::vector(links)) {
    if (const auto link = weak.lock(); link && link->is_alive()) use(*link);
  }
}

LinkEnd end_of(const Link& link, const std::string& site) {
  return link.site(LinkEnd::Dialer) == site ? LinkEnd::Dialer : LinkEnd::Acceptor;
}

}  // namespace

class Network::SiteDialer final : public sync::Dialer {
 public:
  SiteDialer(Network& network, std::string site) : network_(network), site_(std::move(site)) {}
  kj::Promise<sync::Connection> dial(const std::string& address) override {
    return network_.dial(site_, address).then([](auto stream) { return sync::Connection(kj::mv(stream)); });
  }

 private:
  Network& network_;
  std::string site_;
};

Network::Pair Network::pair_of(const std::string& one, const std::string& another) {
  return one < another ? Pair(one, another) : Pair(another, one);
}

Network::Cable* Network::find_cable(const std::string& one, const std::string& another) {
  const auto found = cables_.find(pair_of(one, another));
  return found == cables_.end() ? nullptr : &found->second;
}

void Network::add_link(const std::string& one, const std::string& another, const LinkOptions& options) {
  const auto pair = pair_of(one, another);
  RandomStream random(seed_, fmt::format("link {} {}", pair.first, pair.second));
  const bool is_new = cables_.emplace(pair, Cable{options, random, {}, {}, {}}).second;
  QUADRILLE_CHECK(is_new && one != another, "a link joins two sites, once");
}

bool Network::has_link(const std::string& one, const std::string& another) const {
  return cables_.contains(pair_of(one, another));
}

void Network::open(const std::string& site, Accept accept) { listeners_[site] = std::move(accept); }

void Network::end_process(const std::string& site) {
  listeners_.erase(site);
  for (auto& [pair, cable] : cables_) {
    if (pair.first != site && pair.second != site) continue;
    for_each_link(cable.links, [&](Link& link) { link.end_process(end_of(link, site)); });
  }
}

void Network::set_paused(const std::string& site, bool is_paused) {
  for (auto& [pair, cable] : cables_) {
    if (pair.first != site && pair.second != site) continue;
    for_each_link(cable.links, [&](Link& link) { link.set_paused(end_of(link, site), is_paused); });
  }
}

bool Network::is_cut(const Cable& cable, const std::string& from, const std::string& to) const {
  const auto found = cable.cuts.find({from, to});
  return found != cable.cuts.end() && found->second > 0;
}

void Network::update_cuts(Cable& cable) {
  for_each_link(cable.links, [&](Link& link) {
    for (const auto end : {LinkEnd::Dialer, LinkEnd::Acceptor}) {
      link.set_cut(end, is_cut(cable, link.site(end), link.site(other(end))));
    }
  });
}

void Network::cut(const std::string& from, const std::string& to) {
  auto* cable = find_cable(from, to);
  if (!cable) return;
  ++cable->cuts[{from, to}];
  update_cuts(*cable);
}

void Network::mend(const std::string& from, const std::string& to) {
  auto* cable = find_cable(from, to);
  if (!cable) return;
  int& count = cable->cuts[{from, to}];
  count = std::max(0, count - 1);
  update_cuts(*cable);
}

void Network::mend_all() {
  for (auto& [pair, cable] : cables_) {
    cable.cuts.clear();
    update_cuts(cable);
  }
}

size_t Network::drop_connections(const std::string& one, const std::string& another) {
  size_t count = 0;
  if (auto* cable = find_cable(one, another)) {
    for_each_link(cable->links, [&](Link& link) {
      link.lose();
      ++count;
    });
  }
  return count;
}

std::unique_ptr<sync::Dialer> Network::make_dialer(const std::string& site) {
  return std::make_unique<SiteDialer>(*this, site);
}

LinkTraffic Network::traffic() const {
  LinkTraffic sum;
  for (const auto& [pair, cable] : cables_) {
    sum.messages += cable.traffic.messages;
    sum.bytes += cable.traffic.bytes;
  }
  return sum;
}

std::map<std::pair<std::string, std::string>, LinkTraffic> Network::traffic_by_link() const {
  std::map<Pair, LinkTraffic> found;
  for (const auto& [pair, cable] : cables_) found[pair] = cable.traffic;
  return found;
}

kj::Promise<kj::Own<kj::AsyncIoStream>> Network::dial(const std::string& from, const std::string& to) {
  auto* cable = find_cable(from, to);
  if (!cable) return KJ_EXCEPTION(DISCONNECTED, "no link leads there", to.c_str());
  return time_.timer()
      .afterDelay(2 * cable->options.latency_us * kj::MICROSECONDS)
      .then([this, cable, from, to]() -> kj::Promise<kj::Own<kj::AsyncIoStream>> {
        if (is_cut(*cable, from, to) || is_cut(*cable, to, from)) {
          return time_.timer().afterDelay(unanswered_dial).then([]() -> kj::Own<kj::AsyncIoStream> {
            kj::throwFatalException(KJ_EXCEPTION(DISCONNECTED, "no answer"));
          });
        }
        if (!listeners_.contains(to)) return KJ_EXCEPTION(DISCONNECTED, "connection refused");
        return connect(*cable, from, to);
      });
}

kj::Own<kj::AsyncIoStream> Network::connect(Cable& cable, const std::string& from, const std::string& to) {
  trace_.event(from, "connects to " + to);
  auto link = std::make_shared<Link>(Link::Parts{time_, cable.random, trace_, cable.traffic}, cable.options,
                                     std::array<std::string, 2>{from, to});
  cable.links.push_back(link);
  auto dialed = link->stream(LinkEnd::Dialer);
  listeners_.at(to)(link->stream(LinkEnd::Acceptor));
  return dialed;
}

}  // namespace quadrille::sim
