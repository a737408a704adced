// The history of a model: what all sites together have written, what each changeset had seen, and how they are stamped.
//
// Small numbers stand for everything. A changeset is a place: its origin and its number there. What a site has, what it
// had seen and what it knows of others are sets of changesets; a version vector says the same, as sets are causally
// closed. A stamp is a rank: stamps are any total order that agrees with causality, so every state of all clocks is
// covered by trying each rank that a new changeset may get.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace quadrille::model_check {

inline constexpr size_t sites_max = 3;
inline constexpr size_t changesets_per_site_max = 6;
inline constexpr size_t changesets_max = sites_max * changesets_per_site_max;
inline constexpr size_t cells_max = 2;
inline constexpr size_t policies_max = 10;

using Site = uint8_t;
using Place = uint8_t;          // origin * changesets_per_site_max + seq - 1
using ChangesetSet = uint32_t;  // a bit a place

constexpr ChangesetSet set_of(Place place) { return ChangesetSet{1} << place; }
constexpr bool contains(ChangesetSet set, Place place) { return (set >> place & 1) != 0; }
constexpr bool covers(ChangesetSet set, ChangesetSet part) { return (part & ~set) == 0; }
constexpr Site origin_of(Place place) { return static_cast<Site>(place / changesets_per_site_max); }
constexpr ChangesetSet all_of(Site origin) {
  return ((ChangesetSet{1} << changesets_per_site_max) - 1) << (origin * changesets_per_site_max);
}

// What a cell holds, as its policy encodes it (model_policies.h). 0: nothing.
using Content = uint8_t;
using Contents = std::array<Content, policies_max>;  // one for each policy that is tried at the same time

enum class Write : uint8_t { None, A, B, Delete };
enum class Purpose : uint8_t { Transaction, Join, Eviction, Answer, Assignment };

struct CellWrite {
  Write write = Write::None;
  Contents saw{};
  Contents left{};
};

struct Changeset {
  Purpose purpose = Purpose::Transaction;
  uint8_t rank = 0;       // among transactions, from 1; others need none
  uint8_t number = 0;     // of the policy assignment that it was made under: 0, or 1 behind a change of it
  ChangesetSet seen = 0;  // without itself
  std::array<CellWrite, cells_max> writes;
};

struct History {
  ChangesetSet issued = 0;
  std::array<Changeset, changesets_max> changesets;

  const Changeset& at(Place place) const { return changesets[place]; }
  bool has_seen(Place one, Place other) const { return contains(changesets[one].seen, other); }
  bool are_concurrent(Place one, Place other) const {
    return one != other && !has_seen(one, other) && !has_seen(other, one);
  }
  // Those of `set` that wrote the cell.
  ChangesetSet writers(ChangesetSet set, size_t cell) const;
  // Those of `set` that no other of it has seen.
  ChangesetSet maximal(ChangesetSet set) const;
  uint8_t newest_rank(ChangesetSet set) const;
  uint8_t newest_number(ChangesetSet set) const;
  // Gives it the rank, and moves those from there on up by one.
  void issue(Place place, const Changeset& changeset);
  // Of what a crash undid, which nobody else has.
  void forget(ChangesetSet lost);
};

// Calls with each place of a set, in ascending order.
template <typename Work>
void for_each_place(ChangesetSet set, const Work& work) {
  for (; set != 0; set &= set - 1) work(static_cast<Place>(std::countr_zero(set)));
}

// By rank.
std::vector<Place> in_stamp_order(const History& history, ChangesetSet set);

// Connected by "concurrent", straight from the definition; in causal order.
std::vector<ChangesetSet> find_components(const History& history, ChangesetSet versions);

}  // namespace quadrille::model_check
