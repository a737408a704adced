// A session and clocks: what the peer's shows, and what it sends that is stamped too far ahead of this site's.
#include "sync/session.h"
#include "sync/session_servers.h"

namespace quadrille::sync {

namespace {

constexpr int64_t wall_ms_limit = 253'402'300'800'000;  // the year 10000
constexpr uint64_t skew_ms_limit = uint64_t{1} << 46;   // some 2,000 years
constexpr size_t held_back_max = vector_entries_max;    // origins

}  // namespace

void Session::ask_for_clock() {
  if (is_clock_asked_) return;
  KJ_IF_MAYBE (sink, sink_) {
    is_clock_asked_ = true;
    const auto asked = parts_.timer.now();
    clock_asked_at_ = asked;
    tasks_.add(sink->pingRequest().send().then([this, asked](auto response) {
      SinkServer::run(*this, [&] { on_clock(asked, response.getWallMs(), response.getSkewMaxMs()); });
    }));
  }
}

void Session::on_clock(kj::TimePoint asked, int64_t wall_ms, uint64_t skew_ms_max) {
  is_clock_asked_ = false;
  if (end_ || wall_ms == 0) return;  // 0: it does not tell
  if (wall_ms < 0 || wall_ms >= wall_ms_limit || skew_ms_max >= skew_ms_limit) {
    return end(EndKind::Violation, "a clock that shows no time between the years 1970 and 10000");
  }
  if (parts_.host.membership().is_member(peer_->site)) {
    parts_.host.clocks().on_answer(peer_->site, asked, wall_ms, static_cast<int64_t>(skew_ms_max));
    parts_.host.schedule_advance();
  }
}

bool Session::holds_back(const log::ChangesetHeader& header) {
  const bool is_told = held_back_.has(header.id.origin, header.id.seq);
  if (!held_back_.holds(header, parts_.host.clocks().reach_ms())) return false;
  if (is_told) return true;
  is_report_due_ = true;
  parts_.host.on_early(header.id.origin, header.stamp);
  if (held_back_.entries().size() > held_back_max) {
    end(EndKind::Trouble, "too many sites are stamped too far ahead of the clock of the other side");
  }
  return true;
}

// Their time has come: they are asked for, and with them whatever came after.
void Session::release_held_back() {
  if (!held_back_.release(parts_.host.clocks().reach_ms())) return;
  begin_round();
  told_direct_in_round_ = told_direct_;
  send_report();
}

}  // namespace quadrille::sync
