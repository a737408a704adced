// Compares this site's quads with those of its peers, by the digests that are kept with each commit, one peer after the
// other, again and again. DESIGN section 5, "Anti-entropy".
//
// Both stop folding; the cut is what both have by then; each says what it holds as of that. Where the whole differs,
// the graphs say where. To name the quads, and to put them right, is for who is told (quadrille verify).
#pragma once

#include <kj/async.h>
#include <kj/timer.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/clock.h"
#include "log/site_id.h"
#include "sync/alarm.h"
#include "sync/cut_look.h"
#include "sync/sync.capnp.h"
#include "sync/sync_node.h"

namespace quadrille::sync {

class AntiEntropy final : private kj::TaskSet::ErrorHandler {
 public:
  using Sinks = std::map<log::SiteId, wire::Sink::Client>;
  struct Parts {
    kj::Timer& timer;
    base::RandomSource& random;
    uint32_t every_ms;                                                 // 0: never
    std::function<kj::Promise<std::shared_ptr<CutLook>>()> open_look;  // of this site
    std::function<Sinks()> sinks;                                      // of the sites that are connected now
    std::function<void(const log::SiteId&, const ComparedStatus&)> on_compared;
  };
  explicit AntiEntropy(Parts parts);

  // Nothing: never since the process began, as far as is remembered.
  std::optional<ComparedStatus> status_of(const log::SiteId& site) const;

 private:
  struct Run;
  void compare_next();
  std::optional<std::pair<log::SiteId, wire::Sink::Client>> choose_peer();
  void compare(const log::SiteId& site, wire::Sink::Client sink);
  static kj::Promise<void> agree_on_cut(const std::shared_ptr<Run>& run);
  static kj::Promise<void> compare_totals(const std::shared_ptr<Run>& run);
  static kj::Promise<void> compare_graphs(const std::shared_ptr<Run>& run);
  void finish(const log::SiteId& site, ComparedStatus status);
  void taskFailed(kj::Exception&& exception) override;

  struct Remembered {
    kj::TimePoint tried_at = kj::origin<kj::TimePoint>();
    kj::TimePoint compared_at = kj::origin<kj::TimePoint>();
    std::optional<ComparedStatus> status;
  };
  Parts parts_;
  std::map<log::SiteId, Remembered> remembered_;  // bounded
  Alarm alarm_;
  kj::TaskSet tasks_;
};

}  // namespace quadrille::sync
