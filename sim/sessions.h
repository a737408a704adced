// Clients that go from site to site and take their version along (DESIGN section 3, guarantee 4): at each site a
// session waits until its version is there, reads, and writes once more. What it must find there: all that it wrote
// before, and nothing less than it had seen.
//
// Session K writes <urn:sim:session/K> <urn:sim:visit> N, once for each N. Where a scenario gives that property single
// values, sessions write and check nothing.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "log/version_vector.h"
#include "replica/site/version_token.h"
#include "sim/agenda.h"
#include "sim/checks/violation.h"
#include "sim/member_changes.h"
#include "sim/random_stream.h"
#include "sim/scenario.h"
#include "sim/simulated_site.h"
#include "sim/trace.h"

namespace quadrille::sim {

inline constexpr const char* iri_visit = "urn:sim:visit";

class Sessions {
 public:
  struct Parts {
    Agenda& agenda;
    VirtualTime& time;
    Trace& trace;
    MemberChanges::Sites& sites;
    const MemberChanges& members;
    std::function<void(checks::Violation)> report;
    bool forget_versions = false;  // a fault to be found: no version is sent along
  };
  // What `parts` refers to outlives it.
  Sessions(const Scenario& scenario, uint64_t seed, Parts parts);

  // They come and go until `until_us`.
  void start(int64_t until_us);
  uint64_t visit_count() const noexcept { return visit_count_; }  // that found what they had to

 private:
  struct Session {
    uint64_t number = 0;
    uint64_t life = 0;  // begun anew where what it wrote may be gone with a member
    RandomStream random;
    log::VersionVector seen;
    replica::VersionToken token;
    std::set<uint64_t> written;  // acknowledged
    uint64_t last_visit = 0;
    bool is_busy = false;
    uint64_t busy_number = 0;
    int64_t busy_since_us = 0;
  };

  void schedule(Session& session, int64_t until_us);
  void visit(Session& session);
  void read(Session& session, SimulatedSite& site);
  void write(Session& session, SimulatedSite& site);
  void on_refused(Session& session, const SimulatedSite& site, const base::Error& error);
  bool depends_on_the_lost(const Session& session) const;
  void begin_anew(Session& session);
  std::string subject(const Session& session) const;

  Parts parts_;
  bool is_off_ = false;
  std::vector<std::unique_ptr<Session>> sessions_;
  uint64_t visit_count_ = 0;
};

}  // namespace quadrille::sim
