#include "reconcile/membership.h"

#include <catch2/catch.hpp>

using namespace quadrille;
using reconcile::Membership;
using reconcile::MembershipEvent;
using reconcile::MembershipKind;

namespace {

log::SiteId life(const std::string& name, uint64_t incarnation = 1) { return {name, incarnation}; }

// What a site announced with its changeset `seq`, having seen these.
MembershipEvent event(const std::string& by, uint64_t seq, int64_t at, reconcile::MembershipChange change,
                      const std::vector<log::ChangesetId>& seen = {}) {
  MembershipEvent made{{life(by), seq}, {at, 0}, {}, std::move(change), false};
  for (const log::ChangesetId& one : seen) made.dependencies.raise(one.origin, one.seq);
  return made;
}
reconcile::MembershipChange join(const log::SiteId& site) { return {MembershipKind::Join, site, {}}; }
reconcile::MembershipChange eviction(const log::SiteId& site) { return {MembershipKind::Eviction, site, {}}; }
reconcile::MembershipChange answer(const std::vector<log::ChangesetId>& to) { return {MembershipKind::Answer, {}, to}; }

const std::vector<std::string> founders = {"ams", "nyc", "sgp"};
using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("founders are members in whatever life, and who joins is one in the life that joined") {
  const Membership membership(founders, {event("ams", 5, 100, join(life("lon", 7)))});
  CHECK(membership.names() == Names{"ams", "lon", "nyc", "sgp"});
  CHECK(membership.is_member(life("nyc", 42)));
  CHECK(membership.is_member(life("lon", 7)));
  CHECK_FALSE(membership.is_member(life("lon", 8)));
  CHECK_FALSE(membership.is_member(life("tyo")));
  CHECK(membership.joined_by(life("lon", 7)) == log::ChangesetId{life("ams"), 5});
}

TEST_CASE("an evicted site counts until every other member has answered, and its name is free then") {
  std::vector<MembershipEvent> events = {event("ams", 5, 100, eviction(life("sgp")))};
  {
    const Membership membership(founders, events);
    CHECK_FALSE(membership.is_member(life("sgp")));
    CHECK(membership.is_evicted(life("sgp")));
    CHECK(membership.names() == Names(founders));
    REQUIRE(membership.pending().size() == 1);
    CHECK(membership.pending()[0].waits_for == Names{"nyc"});
    CHECK(membership.newly_complete().empty());
    CHECK(membership.unanswered_by(life("nyc")).size() == 1);
    CHECK(membership.has_answered_all(life("ams")));
  }
  events.push_back(event("nyc", 9, 101, answer({{life("ams"), 5}})));
  CHECK(Membership(founders, events).newly_complete() == std::vector<log::ChangesetId>{{life("ams"), 5}});
  events[0].is_complete = true;
  const Membership membership(founders, events);
  CHECK(membership.names() == Names{"ams", "nyc"});
  CHECK(membership.pending().empty());
  CHECK(membership.evicted_for_good() == std::vector<log::SiteId>{life("sgp")});
  CHECK(membership.has_ever_had("sgp"));
}

TEST_CASE(
    "of two that evict each other without having seen that, the earlier stamp stands, in whatever order they come") {
  auto early = event("ams", 5, 100, eviction(life("nyc")));
  auto late = event("nyc", 9, 101, eviction(life("ams")));
  for (const bool is_turned : {false, true}) {
    const Membership membership(founders, is_turned ? std::vector{late, early} : std::vector{early, late});
    CHECK(membership.is_evicted(life("nyc")));
    CHECK(membership.is_member(life("ams")));
  }
}

TEST_CASE("an eviction by a site that was evicted later, by somebody who had seen it, stands") {
  const auto first = event("nyc", 9, 100, eviction(life("sgp")));
  const auto then = event("ams", 5, 101, eviction(life("nyc")), {{life("nyc"), 9}});
  const Membership membership(founders, {then, first});
  CHECK(membership.is_evicted(life("sgp")));
  CHECK(membership.is_evicted(life("nyc")));
  CHECK(membership.names() == Names(founders));
  CHECK(membership.unanswered_by(life("ams")) == std::vector<log::ChangesetId>{{life("nyc"), 9}});
  const auto answered = event("ams", 6, 102, answer({{life("nyc"), 9}}));
  CHECK(Membership(founders, {then, first, answered}).newly_complete().size() == 2);  // nobody else is left to answer
}

TEST_CASE("pending evictions are complete together, as one of them may say how far another evicted site was seen") {
  std::vector<MembershipEvent> events = {event("ams", 5, 100, eviction(life("sgp"))),
                                         event("ams", 6, 101, eviction(life("tyo")))};
  const Names four = {"ams", "nyc", "sgp", "tyo"};
  events.push_back(event("nyc", 9, 102, answer({{life("ams"), 5}})));
  CHECK(Membership(four, events).newly_complete().empty());
  events.push_back(event("nyc", 10, 103, answer({{life("ams"), 6}})));
  CHECK(Membership(four, events).newly_complete().size() == 2);
}

TEST_CASE("who joined by a changeset that had seen an eviction need not answer it, and who joined beside it must") {
  const bool has_seen = GENERATE(true, false);
  std::vector<log::ChangesetId> seen;
  if (has_seen) seen.push_back({life("ams"), 5});
  const Membership membership(
      founders, {event("ams", 5, 100, eviction(life("sgp"))), event("nyc", 9, 101, join(life("lon", 7)), seen),
                 event("nyc", 10, 102, answer({{life("ams"), 5}}))});
  CHECK(membership.unanswered_by(life("lon", 7)).empty() == has_seen);
}

TEST_CASE("a founder that nobody had heard of is evicted by its name, and that name may join again") {
  std::vector<MembershipEvent> events = {event("ams", 5, 100, eviction(life("sgp", 0)))};
  CHECK(Membership(founders, events).is_evicted(life("sgp", 3)));
  events[0].is_complete = true;
  events.push_back(event("ams", 6, 200, join(life("sgp", 8))));
  const Membership membership(founders, events);
  CHECK(membership.is_member(life("sgp", 8)));
  CHECK(membership.is_evicted(life("sgp", 3)));
  CHECK(membership.names() == Names(founders));
  CHECK(membership.evicted_for_good().empty());
}

TEST_CASE("a change of membership comes back from its bytes, and what is cut off or too long does not") {
  const auto change =
      GENERATE(join(life("lon", 7)), eviction(life("nyc")), answer({{life("ams"), 5}, {life("nyc"), 6}}));
  const std::string bytes = reconcile::encode(change);
  CHECK(reconcile::decode_membership_change(bytes).value() == change);
  for (size_t length = 0; length < bytes.size(); ++length) {
    CHECK_FALSE(reconcile::decode_membership_change(bytes.substr(0, length)).ok());
  }
  CHECK_FALSE(reconcile::decode_membership_change(bytes + "x").ok());
  CHECK_FALSE(reconcile::decode_membership_change("\x09").ok());
}
