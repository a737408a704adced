#include "sync/peer_dialer.h"

#include <algorithm>

namespace quadrille::sync {

namespace {

constexpr auto dial_time_max = 10 * kj::SECONDS;
constexpr auto lived_well = 10 * kj::SECONDS;  // a connection that lasted so long forgives the failures before it

}  // namespace

PeerDialer::PeerDialer(Parts parts, std::string address)
    : parts_(std::move(parts)), address_(std::move(address)), alarm_(parts_.timer, [this] { dial(); }) {}

void PeerDialer::dial() {
  if (site_ && parts_.is_connected_to(*site_)) {
    is_waiting_for_site_ = true;
    return;
  }
  // A dialer that throws instead of giving a broken promise is caught, too.
  auto stream = kj::evalNow([this] { return parts_.dialer.dial(address_); });
  dialing_ = parts_.timer.timeoutAfter(dial_time_max, kj::mv(stream))
                 .then([this](Connection connection) { session_ = parts_.on_connected(kj::mv(connection)); })
                 .catch_([this](kj::Exception&& failure) { fail(one_line(failure.getDescription().cStr())); })
                 .eagerlyEvaluate(nullptr);
}

void PeerDialer::fail(std::string trouble) {
  is_refused_ = false;
  trouble_ = std::move(trouble);
  parts_.on_failed(*this);
  dial_later();
}

void PeerDialer::dial_later() {
  const uint64_t most = std::max(parts_.options.retry_delay_ms_max, uint32_t{1});
  const uint64_t grown = uint64_t{parts_.options.retry_delay_ms_min} << std::min(failures_, uint32_t{20});
  const uint64_t delay = is_refused_ ? most : std::clamp(grown, uint64_t{1}, most);
  ++failures_;
  alarm_.set_after((delay - parts_.random.next() % (delay / 2 + 1)) * kj::MILLISECONDS);
}

void PeerDialer::on_session_ended(const Session& session) {
  if (&session != session_) return;
  session_ = nullptr;
  if (session.peer()) site_ = session.peer()->site;
  const SessionEnd& end = session.why_ended();
  if (parts_.timer.now() - session.started_at() >= lived_well) failures_ = 0;
  is_refused_ = end.kind == EndKind::Refused || end.kind == EndKind::Violation;
  if (end.kind != EndKind::Another) {
    trouble_ = end.reason;
    parts_.on_failed(*this);
  }
  dial_later();
}

void PeerDialer::on_site_left(const log::SiteId& site) {
  if (!is_waiting_for_site_ || site_ != site) return;
  is_waiting_for_site_ = false;
  failures_ = 0;
  dial_later();
}

}  // namespace quadrille::sync
