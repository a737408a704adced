#include "sim/sessions.h"

#include <fmt/format.h>

#include <charconv>
#include <utility>

#include "sim/site_query.h"

namespace quadrille::sim {
namespace {

constexpr double mean_pause_us = 700'000;
constexpr int64_t patience_ms = 4'000;
constexpr int64_t given_up_after_us = 20'000'000;  // a visit to a site that crashed is never answered

}  // namespace

Sessions::Sessions(const Scenario& scenario, uint64_t seed, Parts parts) : parts_(std::move(parts)) {
  const reconcile::PolicyRegistry none;
  is_off_ = reconcile::find_rule(scenario.assignment, none, "", iri_visit).kind != log::CellKind::Quad;
  for (uint64_t i = 0; i < scenario.workload.sessions; ++i) {
    auto session = std::make_unique<Session>(Session{.number = i,
                                                     .life = 0,
                                                     .random = RandomStream(seed, fmt::format("session {}", i)),
                                                     .seen = {},
                                                     .token = {},
                                                     .written = {},
                                                     .last_visit = 0,
                                                     .is_busy = false,
                                                     .busy_number = 0,
                                                     .busy_since_us = 0});
    sessions_.push_back(std::move(session));
  }
}

void Sessions::start(int64_t until_us) {
  if (is_off_) return;
  for (auto& session : sessions_) schedule(*session, until_us);
}

void Sessions::schedule(Session& session, int64_t until_us) {
  const int64_t at = parts_.time.now_us() + static_cast<int64_t>(session.random.exponential(mean_pause_us)) + 1;
  if (at >= until_us) return;
  parts_.agenda.add(at, [this, &session, until_us]() {
    if (session.is_busy && parts_.time.now_us() > session.busy_since_us + given_up_after_us) session.is_busy = false;
    if (!session.is_busy) visit(session);
    schedule(session, until_us);
  });
}

std::string Sessions::subject(const Session& session) const {
  return fmt::format("urn:sim:session/{}-{}", session.number, session.life);
}

bool Sessions::depends_on_the_lost(const Session& session) const {
  for (const auto& [origin, seq] : session.seen.entries()) {
    if (parts_.members.is_given_up(origin)) return true;
  }
  return false;
}

void Sessions::begin_anew(Session& session) {
  ++session.life;
  session.seen = {};
  session.token = {};
  session.written.clear();
}

void Sessions::visit(Session& session) {
  auto& site = *parts_.sites[session.random.below(parts_.sites.size())];
  if (!site.is_running() || site.is_paused() || !may_write(site)) return;
  if (depends_on_the_lost(session)) begin_anew(session);
  session.is_busy = true;
  session.busy_since_us = parts_.time.now_us();
  const uint64_t number = ++session.busy_number;
  const auto token = parts_.forget_versions ? replica::VersionToken() : session.token;
  site.site().versions().enter(token, patience_ms, nullptr, [this, &session, &site, number](const auto& entered) {
    if (session.busy_number != number) return;
    session.is_busy = false;
    if (!entered.ok()) return on_refused(session, site, entered.error());
    read(session, site);
  });
}

void Sessions::on_refused(Session& session, const SimulatedSite& site, const base::Error& error) {
  session.is_busy = false;
  if (error.kind != base::ErrorKind::Mismatch || depends_on_the_lost(session)) return;  // another time
  parts_.report({"session promises", fmt::format("  {} says that session {} can never be served: {}", site.name(),
                                                 session.number, error.message)});
}

void Sessions::read(Session& session, SimulatedSite& site) {
  const auto rows = select_rows(
      site, fmt::format("SELECT ?s ?o WHERE {{ ?s <{}> ?o FILTER(?s = <{}>) }}", iri_visit, subject(session)));
  if (!rows.ok()) return parts_.report({"reads", fmt::format("  {}: {}", site.name(), rows.error().message)});
  std::set<uint64_t> found;
  for (const auto& [session_iri, text] : *rows) {
    uint64_t visit = 0;
    std::from_chars(text.data(), text.data() + text.size(), visit);
    found.insert(visit);
  }
  for (const uint64_t visit : session.written) {
    if (found.contains(visit)) continue;
    return parts_.report(
        {"session promises",
         fmt::format("  session {} wrote its visit {} and does not find it at {}, where its version was "
                     "said to be",
                     session.number, visit, site.name())});
  }
  const auto snapshot = site.store().snapshot();
  const auto vector = snapshot->version_vector();
  if (!vector.covers(session.seen)) {
    return parts_.report(
        {"session promises", fmt::format("  session {} had seen {}, and {} showed it {}", session.number,
                                         log::to_string(session.seen), site.name(), log::to_string(vector))});
  }
  ++visit_count_;
  session.seen.merge(vector);
  session.token = replica::token_of(*snapshot);
  write(session, site);
}

void Sessions::write(Session& session, SimulatedSite& site) {
  session.is_busy = true;
  session.busy_since_us = parts_.time.now_us();
  const uint64_t number = ++session.busy_number;
  const uint64_t visit = ++session.last_visit;
  const auto text = fmt::format("INSERT DATA {{ <{}> <{}> {} }}", subject(session), iri_visit, visit);
  parts_.trace.event(site.name(), fmt::format("is visited by session {}: {}", session.number, text));
  site.site().update(text, [this, &session, number, visit](const auto& outcome) {
    if (session.busy_number != number) return;
    session.is_busy = false;
    if (!outcome.ok()) return;  // it was evicted meanwhile; others look at what sites answer
    const auto& header = outcome->header;
    session.written.insert(visit);
    session.seen.merge(header.dependencies);
    session.seen.raise(header.id.origin, header.id.seq);
    session.token = replica::token_of(header);
  });
}

}  // namespace quadrille::sim
