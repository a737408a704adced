#include "sync/rpc_sync_node.h"

#include <algorithm>

namespace quadrille::sync {

namespace {

constexpr size_t records_max = 64;
constexpr size_t callers_max = 64;  // that have yet to greet, or are being seen off

// Of two connections between one pair: of two that one side dialed the newer one, else the one dialed by the smaller.
bool keeps_newer(const Session& older, const Session& newer, const log::SiteId& self, const log::SiteId& peer) {
  if (older.role() == newer.role()) return true;
  return (newer.role() == SessionRole::Dialed) == (self < peer);
}

}  // namespace

std::unique_ptr<SyncNode> SyncNode::make(Parts parts, const SyncOptions& options) {
  return std::make_unique<RpcSyncNode>(std::move(parts), options);
}

RpcSyncNode::RpcSyncNode(Parts parts, const SyncOptions& options)
    : parts_(std::move(parts)),
      options_(options),
      nonce_(parts_.random.next()),
      applier_(parts_.store, parts_.writer, parts_.store.snapshot()->version_vector(),
               [this](const reconcile::ApplyReport& report) { on_applied(report); }),
      settler_({parts_.writer, *parts_.stability, parts_.timer, options_.fold_cells_per_step,
                [this](const base::Result<reconcile::FoldReport>& folded) { on_folded(folded); }},
               parts_.store.snapshot()->folded_vector(), applier_.durable()),
      clocks_(parts_.wall_clock, parts_.timer, options_.max_clock_skew_ms),
      membership_(parts_.store.membership()),
      membership_changes_(parts_.store.membership_changes()),
      heartbeat_alarm_(parts_.timer, [this] { make_heartbeat(); }),
      last_heartbeat_at_(parts_.timer.now()),
      self_(std::make_shared<RpcSyncNode*>(this)),
      anti_entropy_({parts_.timer, parts_.random, options_.compare_every_ms, [this] { return open_look(); },
                     [this] {
                       AntiEntropy::Sinks sinks;
                       for (Session* session : connected_sessions())
                         sinks.emplace(session->peer()->site, session->sink());
                       return sinks;
                     },
                     [this](const auto& site, const auto& status) { on_compared(site, status); }}),
      tasks_(*this) {
  take_membership();
  restore_stability();
  schedule_heartbeat();
  settler_.settle();
}

// First: what is let go of from here on submits no job any more.
RpcSyncNode::~RpcSyncNode() noexcept { self_.reset(); }

void RpcSyncNode::keep_connected(const std::string& address) {
  auto& dialer = dialers_[address];
  if (dialer) return;
  PeerDialer::Parts parts{
      parts_.dialer,
      parts_.timer,
      parts_.random,
      options_,
      [this](Connection connection) { return &add_session(SessionRole::Dialed, kj::mv(connection)); },
      [this](const log::SiteId& site) { return connected_.contains(site); },
      [this](const PeerDialer& failed) { on_dial_failed(failed); }};
  dialer = std::make_unique<PeerDialer>(std::move(parts), address);
  dialer->start();
}

void RpcSyncNode::accept(Connection connection) {
  const auto greeting = std::count_if(sessions_.begin(), sessions_.end(), [](const auto& each) {
    return each->role() == SessionRole::Accepted && !each->is_connected();
  });
  if (static_cast<size_t>(greeting) + leaving_.size() >= callers_max)
    return tell_trouble("a caller", "hung up on: too many others do not greet");
  add_session(SessionRole::Accepted, kj::mv(connection));
}

Session& RpcSyncNode::add_session(SessionRole role, Connection connection) {
  const Session::Parts parts{*this, parts_.store, applier_, parts_.timer, options_};
  Session& session = *sessions_.emplace_back(std::make_unique<Session>(parts, role, kj::mv(connection)));
  // Later, so that whoever asked for it knows it before anything happens to it.
  tasks_.add(kj::evalLater([&session] { session.start(); }));
  return session;
}

Greeting RpcSyncNode::make_greeting(const std::optional<log::SiteId>& to) {
  const auto& identity = parts_.store.identity();
  Greeting greeting;
  greeting.cluster = identity.cluster;
  greeting.founders = identity.members;
  greeting.members = membership_.names();
  // One that joins does not know yet that it is a member.
  if (!membership_.has_name(identity.site.name)) {
    greeting.members.insert(std::lower_bound(greeting.members.begin(), greeting.members.end(), identity.site.name),
                            identity.site.name);
  }
  greeting.site = identity.site;
  greeting.is_founder = !identity.is_copy;
  greeting.nonce = nonce_;
  greeting.assignments = parts_.store.assignment_digests();
  greeting.vector = applier_.durable();
  greeting.direct = direct_sites();
  for (const log::SiteId& evicted : membership_.evicted()) greeting.evicted.insert(evicted);
  for (const log::SiteId& evicted : membership_.evicted_for_good()) greeting.evicted_for_good.insert(evicted);
  if (to) greeting.direct.erase(*to);
  return greeting;
}

void RpcSyncNode::on_told(const Session& session, bool is_evicted) {
  const log::SiteId& by = session.peer()->site;
  if (!is_evicted) {
    told_evicted_by_.erase(by);
  } else if (told_evicted_by_.insert(by).second) {
    tell_trouble("site " + by.name, "says that this site was evicted: updates are refused");
  }
  look_whether_told();
}

// The word of a site that is itself evicted, as is learnt later, counts no more.
void RpcSyncNode::look_whether_told() {
  std::erase_if(told_evicted_by_, [&](const log::SiteId& site) { return membership_.is_evicted(site); });
  const bool is_told = !told_evicted_by_.empty();
  if (std::exchange(is_told_evicted_, is_told) == is_told) return;
  parts_.writer.submit([is_told](reconcile::WriteGroup& group) { group.note_told_evicted(is_told); },
                       [](const auto&) {});
}

// A founding member is known by its name until it has written. A directory that was made anew lacks what the others
// know it to have, and is no member by having the name.
std::optional<log::SiteId> RpcSyncNode::other_life_of(const log::SiteId& site) const {
  if (membership_.joined_by(site)) return std::nullopt;
  const log::VersionVector& durable = applier_.durable();
  for (const auto& [origin, seq] : durable.entries()) {
    if (origin.name == site.name && origin != site && membership_.is_member(origin)) return origin;
  }
  return std::nullopt;
}

void RpcSyncNode::on_greeted(Session& session) {
  const log::SiteId& site = session.peer()->site;
  if (membership_.is_evicted(site)) return session.end(EndKind::Refused, "site " + to_string(site) + " was evicted");
  if (const auto known = other_life_of(site)) {
    return session.end(EndKind::Refused, "site " + to_string(site) + " is another life of the member " +
                                             to_string(*known) + "; expected that one, or that it is evicted first");
  }
  if (const auto other = connected_.find(site); other != connected_.end()) {
    Session& older = *other->second;
    Session& loser = keeps_newer(older, session, parts_.store.identity().site, site) ? older : session;
    loser.end(EndKind::Another, "another connection between these two sites is kept");
    if (&loser == &session) return;
  }
  connected_[site] = &session;
  if (const auto record = records_.find(site); record != records_.end()) record->second.trouble.clear();
  told_trouble_.clear();
  offer_heartbeats(session);
}

void RpcSyncNode::on_ended(Session& session) {
  keep_record(session);
  const auto found =
      std::find_if(sessions_.begin(), sessions_.end(), [&](const auto& each) { return each.get() == &session; });
  leaving_.push_back(std::move(*found));
  sessions_.erase(found);
  forget_when_gone(session);

  std::optional<log::SiteId> left;
  if (session.peer()) {
    const auto entry = connected_.find(session.peer()->site);
    if (entry != connected_.end() && entry->second == &session) {
      left = entry->first;
      connected_.erase(entry);
    }
  }
  for (auto& [address, dialer] : dialers_) {
    dialer->on_session_ended(session);
    if (left) dialer->on_site_left(*left);
  }
  if (session.role() == SessionRole::Accepted && session.why_ended().kind != EndKind::Another) {
    tell_trouble(session.peer() ? "site " + session.peer()->site.name : "a caller that did not greet",
                 session.why_ended().reason);
  }
  schedule_advance();
}

void RpcSyncNode::forget_when_gone(Session& session) {
  auto gone = session.farewell().catch_([](kj::Exception&&) {}).then([this, &session] {
    std::erase_if(leaving_, [&](const auto& each) { return each.get() == &session; });
  });
  tasks_.add(kj::mv(gone));
}

void RpcSyncNode::keep_record(const Session& session) {
  if (!session.peer()) return;
  const log::SiteId& site = session.peer()->site;
  if (records_.size() >= records_max && !records_.contains(site)) return;
  PeerRecord& record = records_[site];
  const SessionCounts counts = session.counts();
  record.has.merge(session.peer_has());
  record.counts.changesets_sent += counts.changesets_sent;
  record.counts.changesets_received += counts.changesets_received;
  record.counts.bytes_sent += counts.bytes_sent;
  record.counts.bytes_received += counts.bytes_received;
  const SessionEnd& end = session.why_ended();
  if (end.kind == EndKind::Another) return;
  record.state = end.kind == EndKind::Refused ? PeerState::Refused : PeerState::Disconnected;
  record.trouble = end.reason;
}

void RpcSyncNode::on_dial_failed(const PeerDialer& dialer) {
  tell_trouble(dialer.address() + (dialer.site() ? " (site " + dialer.site()->name + ")" : std::string()),
               dialer.trouble());
}

// Not the same line again and again, as when a peer is away for a day.
void RpcSyncNode::tell_trouble(const std::string& who, const std::string& what) {
  if (told_trouble_.size() >= records_max) told_trouble_.clear();
  std::string& told = told_trouble_[who];
  if (told == what) return;
  told = what;
  parts_.observer.on_trouble(who + ": " + what);
}

void RpcSyncNode::taskFailed(kj::Exception&& exception) {
  tell_trouble("sync", one_line(exception.getDescription().cStr()));
}

kj::Promise<std::shared_ptr<CutLook>> RpcSyncNode::open_look() {
  return CutLook::open({parts_.store, parts_.writer, parts_.timer, parts_.random.next(), self_});
}

void RpcSyncNode::on_compared(const log::SiteId& site, const ComparedStatus& status) {
  if (!status.is_done || status.is_equal) return;
  std::string graphs;
  for (const auto& graph : status.graphs) graphs += (graphs.empty() ? " in " : ", ") + graph;
  tell_trouble("site " + site.name, "holds other quads than this one" + graphs +
                                        ", as of one version; expected equal ones: see quadrille verify URL URL");
}

void RpcSyncNode::schedule_advance() {
  if (std::exchange(is_advance_scheduled_, true)) return;
  tasks_.add(kj::evalLater([this] { advance(); }));
}

void RpcSyncNode::advance() {
  is_advance_scheduled_ = false;
  pass_on_heartbeats();
  const auto direct = direct_sites();
  for (Session* session : connected_sessions()) session->advance(direct);
  look_at_clock();
  settler_.settle();
  schedule_heartbeat();
}

std::set<log::SiteId> RpcSyncNode::direct_sites() const {
  std::set<log::SiteId> sites;
  for (const auto& [site, session] : connected_) sites.insert(site);
  return sites;
}

// A copy: sessions may end while it is walked.
std::vector<Session*> RpcSyncNode::connected_sessions() const {
  std::vector<Session*> sessions;
  for (const auto& [site, session] : connected_) sessions.push_back(session);
  return sessions;
}

void RpcSyncNode::on_local_commit(const log::ChangesetHeader& header) {
  applier_.on_local_commit(header);
  clocks_.on_own_stamp(header.stamp);
  parts_.stability->on_changeset(header);
  look_at_membership();
  schedule_advance();
}

void RpcSyncNode::on_applied(const reconcile::ApplyReport& report) {
  for (const auto& header : report.applied) {
    clocks_.on_own_stamp(header.stamp);
    clocks_.on_timely(header.id.origin);
    parts_.stability->on_changeset(header);
  }
  parts_.observer.on_applied(report);
  look_at_membership();
  schedule_advance();
}

void RpcSyncNode::look_at_membership() {
  if (std::exchange(membership_changes_, parts_.store.membership_changes()) == parts_.store.membership_changes())
    return;
  take_membership();
}

void RpcSyncNode::take_membership() {
  membership_ = parts_.store.membership();
  parts_.stability->set_members({membership_.names().begin(), membership_.names().end()});
  clocks_.keep_members(membership_);
  look_whether_told();
  for (Session* session : connected_sessions()) {
    const log::SiteId& site = session->peer()->site;
    if (membership_.is_evicted(site)) session->end(EndKind::Refused, "site " + to_string(site) + " was evicted");
  }
  const bool waits = !membership_.has_answered_all(parts_.store.identity().site);
  if (!waits && membership_.newly_complete().empty()) return;
  auto receipt = std::make_shared<reconcile::CommitReceipt>();
  parts_.writer.submit(
      [receipt](reconcile::WriteGroup& group) {
        if (auto settled = group.settle_membership(); settled.ok()) *receipt = std::move(settled).value();
      },
      [alive = std::weak_ptr(self_), receipt](const base::Result<void>& committed) {
        const auto self = alive.lock();
        if (!self || !committed.ok()) return;
        if (receipt->header.id.seq > 0) {
          (*self)->parts_.observer.on_own_changeset(receipt->header);
          (*self)->on_local_commit(receipt->header);
        } else {
          (*self)->look_at_membership();
        }
      });
}

void RpcSyncNode::on_folded(const base::Result<reconcile::FoldReport>& folded) {
  if (!folded.ok()) return tell_trouble("folding", one_line(folded.error().message));
  if (folded->cells_folded > 0) parts_.observer.on_folded(*folded);
}

std::vector<std::string> RpcSyncNode::waiting_for() const { return parts_.stability->waiting_for(applier_.durable()); }

std::string RpcSyncNode::least_heard() const { return parts_.stability->least_heard(); }

std::vector<PeerStatus> RpcSyncNode::peers() const {
  std::vector<PeerStatus> all;
  std::set<log::SiteId> named;
  for (const auto& [address, dialer] : dialers_) {
    all.push_back(status_of(*dialer));
    if (all.back().site) named.insert(*all.back().site);
  }
  std::set<log::SiteId> others;
  for (const auto& [site, record] : records_) others.insert(site);
  for (const auto& [site, session] : connected_) others.insert(site);
  for (const auto& site : others) {
    if (named.contains(site)) continue;
    add_site_status(site, all.emplace_back());
  }
  return all;
}

PeerStatus RpcSyncNode::status_of(const PeerDialer& dialer) const {
  PeerStatus status;
  status.address = dialer.address();
  const Session* session = dialer.session();
  std::optional<log::SiteId> site = dialer.site();
  if (session != nullptr && session->peer()) site = session->peer()->site;
  if (site) add_site_status(*site, status);
  if (status.state == PeerState::Connected) return status;
  status.trouble = dialer.trouble();
  status.state = session != nullptr    ? PeerState::Greeting
                 : dialer.is_refused() ? PeerState::Refused
                                       : PeerState::Disconnected;
  return status;
}

void RpcSyncNode::add_site_status(const log::SiteId& site, PeerStatus& status) const {
  status.site = site;
  status.clock_skew = clocks_.skew_of(site);
  SessionCounts counts;
  if (const auto found = records_.find(site); found != records_.end()) {
    counts = found->second.counts;
    status.has = found->second.has;
    status.state = found->second.state;
    status.trouble = found->second.trouble;
  }
  if (const auto found = connected_.find(site); found != connected_.end()) {
    const SessionCounts now = found->second->counts();
    counts.changesets_sent += now.changesets_sent;
    counts.changesets_received += now.changesets_received;
    counts.bytes_sent += now.bytes_sent;
    counts.bytes_received += now.bytes_received;
    status.has.merge(found->second->peer_has());
    status.state = PeerState::Connected;
    status.trouble.clear();
  }
  status.compared = anti_entropy_.status_of(site);
  status.changesets_sent = counts.changesets_sent;
  status.changesets_received = counts.changesets_received;
  status.bytes_sent = counts.bytes_sent;
  status.bytes_received = counts.bytes_received;
}

}  // namespace quadrille::sync
