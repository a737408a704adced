#include "sync/session.h"

#include <kj/debug.h>

#include <algorithm>

#include "sync/comparison_server.h"
#include "sync/session_servers.h"

namespace quadrille::sync {

namespace {

constexpr auto farewell_time_max = 2 * kj::SECONDS;

capnp::ReaderOptions reader_options(const SyncOptions& options) {
  capnp::ReaderOptions limits;
  limits.traversalLimitInWords = options.message_bytes_max / sizeof(capnp::word);  // the size of a message, too
  limits.nestingLimit = message_nesting_max;
  return limits;
}

std::string text_of(capnp::Text::Reader text) { return one_line({text.begin(), text.size()}); }

wire::Sink::Reason to_wire(EndKind kind) {
  switch (kind) {
    case EndKind::Another: return wire::Sink::Reason::ANOTHER;
    case EndKind::Refused: return wire::Sink::Reason::REFUSED;
    case EndKind::Violation: return wire::Sink::Reason::VIOLATION;
    case EndKind::Lost:
    case EndKind::Trouble: break;
  }
  return wire::Sink::Reason::TROUBLE;
}

}  // namespace

Session::Session(const Parts& parts, SessionRole role, Connection connection)
    : parts_(parts),
      role_(role),
      link_(std::make_shared<Link>(Link{this})),
      started_at_(parts.timer.now()),
      certified_site_(std::move(connection.certified_site)),
      assembler_(parts.options.changeset_bytes_max),
      last_heard_(started_at_),
      stream_(kj::mv(connection.stream)),
      tasks_(*this) {}

Session::~Session() noexcept { link_->session = nullptr; }

void Session::start() {
  const auto side =
      role_ == SessionRole::Dialed ? capnp::rpc::twoparty::Side::CLIENT : capnp::rpc::twoparty::Side::SERVER;
  network_ = kj::heap<capnp::TwoPartyVatNetwork>(stream_, side, reader_options(parts_.options));
  greeting_deadline_ = parts_.timer.afterDelay(greeting_timeout_ms * kj::MILLISECONDS)
                           .then([this] { end(EndKind::Lost, "no greeting within 10 seconds"); })
                           .eagerlyEvaluate(nullptr);
  tasks_.add(network_->onDisconnect().then([this] { end(EndKind::Lost, lost()); }));
  SinkServer::run(*this, [this] { role_ == SessionRole::Dialed ? start_dialed() : start_accepted(); });
}

void Session::start_dialed() {
  rpc_ = kj::heap(capnp::makeRpcClient(*network_));
  capnp::MallocMessageBuilder message;
  auto vat = message.initRoot<capnp::rpc::twoparty::VatId>();
  vat.setSide(capnp::rpc::twoparty::Side::SERVER);
  auto request = rpc_->bootstrap(vat).castAs<wire::Greeter>().helloRequest();
  const Greeting own = parts_.host.make_greeting(std::nullopt);
  told_direct_ = told_direct_in_round_ = own.direct;
  write_greeting(own, request.initGreeting());
  request.setSink(kj::heap<SinkServer>(link_));
  tasks_.add(request.send().then(
      [this](auto response) { SinkServer::run(*this, [&] { on_hello_answer(response.getAnswer()); }); }));
}

void Session::start_accepted() {
  rpc_ = kj::heap(capnp::makeRpcServer(*network_, wire::Greeter::Client(kj::heap<GreeterServer>(link_))));
}

base::Result<Greeting> Session::read_peer(wire::Greeting::Reader from) const {
  QUADRILLE_ASSIGN(auto greeting, read_greeting(from));
  if (!certified_site_ || greeting.site.name == *certified_site_) return greeting;
  return base::Error{
      base::ErrorKind::InvalidInput,
      "it has the certificate of site " + *certified_site_ + ", and says that it is site " + greeting.site.name,
      {}};
}

std::string Session::lost() const {
  const std::string& why = stream_.failure();
  return why.empty() ? "the connection was lost" : "the connection was lost: " + one_line(why);
}

void Session::on_hello_answer(wire::Greeter::Answer::Reader answer) {
  if (end_) return;
  auto greeting = read_peer(answer.getGreeting());
  if (!greeting.ok()) return end(EndKind::Violation, greeting.error().message);
  peer_ = std::move(greeting).value();
  const Greeting own = parts_.host.make_greeting(peer_->site);
  parts_.host.on_told(*this, says_evicted(own, *peer_));
  if (answer.isRefused()) {
    peer_ended_it_ = true;
    return end(EndKind::Refused, text_of(answer.getRefused()));
  }
  sink_ = answer.getSink();
  if (const auto refusal = find_refusal(own, *peer_)) return end(EndKind::Refused, *refusal);
  open_streams(peer_->vector, peer_->direct);
  if (!end_) update_direct(own.direct);
}

kj::Promise<void> Session::on_hello(HelloContext context) {
  if (peer_ || role_ != SessionRole::Accepted) {
    end(EndKind::Violation, "a second greeting");
    return kj::READY_NOW;
  }
  auto greeting = read_peer(context.getParams().getGreeting());
  if (!greeting.ok()) {
    end(EndKind::Violation, greeting.error().message);
    return kj::READY_NOW;
  }
  peer_ = std::move(greeting).value();
  const Greeting own = parts_.host.make_greeting(peer_->site);
  parts_.host.on_told(*this, says_evicted(own, *peer_));
  told_direct_ = told_direct_in_round_ = own.direct;
  auto answer = context.getResults().initAnswer();
  write_greeting(own, answer.initGreeting());
  if (const auto refusal = find_refusal(own, *peer_)) {
    answer.setRefused(refusal->c_str());
    is_told_by_answer_ = true;
    end(EndKind::Refused, *refusal);
    return kj::READY_NOW;
  }
  sink_ = context.getParams().getSink();
  answer.setSink(kj::heap<SinkServer>(link_));
  return kj::READY_NOW;  // the streams open with the first report: by then the peer has this answer
}

void Session::open_streams(log::VersionVector peer_has, std::set<log::SiteId> peer_direct) {
  greeting_deadline_ = nullptr;
  outgoing_.emplace(OutgoingStream::Parts{parts_.store, parts_.applier.durable(),
                                          std::min(parts_.options.batch_bytes_max, batch_data_bytes_limit / 4)},
                    OutgoingStream::Peer{peer_->site, std::move(peer_has), std::move(peer_direct)});
  parts_.host.on_greeted(*this);
  parts_.host.schedule_advance();
}

kj::Promise<void> Session::on_report(wire::Sink::ReportParams::Reader report) {
  const auto direct = read_sites(report.getDirect());
  const auto vector = read_vector(report.getVector());
  auto held_back = read_vector(report.getHeldBack());
  const uint32_t before = outgoing_ ? outgoing_->round() : 0;
  if (!peer_ || !direct.ok() || !vector.ok() || !held_back.ok() || report.getRound() < before) {
    end(EndKind::Violation, !direct.ok()      ? direct.error().message
                            : !vector.ok()    ? vector.error().message
                            : !held_back.ok() ? held_back.error().message
                                              : std::string("a report out of order"));
    return kj::READY_NOW;
  }
  if (!outgoing_) open_streams(*vector, *direct);
  if (end_) return kj::READY_NOW;
  outgoing_->on_report(*direct, *vector, report.getRound(), std::move(held_back).value());
  if (report.getRound() > before) parts_.host.on_restarted(*this);
  parts_.host.schedule_advance();
  return kj::READY_NOW;
}

void Session::update_direct(std::set<log::SiteId> direct) {
  direct.erase(peer_->site);
  const bool is_first_report = role_ == SessionRole::Dialed && !is_reported_;
  if (direct == told_direct_ && !is_first_report) return;
  if (!std::includes(direct.begin(), direct.end(), told_direct_.begin(), told_direct_.end())) {
    // What the peer left to the connection that is gone, it must send now, and before what it sent meanwhile.
    begin_round();
  }
  told_direct_in_round_.insert(direct.begin(), direct.end());
  told_direct_ = std::move(direct);
  send_report();
}

void Session::begin_round() {
  ++round_;
  told_direct_in_round_.clear();
  assembler_.reset();
  held_.clear();
  withheld_.clear();
  withheld_bytes_ = 0;
  for (auto& push : unanswered_in_) push.done->fulfill();
  unanswered_in_.clear();
}

void Session::send_report() {
  is_reported_ = true;
  is_report_due_ = false;
  KJ_IF_MAYBE (sink, sink_) {
    auto request = sink->reportRequest();
    write_sites(told_direct_, [&](unsigned size) { return request.initDirect(size); });
    write_vector(parts_.applier.durable(), request.initVector());
    request.setRound(round_);
    if (!held_back_.entries().empty()) write_vector(held_back_.first(), request.initHeldBack());
    tasks_.add(request.send().ignoreResult());
  }
}

void Session::advance(const std::set<log::SiteId>& direct) {
  if (!is_connected()) return;
  SinkServer::run(*this, [&] {
    update_direct(direct);
    release_held_back();
    apply_held();
    if (end_) return;
    if (is_report_due_) send_report();
    if (!clock_asked_at_) ask_for_clock();
    answer_pushes();
    push_outgoing();
  });
}

void Session::offer_heartbeat(const reconcile::Heartbeat& heartbeat, uint64_t after_position) {
  if (!is_connected()) return;
  const auto& peer = outgoing_->peer();
  if (heartbeat.site == peer.site || peer.direct.contains(heartbeat.site)) return;
  outgoing_->add_heartbeat(heartbeat, after_position);
}

void Session::check_alive() {
  if (!is_connected()) return;
  const auto now = parts_.timer.now();
  const auto patience = parts_.options.heartbeat_idle_ms * kj::MILLISECONDS;
  if (std::exchange(bytes_read_at_check_, stream_.bytes_read()) != stream_.bytes_read()) {
    last_heard_ = now;
    is_pinged_ = false;
  } else if (is_pinged_ && now - last_heard_ >= 2 * patience) {
    end(EndKind::Lost, "silent for " + std::to_string((now - last_heard_) / kj::SECONDS) + " seconds");
  } else if (!is_pinged_ && now - last_heard_ >= patience) {
    is_pinged_ = true;
    ask_for_clock();
  }
  if (!end_ && clock_asked_at_ && now - *clock_asked_at_ >= patience) ask_for_clock();
}

kj::Promise<void> Session::on_compare(
    capnp::CallContext<wire::Sink::CompareParams, wire::Sink::CompareResults> context) {
  if (is_look_under_way_ || !look_.expired()) return KJ_EXCEPTION(OVERLOADED, "another comparison is under way");
  is_look_under_way_ = true;
  return parts_.host.open_look().then([link = link_, context](std::shared_ptr<CutLook> look) mutable {
    if (link->session == nullptr) return;
    link->session->is_look_under_way_ = false;
    link->session->look_ = look;
    auto results = context.getResults();
    write_vector(look->vector(), results.initVector());
    results.setComparison(kj::heap<ComparisonServer>(std::move(look)));
  });
}

void Session::on_goodbye(wire::Sink::GoodbyeParams::Reader goodbye) {
  peer_ended_it_ = true;
  const std::string text = text_of(goodbye.getText());
  switch (goodbye.getReason()) {
    case wire::Sink::Reason::ANOTHER: return end(EndKind::Another, text);
    case wire::Sink::Reason::REFUSED: return end(EndKind::Refused, text);
    case wire::Sink::Reason::VIOLATION: return end(EndKind::Violation, "the other side says: " + text);
    case wire::Sink::Reason::TROUBLE: break;
  }
  end(EndKind::Trouble, "the other side says: " + text);
}

void Session::taskFailed(kj::Exception&& exception) {
  if (exception.getType() == kj::Exception::Type::DISCONNECTED) return end(EndKind::Lost, lost());
  end(EndKind::Trouble, "the other side failed: " + one_line(exception.getDescription().cStr()));
}

void Session::end(EndKind kind, std::string reason) {
  if (end_) return;
  end_ = SessionEnd{kind, std::move(reason)};
  held_.clear();
  assembler_.reset();
  for (auto& push : unanswered_in_) push.done->reject(KJ_EXCEPTION(DISCONNECTED, "the session has ended"));
  unanswered_in_.clear();
  parts_.host.on_ended(*this);
}

kj::Promise<void> Session::farewell() {
  if (end_->kind == EndKind::Lost || peer_ended_it_) return kj::READY_NOW;
  auto peer_is_gone = network_->onDisconnect();
  if (!is_told_by_answer_) {
    KJ_IF_MAYBE (sink, sink_) {
      auto request = sink->goodbyeRequest();
      request.setReason(to_wire(end_->kind));
      request.setText(end_->reason.c_str());
      auto told = request.send().ignoreResult();
      peer_is_gone = peer_is_gone.exclusiveJoin(kj::mv(told));
    }
  }
  return peer_is_gone.exclusiveJoin(parts_.timer.afterDelay(farewell_time_max));
}

log::VersionVector Session::peer_has() const {
  if (outgoing_) return outgoing_->peer().has;
  return peer_ ? peer_->vector : log::VersionVector();
}

SessionCounts Session::counts() const {
  SessionCounts counts = counts_;
  counts.bytes_sent = stream_.bytes_written();
  counts.bytes_received = stream_.bytes_read();
  return counts;
}

}  // namespace quadrille::sync
