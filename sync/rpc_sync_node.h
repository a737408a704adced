// The SyncNode that speaks sync.capnp: owns the sessions, and what they share.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "sync/alarm.h"
#include "sync/anti_entropy.h"
#include "sync/applier.h"
#include "sync/clock_watch.h"
#include "sync/heartbeat_book.h"
#include "sync/peer_dialer.h"
#include "sync/session.h"
#include "sync/settler.h"
#include "sync/sync_node.h"

namespace quadrille::sync {

class RpcSyncNode final : public SyncNode, private SessionHost, private kj::TaskSet::ErrorHandler {
 public:
  RpcSyncNode(Parts parts, const SyncOptions& options);
  ~RpcSyncNode() noexcept override;

  bool is_told_evicted() const override { return is_told_evicted_; }
  void keep_connected(const std::string& address) override;
  void accept(Connection connection) override;
  void on_local_commit(const log::ChangesetHeader& header) override;
  std::vector<PeerStatus> peers() const override;
  ClockStatus clock() const override { return clocks_.status(); }
  std::vector<std::string> waiting_for() const override;
  std::string least_heard() const override;

 private:
  // What is remembered of a site beyond its connections.
  struct PeerRecord {
    log::VersionVector has;
    SessionCounts counts;
    PeerState state = PeerState::Disconnected;
    std::string trouble;
  };

  Session& add_session(SessionRole role, Connection connection);
  Greeting make_greeting(const std::optional<log::SiteId>& to) override;
  const reconcile::Membership& membership() const override { return membership_; }
  ClockWatch& clocks() override { return clocks_; }
  void on_early(const log::SiteId& site, log::Stamp stamp) override;
  std::optional<log::SiteId> other_life_of(const log::SiteId& site) const;
  void on_told(const Session& session, bool is_evicted) override;
  void look_whether_told();
  void on_greeted(Session& session) override;
  base::Result<void> on_heartbeat(Session& session, const reconcile::Heartbeat& heartbeat) override;
  void on_restarted(Session& session) override { offer_heartbeats(session); }
  kj::Promise<std::shared_ptr<CutLook>> open_look() override;
  void on_compared(const log::SiteId& site, const ComparedStatus& status);
  void schedule_advance() override;
  void on_ended(Session& session) override;
  void taskFailed(kj::Exception&& exception) override;

  void advance();
  void on_applied(const reconcile::ApplyReport& report);
  void look_at_membership();  // whether it has changed
  void take_membership();
  void on_folded(const base::Result<reconcile::FoldReport>& folded);
  void on_dial_failed(const PeerDialer& dialer);
  void keep_record(const Session& session);
  void tell_trouble(const std::string& who, const std::string& what);
  void forget_when_gone(Session& session);
  std::set<log::SiteId> direct_sites() const;
  std::vector<Session*> connected_sessions() const;
  PeerStatus status_of(const PeerDialer& dialer) const;
  void add_site_status(const log::SiteId& site, PeerStatus& status) const;

  // rpc_sync_node_clocks.cc
  void look_at_clock();
  void take_early_heartbeats();
  reconcile::ClockRuling take_ruling();

  // rpc_sync_node_heartbeats.cc
  void restore_stability();
  bool is_unsettled() const;
  void schedule_heartbeat();
  void make_heartbeat();
  void on_heartbeat_made(const reconcile::Heartbeat& heartbeat, const base::Result<void>& committed);
  void take_heartbeat(const reconcile::Heartbeat& heartbeat);
  void pass_on_heartbeats();
  void offer_heartbeats(Session& session);

  Parts parts_;
  SyncOptions options_;
  uint64_t nonce_;
  Applier applier_;
  Settler settler_;
  HeartbeatBook heartbeats_;
  ClockWatch clocks_;
  std::map<std::string, reconcile::Heartbeat> early_heartbeats_;  // by member
  ClockState clock_state_ = ClockState::Agreed;                   // as it was told last
  bool is_refusing_ = false;  // the writer was told to refuse updates, for the clock
  reconcile::Membership membership_;
  std::set<log::SiteId> told_evicted_by_;
  bool is_told_evicted_ = false;
  uint64_t membership_changes_;

  Alarm heartbeat_alarm_;
  kj::TimePoint last_heartbeat_at_;
  log::VersionVector last_heartbeat_vector_;
  bool is_heartbeat_under_way_ = false;
  bool is_advance_scheduled_ = false;

  std::map<log::SiteId, PeerRecord> records_;                   // bounded
  std::map<std::string, std::string> told_trouble_;             // by whom; bounded
  std::map<std::string, std::unique_ptr<PeerDialer>> dialers_;  // by address
  std::vector<std::unique_ptr<Session>> sessions_;  // in the order in which they came, until they have ended
  std::vector<std::unique_ptr<Session>> leaving_;   // ended, and being seen off
  std::map<log::SiteId, Session*> connected_;       // greeted, one a site
  std::shared_ptr<RpcSyncNode*> self_;              // jobs that outlive us find out by it
  AntiEntropy anti_entropy_;
  kj::TaskSet tasks_;
};

}  // namespace quadrille::sync
