// One site of a history that is played, and what the sites send each other. Internal to simulated_sites.cc.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "log/stamp.h"
#include "policies/check/history.h"
#include "reconcile/policy.h"

namespace quadrille::policies::check {

// Changesets of each site, up to a number.
struct SeqVector {
  std::array<uint16_t, sites_max> seqs{};

  bool covers(size_t site, uint16_t seq) const { return seqs[site] >= seq; }
  void merge(const SeqVector& other) {
    for (size_t i = 0; i < sites_max; ++i) seqs[i] = std::max(seqs[i], other.seqs[i]);
  }
};

struct SimulatedChangeset {
  static constexpr uint8_t none = 0xFF;
  uint8_t site = 0;
  uint16_t seq = 0;
  log::Stamp stamp;
  SeqVector after;         // what its site had with it
  uint8_t version = none;  // what it did to the cell
  uint8_t joins = none;    // the site that it lets in
};

struct SimulatedSite {
  bool is_there = false;
  SeqVector has;
  uint64_t seen = 0;                         // versions that are here, or were
  std::array<SeqVector, sites_max> known{};  // what each site is known to have
  std::vector<uint16_t> log;                 // changesets, in the order in which they came
  log::Stamp clock;
  reconcile::Content base;
  uint64_t window = 0;  // versions
  bool has_folded = false;
};

}  // namespace quadrille::policies::check
