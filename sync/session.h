// One connection to one other site, from its first byte to its last.
//
// The life of a session: start() -> Greeting -> (host.on_greeted) -> Connected -> (host.on_ended) -> Ended. Once ended
// it does nothing more but see its farewell off (farewell()); the host destroys it, never from within a call of the
// session. Nothing that a peer sends makes anything throw out of a session: it ends.
//
// What comes in takes three steps: parts of batches become changesets (ChangesetAssembler); a changeset waits in held_
// until all that it depends on is here or under way (it may come over another connection); then the Applier gets it.
// A push is answered once all changesets that were complete with it are durable. What is stamped too far ahead of this
// site's clock is dropped instead, and the peer told to keep it for now (HeldBack).
#pragma once

#include <capnp/rpc-twoparty.h>
#include <kj/async-io.h>
#include <kj/timer.h>

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "sync/applier.h"
#include "sync/changeset_assembler.h"
#include "sync/clock_watch.h"
#include "sync/compression.h"
#include "sync/counting_stream.h"
#include "sync/cut_look.h"
#include "sync/greeting.h"
#include "sync/held_back.h"
#include "sync/outgoing_stream.h"
#include "sync/sync_node.h"

namespace quadrille::sync {

class Session;

enum class SessionRole : uint8_t { Dialed, Accepted };

// Why a session ended.
enum class EndKind : uint8_t {
  Lost,       // the connection broke, or the peer was silent for too long
  Another,    // another connection of this pair is kept
  Refused,    // the two do not fit
  Violation,  // the peer broke the rules
  Trouble,    // one of the two cannot go on now
};
struct SessionEnd {
  EndKind kind = EndKind::Lost;
  std::string reason;
};

class SessionHost {
 public:
  // What this site says of itself now, to that site if it is known.
  virtual Greeting make_greeting(const std::optional<log::SiteId>& to) = 0;
  // As far as it is known here.
  virtual const reconcile::Membership& membership() const = 0;
  // What the peer says of this site's membership.
  virtual void on_told(const Session& session, bool is_evicted) = 0;
  // Both sides fit, and the streams may flow. May end the session.
  virtual void on_greeted(Session& session) = 0;
  // InvalidInput: it is against the rules.
  virtual base::Result<void> on_heartbeat(Session& session, const reconcile::Heartbeat& heartbeat) = 0;
  // The peer's stream starts again: it may have missed heartbeats.
  virtual void on_restarted(Session& session) = 0;
  // A look at what this site holds, for the peer.
  virtual kj::Promise<std::shared_ptr<CutLook>> open_look() = 0;
  // Something of that site is stamped too far ahead.
  virtual void on_early(const log::SiteId& site, log::Stamp stamp) = 0;
  virtual ClockWatch& clocks() = 0;
  // Something came in that may let a stream, this one or another, go on.
  virtual void schedule_advance() = 0;
  virtual void on_ended(Session& session) = 0;

 protected:
  ~SessionHost() = default;
};

struct SessionCounts {
  uint64_t changesets_sent = 0;
  uint64_t changesets_received = 0;
  uint64_t bytes_sent = 0;
  uint64_t bytes_received = 0;
};

class Session : private kj::TaskSet::ErrorHandler {
 public:
  struct Parts {
    SessionHost& host;
    const reconcile::SiteStore& store;
    Applier& applier;
    kj::Timer& timer;
    const SyncOptions& options;
  };
  Session(const Parts& parts, SessionRole role, Connection connection);
  ~Session() noexcept;
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  void start();
  // Ends it, and tells the peer why if that is news to it.
  void end(EndKind kind, std::string reason);
  // Done when the peer has had the time to hear why.
  kj::Promise<void> farewell();

  // `direct`: the sites that this one is connected to. Goes on with all that can go on.
  void advance(const std::set<log::SiteId>& direct);
  // For peers that are not connected to the heartbeat's site themselves.
  void offer_heartbeat(const reconcile::Heartbeat& heartbeat, uint64_t after_position);
  // What the peer said of itself outside of the acknowledgements: a push whose effect was lost is found by it.
  void on_peer_has(const log::VersionVector& has);
  // Call it now and then: ends a session whose peer has been silent for two idle heartbeats and does not answer.
  void check_alive();

  SessionRole role() const noexcept { return role_; }
  bool is_connected() const noexcept { return outgoing_.has_value() && !end_; }
  bool has_ended() const noexcept { return end_.has_value(); }
  const std::optional<Greeting>& peer() const noexcept { return peer_; }
  const SessionEnd& why_ended() const { return *end_; }
  kj::TimePoint started_at() const noexcept { return started_at_; }
  log::VersionVector peer_has() const;
  SessionCounts counts() const;
  // Of one that is connected.
  wire::Sink::Client sink() { return KJ_ASSERT_NONNULL(sink_); }

 private:
  class GreeterServer;
  class SinkServer;
  using HelloContext = capnp::CallContext<wire::Greeter::HelloParams, wire::Greeter::HelloResults>;
  using PushContext = capnp::CallContext<wire::Sink::PushParams, wire::Sink::PushResults>;
  // What RPC objects hold of a session: they may live longer.
  struct Link {
    Session* session = nullptr;
  };
  struct UnansweredPush {
    log::VersionVector needs;  // durable here before the answer
    kj::Own<kj::PromiseFulfiller<void>> done;
  };

  // session.cc: greeting and end
  void start_dialed();
  void start_accepted();
  // InvalidInput: it is malformed, or not of the site whose certificate was shown.
  base::Result<Greeting> read_peer(wire::Greeting::Reader greeting) const;
  std::string lost() const;
  void on_hello_answer(wire::Greeter::Answer::Reader answer);
  kj::Promise<void> on_hello(HelloContext context);
  void open_streams(log::VersionVector peer_has, std::set<log::SiteId> peer_direct);
  kj::Promise<void> on_compare(capnp::CallContext<wire::Sink::CompareParams, wire::Sink::CompareResults> context);
  kj::Promise<void> on_report(wire::Sink::ReportParams::Reader report);
  void on_goodbye(wire::Sink::GoodbyeParams::Reader goodbye);
  void taskFailed(kj::Exception&& exception) override;
  void update_direct(std::set<log::SiteId> direct);
  void begin_round();
  void send_report();

  // session_clocks.cc: the peer's clock, and what is stamped too far ahead
  void ask_for_clock();
  void on_clock(kj::TimePoint asked, int64_t wall_ms, uint64_t skew_ms_max);
  bool holds_back(const log::ChangesetHeader& header);
  void release_held_back();

  // session_streams.cc: what comes in and goes out
  kj::Promise<void> on_push(PushContext context);
  base::Result<void> take_in(ChangesetAssembler::Item item, log::VersionVector& needs);
  base::Result<void> check_origin(const log::ChangesetHeader& header) const;
  base::Result<void> check_gap(const log::ChangesetHeader& header, const log::VersionVector& expected) const;
  void apply_held();
  // Whether what is held first may be applied now; else it waits, or the session has ended.
  bool is_ready(const log::ChangesetHeader& header, const log::VersionVector& expected);
  bool is_withheld(const log::ChangesetHeader& header) const;
  void withhold(log::ShippedChangeset changeset);
  // Those that this one depends on.
  void release_withheld(const log::ChangesetHeader& header, log::VersionVector& expected,
                        std::vector<log::ShippedChangeset>& ready);
  bool is_answerable(const log::VersionVector& needs) const;
  void on_applied(const Applier::Outcome& outcome);
  void answer_pushes();
  void push_outgoing();
  void on_push_answer(wire::Ack::Reader ack);

  Parts parts_;
  SessionRole role_;
  std::shared_ptr<Link> link_;
  kj::TimePoint started_at_;
  std::optional<SessionEnd> end_;
  std::optional<std::string> certified_site_;
  std::optional<Greeting> peer_;
  bool peer_ended_it_ = false;
  bool is_told_by_answer_ = false;  // the peer reads in the answer to hello why it ended

  std::set<log::SiteId> told_direct_;           // what the peer knows of our direct connections
  std::set<log::SiteId> told_direct_in_round_;  // all that it was told in this round
  bool is_reported_ = false;
  uint32_t round_ = 0;
  ChangesetAssembler assembler_;
  std::deque<log::ShippedChangeset> held_;
  // Of evicted sites: taken once the changeset of a member depends on them.
  std::deque<log::ShippedChangeset> withheld_;
  uint64_t withheld_bytes_ = 0;
  HeldBack held_back_;
  bool is_report_due_ = false;  // more is held back than the peer was told
  std::deque<UnansweredPush> unanswered_in_;

  std::optional<OutgoingStream> outgoing_;
  Compressor compressor_;
  uint32_t unanswered_out_ = 0;

  SessionCounts counts_;
  std::weak_ptr<CutLook> look_;  // that the peer has asked for
  bool is_look_under_way_ = false;
  uint64_t bytes_read_at_check_ = 0;
  kj::TimePoint last_heard_;
  bool is_pinged_ = false;
  bool is_clock_asked_ = false;
  std::optional<kj::TimePoint> clock_asked_at_;

  // In this order: each one uses those above it.
  CountingStream stream_;
  kj::Own<capnp::TwoPartyVatNetwork> network_;
  kj::Own<capnp::RpcSystem<capnp::rpc::twoparty::VatId>> rpc_;
  kj::Maybe<wire::Sink::Client> sink_;
  kj::Promise<void> greeting_deadline_ = nullptr;
  kj::TaskSet tasks_;
};

}  // namespace quadrille::sync
