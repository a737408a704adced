#include "sim/link.h"

#include <kj/debug.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "engine/base/check.h"

namespace quadrille::sim {
namespace {

kj::Exception disconnected() { return KJ_EXCEPTION(DISCONNECTED, "the simulated connection is lost"); }

}  // namespace

// A read that waits. Lives in its promise; dropped with it.
class Link::Reader {
 public:
  Reader(kj::PromiseFulfiller<size_t>& fulfiller, Direction& direction, void* buffer, size_t bytes_min,
         size_t bytes_max)
      : fulfiller_(fulfiller), direction_(direction), buffer_(buffer), bytes_min_(bytes_min), bytes_max_(bytes_max) {
    direction_.reader = this;
  }
  ~Reader() { leave(); }

  // Takes what is there, if that is enough.
  void serve() {
    const size_t there = direction_.arrived.size() - direction_.taken;
    if (there < bytes_min_ && !direction_.has_end_arrived) return;
    const size_t count = std::min(there, bytes_max_);
    if (count > 0) std::memcpy(buffer_, direction_.arrived.data() + direction_.taken, count);
    direction_.taken += count;
    if (direction_.taken == direction_.arrived.size()) {
      direction_.arrived.clear();
      direction_.taken = 0;
    }
    leave();
    fulfiller_.fulfill(size_t{count});
  }
  void reject(kj::Exception&& exception) {
    leave();
    fulfiller_.reject(kj::mv(exception));
  }
  size_t bytes_min() const noexcept { return bytes_min_; }

 private:
  void leave() {
    if (direction_.reader == this) direction_.reader = nullptr;
  }

  kj::PromiseFulfiller<size_t>& fulfiller_;
  Direction& direction_;
  void* buffer_;
  size_t bytes_min_;
  size_t bytes_max_;
};

// A write that waits for room; its bytes are on their way already. Lives in its promise.
class Link::Writer {
 public:
  Writer(kj::PromiseFulfiller<void>& fulfiller, Direction& direction) : fulfiller_(fulfiller), direction_(direction) {
    direction_.writers.push_back(this);
  }
  ~Writer() { std::erase(direction_.writers, this); }
  kj::PromiseFulfiller<void>& fulfiller() { return fulfiller_; }

 private:
  kj::PromiseFulfiller<void>& fulfiller_;
  Direction& direction_;
};

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wnon-virtual-dtor"  // kj::Own remembers how to destroy what it owns
class LinkStream final : public kj::AsyncIoStream {
 public:
  LinkStream(std::shared_ptr<Link> link, LinkEnd end) : link_(std::move(link)), end_(end) {}
  ~LinkStream() noexcept { link_->close(end_); }
  KJ_DISALLOW_COPY(LinkStream);

  // Each promise keeps the link, not the stream: a promise may be dropped after its stream.
  kj::Promise<size_t> tryRead(void* buffer, size_t bytes_min, size_t bytes_max) override {
    return link_->read(end_, buffer, bytes_min, bytes_max).attach(std::shared_ptr<Link>(link_));
  }
  kj::Promise<void> write(const void* buffer, size_t size) override {
    return put(std::string(static_cast<const char*>(buffer), size));
  }
  kj::Promise<void> write(kj::ArrayPtr<const kj::ArrayPtr<const kj::byte>> pieces) override {
    std::string bytes;
    for (const auto& piece : pieces) bytes.append(reinterpret_cast<const char*>(piece.begin()), piece.size());
    return put(std::move(bytes));
  }
  kj::Promise<void> whenWriteDisconnected() override { return link_->when_write_disconnected(end_); }
  void shutdownWrite() override {
    auto& direction = link_->from(end_);
    if (link_->can_write(direction)) link_->send(end_, {.arrives_us = 0, .bytes = {}, .is_end = true});
    direction.is_closed = true;
  }

 private:
  kj::Promise<void> put(std::string bytes) {
    return link_->write(end_, std::move(bytes)).attach(std::shared_ptr<Link>(link_));
  }

  std::shared_ptr<Link> link_;
  LinkEnd end_;
};
#pragma GCC diagnostic pop

Link::Link(Parts parts, const LinkOptions& options, std::array<std::string, 2> sites)
    : parts_(parts),
      options_(options),
      sites_(std::move(sites)),
      directions_{Direction(parts.time), Direction(parts.time)},
      give_up_(parts.time) {}

Link::~Link() = default;

kj::Own<kj::AsyncIoStream> Link::stream(LinkEnd end) { return kj::heap<LinkStream>(shared_from_this(), end); }

kj::Promise<size_t> Link::read(LinkEnd end, void* buffer, size_t bytes_min, size_t bytes_max) {
  auto& direction = to(end);
  QUADRILLE_CHECK(!direction.reader, "two reads of one stream at once");
  if (lost_) return disconnected();
  auto promise = kj::newAdaptedPromise<size_t, Reader>(direction, buffer, bytes_min, bytes_max);
  serve(direction);
  return promise;
}

kj::Promise<void> Link::write(LinkEnd end, std::string bytes) {
  auto& direction = from(end);
  if (!can_write(direction)) return disconnected();
  if (bytes.empty()) return kj::READY_NOW;
  parts_.trace.message(site(end), site(other(end)), bytes);
  ++parts_.traffic.messages;
  parts_.traffic.bytes += bytes.size();
  send(end, {.arrives_us = 0, .bytes = std::move(bytes), .is_end = false});
  if (!is_full(direction)) return kj::READY_NOW;
  return kj::newAdaptedPromise<void, Writer>(direction);
}

bool Link::is_full(const Direction& direction) const {
  // A reader that waits for more than the window holds must get it.
  const uint64_t window =
      std::max<uint64_t>(options_.window_bytes, direction.reader ? direction.reader->bytes_min() : 0);
  return direction.bytes_on_the_way + direction.arrived.size() - direction.taken > window;
}

kj::Promise<void> Link::when_write_disconnected(LinkEnd end) {
  auto& direction = from(end);
  if (lost_ || direction.is_refused) return kj::READY_NOW;
  auto pair = kj::newPromiseAndFulfiller<void>();
  direction.disconnect_watchers.push_back(kj::mv(pair.fulfiller));
  return kj::mv(pair.promise);
}

int64_t Link::draw_jitter_us() {
  if (options_.jitter_us <= 0) return 0;
  if (options_.jitter == LinkOptions::Jitter::Uniform) return parts_.random.between(0, options_.jitter_us);
  constexpr double means_max = 20;  // no message takes for ever
  const auto mean_us = static_cast<double>(options_.jitter_us);
  return static_cast<int64_t>(std::min(parts_.random.exponential(mean_us), means_max * mean_us));
}

void Link::send(LinkEnd from_end, Segment segment) {
  auto& direction = from(from_end);
  const int64_t now = parts_.time.now_us();
  const auto on_the_line_us = static_cast<int64_t>(segment.bytes.size() * 1'000'000 / options_.bytes_per_second);
  direction.line_free_us = std::max(direction.line_free_us, now) + on_the_line_us;
  segment.arrives_us =
      std::max(direction.line_free_us + options_.latency_us + draw_jitter_us(), direction.last_arrival_us);
  direction.last_arrival_us = segment.arrives_us;
  direction.bytes_on_the_way += segment.bytes.size();
  direction.on_the_way.push_back(std::move(segment));
  await_arrival(from_end);
  watch_for_giving_up();
}

void Link::await_arrival(LinkEnd from_end) {
  auto& direction = from(from_end);
  if (lost_ || direction.is_cut || direction.on_the_way.empty()) return direction.arrival.cancel();
  if (direction.arrival.is_set()) return;
  direction.arrival.set(direction.on_the_way.front().arrives_us, [this, from_end]() { deliver(from_end); });
}

void Link::deliver(LinkEnd from_end) {
  auto& direction = from(from_end);
  const int64_t now = parts_.time.now_us();
  while (!direction.on_the_way.empty() && direction.on_the_way.front().arrives_us <= now) {
    auto segment = std::move(direction.on_the_way.front());
    direction.on_the_way.pop_front();
    direction.bytes_on_the_way -= segment.bytes.size();
    if (direction.is_abandoned) {
      // Nobody is there: the answer that says so travels back.
      if (!segment.is_end && !direction.refusal.is_set()) {
        direction.refusal.set(now + options_.latency_us, [this, &direction]() { tell_refused(direction); });
      }
      continue;
    }
    direction.arrived += segment.bytes;
    direction.has_end_arrived |= segment.is_end;
  }
  await_arrival(from_end);
  serve(direction);
}

void Link::serve(Direction& direction) {
  if (direction.reader && !direction.is_reader_paused) direction.reader->serve();
  if (is_full(direction)) return;
  for (auto* writer : std::exchange(direction.writers, {})) writer->fulfiller().fulfill();
}

void Link::tell_refused(Direction& direction) {
  if (direction.is_refused || lost_) return;
  direction.is_refused = true;
  direction.on_the_way.clear();
  direction.bytes_on_the_way = 0;
  for (auto* writer : std::exchange(direction.writers, {})) writer->fulfiller().reject(disconnected());
  for (auto& watcher : std::exchange(direction.disconnect_watchers, {})) watcher->fulfill();
}

void Link::set_cut(LinkEnd from_end, bool is_cut) {
  auto& direction = from(from_end);
  if (direction.is_cut == is_cut || lost_) return;
  direction.is_cut = is_cut;
  if (!is_cut) {
    // What stalled is sent again now.
    const int64_t earliest = parts_.time.now_us() + options_.latency_us;
    for (auto& segment : direction.on_the_way) segment.arrives_us = std::max(segment.arrives_us, earliest);
    direction.last_arrival_us = std::max(direction.last_arrival_us, earliest);
  }
  await_arrival(from_end);
  watch_for_giving_up();
}

void Link::set_paused(LinkEnd end, bool is_paused) {
  auto& direction = to(end);
  direction.is_reader_paused = is_paused;
  if (!is_paused) serve(direction);
}

void Link::watch_for_giving_up() {
  const auto& [there, back] = directions_;
  if (!there.is_cut && !back.is_cut) return give_up_.cancel();
  // With either way cut the writer hears of no arrival.
  const bool somebody_waits = !there.on_the_way.empty() || !back.on_the_way.empty();
  if (lost_ || !somebody_waits || give_up_.is_set()) return;
  give_up_.set(parts_.time.now_us() + options_.give_up_us, [this]() {
    parts_.trace.event(sites_[0], "gives up the connection to " + sites_[1]);
    lose();
  });
}

void Link::lose() {
  if (lost_) return;
  const auto keep_alive = shared_from_this();
  lost_ = true;
  give_up_.cancel();
  for (auto& direction : directions_) {
    direction.arrival.cancel();
    direction.refusal.cancel();
    direction.on_the_way.clear();
    direction.bytes_on_the_way = 0;
    if (direction.reader) direction.reader->reject(disconnected());
    for (auto* writer : std::exchange(direction.writers, {})) writer->fulfiller().reject(disconnected());
    for (auto& watcher : std::exchange(direction.disconnect_watchers, {})) watcher->fulfill();
  }
}

void Link::close(LinkEnd end) {
  auto& outgoing = from(end);
  if (can_write(outgoing)) send(end, {.arrives_us = 0, .bytes = {}, .is_end = true});
  outgoing.is_closed = true;
  to(end).is_abandoned = true;
}

void Link::end_process(LinkEnd end) { close(end); }

}  // namespace quadrille::sim
