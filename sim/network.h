// The network of a simulation: which sites have a link, who is reachable, and all connections that are open.
//
// An address is the name of a site. Single-threaded; outlives all sites, and with them all dialers and streams.
#pragma once

#include <kj/async-io.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sim/link.h"
#include "sim/random_stream.h"
#include "sim/trace.h"
#include "sim/virtual_time.h"
#include "sync/sync_node.h"

namespace quadrille::sim {

class Network {
 public:
  using Accept = std::function<void(kj::Own<kj::AsyncIoStream>)>;

  Network(VirtualTime& time, Trace& trace, uint64_t seed) : time_(time), trace_(trace), seed_(seed) {}

  // A link in both directions. Sites without one cannot reach each other.
  void add_link(const std::string& one, const std::string& another, const LinkOptions& options);
  bool has_link(const std::string& one, const std::string& another) const;

  // `site` listens from now on.
  void open(const std::string& site, Accept accept);
  // The process of `site` is gone: nobody listens, and what it still tries to send goes nowhere.
  void end_process(const std::string& site);
  void set_paused(const std::string& site, bool is_paused);

  // Cuts are counted: a way is open when each cut of it was mended. Pairs without a link are left alone.
  void cut(const std::string& from, const std::string& to);
  void mend(const std::string& from, const std::string& to);
  void mend_all();
  // All connections between the two are lost. Returns how many there were.
  size_t drop_connections(const std::string& one, const std::string& another);

  // Reaches others in the name of `site`. A dial takes a round trip; where a way is cut it fails after three seconds.
  std::unique_ptr<sync::Dialer> make_dialer(const std::string& site);

  LinkTraffic traffic() const;  // of all links
  std::map<std::pair<std::string, std::string>, LinkTraffic> traffic_by_link() const;

 private:
  using Pair = std::pair<std::string, std::string>;
  struct Cable {
    LinkOptions options;
    RandomStream random;
    LinkTraffic traffic;
    std::map<Pair, int> cuts;                // by (from, to)
    std::vector<std::weak_ptr<Link>> links;  // in the order in which they were made
  };
  class SiteDialer;

  static Pair pair_of(const std::string& one, const std::string& another);
  Cable* find_cable(const std::string& one, const std::string& another);
  bool is_cut(const Cable& cable, const std::string& from, const std::string& to) const;
  void update_cuts(Cable& cable);
  kj::Promise<kj::Own<kj::AsyncIoStream>> dial(const std::string& from, const std::string& to);
  kj::Own<kj::AsyncIoStream> connect(Cable& cable, const std::string& from, const std::string& to);

  VirtualTime& time_;
  Trace& trace_;
  uint64_t seed_;
  std::map<Pair, Cable> cables_;
  std::map<std::string, Accept> listeners_;
};

}  // namespace quadrille::sim
