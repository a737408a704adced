#include "sim/trace.h"

#include <fmt/format.h>

#include <utility>

namespace quadrille::sim {
namespace {

constexpr size_t recent_events_max = 400;

std::string at(int64_t us) { return fmt::format("{:>4}.{:06} s ", us / 1000000, us % 1000000); }

}  // namespace

Trace::Trace(const VirtualTime& time, std::function<void(std::string_view line)> print)
    : time_(time), print_(std::move(print)), hash_(XXH3_createState()) {
  XXH3_64bits_reset(hash_.get());
}

void Trace::event(std::string_view site, std::string_view what) {
  ++event_count_;
  std::string line = fmt::format("{} {:<5} {}", at(time_.now_us()), site, what);
  if (print_) print_(line);
  const uint64_t size = line.size();
  XXH3_64bits_update(hash_.get(), &size, sizeof size);
  XXH3_64bits_update(hash_.get(), line.data(), line.size());
  recent_.push_back(std::move(line));
  if (recent_.size() > recent_events_max) recent_.pop_front();
}

void Trace::message(std::string_view from, std::string_view to, std::string_view bytes) {
  ++event_count_;
  const uint64_t content = XXH3_64bits(bytes.data(), bytes.size());
  const int64_t now = time_.now_us();
  const uint64_t facts[] = {static_cast<uint64_t>(now), bytes.size(), content, from.size(), to.size()};
  XXH3_64bits_update(hash_.get(), facts, sizeof facts);
  XXH3_64bits_update(hash_.get(), from.data(), from.size());
  XXH3_64bits_update(hash_.get(), to.data(), to.size());
  if (!print_) return;
  print_(fmt::format("{} {:<5} sends {} bytes to {}, hash {:016x}", at(now), from, bytes.size(), to, content));
}

uint64_t Trace::hash() const { return XXH3_64bits_digest(hash_.get()); }

}  // namespace quadrille::sim
