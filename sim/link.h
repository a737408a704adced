// A connection between two sites, in memory: two kj::AsyncIoStreams, and between them what a network does to bytes.
//
// What is modelled, a direction at a time:
//   - latency, and jitter that never changes the order of bytes within a connection;
//   - bandwidth: bytes leave one after the other;
//   - back-pressure: a writer waits while more than `window_bytes` are written and not read. One write is taken whole,
//     so that much more may be on the way for a moment;
//   - a cut: bytes on their way and bytes written later stall until it ends. If the cut outlasts `give_up_us` and
//     somebody has written, the connection is lost, as TCP would give up;
//   - loss: both ends see a disconnect, bytes on their way are gone;
//   - the end of a process: what it had written still arrives, then the end of the stream; who writes to it is told so
//     after the message has arrived there and the answer is back.
//
// Single-threaded. Both streams are safe to drop at any time, and so are the promises that they gave: a read that is
// dropped has taken nothing out of the stream, a write that is dropped has been sent.
#pragma once

#include <kj/async-io.h>

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "sim/random_stream.h"
#include "sim/trace.h"
#include "sim/virtual_time.h"

namespace quadrille::sim {

struct LinkOptions {
  enum class Jitter : uint8_t { Uniform, LongTailed };

  int64_t latency_us = 40'000;  // one way
  int64_t jitter_us = 5'000;    // Uniform: at most so much more; LongTailed: so much more on average, exponentially
  Jitter jitter = Jitter::Uniform;
  uint64_t bytes_per_second = 12'500'000;
  uint64_t window_bytes = 256 * 1024;
  int64_t give_up_us = 15'000'000;
};

// Counted over all connections between two sites.
struct LinkTraffic {
  uint64_t messages = 0;  // writes
  uint64_t bytes = 0;
};

enum class LinkEnd : uint8_t { Dialer = 0, Acceptor = 1 };
constexpr LinkEnd other(LinkEnd end) noexcept { return end == LinkEnd::Dialer ? LinkEnd::Acceptor : LinkEnd::Dialer; }

class Link : public std::enable_shared_from_this<Link> {
 public:
  // Outlives the link.
  struct Parts {
    VirtualTime& time;
    RandomStream& random;
    Trace& trace;
    LinkTraffic& traffic;
  };
  // Sites are names, by LinkEnd.
  Link(Parts parts, const LinkOptions& options, std::array<std::string, 2> sites);
  ~Link();

  // Each end's stream, to be asked for once. The streams keep the link alive.
  kj::Own<kj::AsyncIoStream> stream(LinkEnd end);

  const std::string& site(LinkEnd end) const noexcept { return sites_[static_cast<size_t>(end)]; }
  bool is_alive() const noexcept { return !lost_; }  // not lost; its ends may be closed

  // Bytes that `from` writes stall, or move on again.
  void set_cut(LinkEnd from, bool is_cut);
  // The process at `end` neither reads nor is told of anything, or goes on.
  void set_paused(LinkEnd end, bool is_paused);
  void lose();
  // The process at `end` is gone at this moment: whatever its objects do while they are torn down goes nowhere.
  void end_process(LinkEnd end);

 private:
  friend class LinkStream;
  int64_t draw_jitter_us();
  class Reader;
  class Writer;
  struct Segment {
    int64_t arrives_us = 0;
    std::string bytes;
    bool is_end = false;
  };
  // From one end to the other.
  struct Direction {
    explicit Direction(VirtualTime& time) : arrival(time), refusal(time) {}
    std::deque<Segment> on_the_way;
    uint64_t bytes_on_the_way = 0;
    std::string arrived;  // from `taken` on
    size_t taken = 0;
    bool has_end_arrived = false;
    bool is_closed = false;     // the writing end sends no more
    bool is_abandoned = false;  // the reading end is gone
    bool is_refused = false;    // the writing end knows that
    bool is_cut = false;
    bool is_reader_paused = false;
    int64_t line_free_us = 0;  // when the last byte written will have left
    int64_t last_arrival_us = 0;
    Reader* reader = nullptr;
    std::vector<Writer*> writers;
    std::vector<kj::Own<kj::PromiseFulfiller<void>>> disconnect_watchers;
    Alarm arrival;
    Alarm refusal;
  };

  Direction& from(LinkEnd end) { return directions_[static_cast<size_t>(end)]; }
  Direction& to(LinkEnd end) { return from(other(end)); }
  bool can_write(const Direction& direction) const { return !lost_ && !direction.is_closed && !direction.is_refused; }
  bool is_full(const Direction& direction) const;
  void send(LinkEnd from_end, Segment segment);
  void close(LinkEnd end);
  void await_arrival(LinkEnd from_end);
  void deliver(LinkEnd from_end);
  void serve(Direction& direction);
  void tell_refused(Direction& direction);
  void watch_for_giving_up();

  kj::Promise<size_t> read(LinkEnd end, void* buffer, size_t bytes_min, size_t bytes_max);
  kj::Promise<void> write(LinkEnd end, std::string bytes);
  kj::Promise<void> when_write_disconnected(LinkEnd end);

  Parts parts_;
  LinkOptions options_;
  std::array<std::string, 2> sites_;
  std::array<Direction, 2> directions_;
  Alarm give_up_;
  bool lost_ = false;
};

}  // namespace quadrille::sim
