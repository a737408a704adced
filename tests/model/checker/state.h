// The state of all sites and of what is under way between them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tests/model/checker/cell.h"

namespace quadrille::model_check {

inline constexpr size_t heartbeats_max = 6;

// What a crash does not undo.
struct SiteData {
  ChangesetSet has = 0;
  std::array<CellState, cells_max> cells;
};

struct SiteState {
  bool is_up = false;
  bool is_stopped = false;  // it was told that it is evicted
  SiteData data;
  SiteData durable;                             // kept apart only while a crash may still come
  std::array<ChangesetSet, sites_max> known{};  // what each member is known to have
};

struct HeartbeatUnderWay {
  Site site = 0;
  ChangesetSet has = 0;

  friend auto operator<=>(const HeartbeatUnderWay&, const HeartbeatUnderWay&) = default;
};

struct State {
  History history;
  std::array<SiteState, sites_max> sites;
  uint8_t heartbeat_count = 0;
  std::array<HeartbeatUnderWay, heartbeats_max> heartbeats;  // each may arrive anywhere, at any time, in any order
  uint8_t transactions_left = 0;
  uint8_t heartbeats_left = 0;
  uint8_t crashes_left = 0;
};

// Equal states have equal bytes, and only they.
void encode(const Setting& setting, const State& state, std::vector<uint8_t>& bytes);
State decode(const Setting& setting, std::span<const uint8_t> bytes);

// Equal where the history and what the site holds are. `bytes` is room to work in.
uint64_t fingerprint(const Setting& setting, const State& state, Site site, std::vector<uint8_t>& bytes);

}  // namespace quadrille::model_check
