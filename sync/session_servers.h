// What a peer may call. Only sources of Session include this.
#pragma once

#include <exception>

#include "sync/session.h"

namespace quadrille::sync {

// Calls of a peer, made safe: no call reaches a session that is gone, and none throws beyond it.
class Session::SinkServer final : public wire::Sink::Server {
 public:
  explicit SinkServer(std::shared_ptr<Link> link) : link_(std::move(link)) {}

  kj::Promise<void> push(PushContext context) override {
    return guarded([&](Session& session) { return session.on_push(context); });
  }
  kj::Promise<void> report(ReportContext context) override {
    return guarded([&](Session& session) { return session.on_report(context.getParams()); });
  }
  kj::Promise<void> compare(CompareContext context) override {
    return guarded([&](Session& session) { return session.on_compare(context); });
  }
  kj::Promise<void> ping(PingContext context) override {
    return guarded([&](Session& session) -> kj::Promise<void> {
      const ClockWatch& clocks = session.parts_.host.clocks();
      auto answer = context.getResults();
      answer.setWallMs(clocks.wall_ms());
      answer.setSkewMaxMs(static_cast<uint64_t>(clocks.skew_ms_max()));
      return kj::READY_NOW;
    });
  }
  kj::Promise<void> goodbye(GoodbyeContext context) override {
    return guarded([&](Session& session) -> kj::Promise<void> {
      session.on_goodbye(context.getParams());
      return kj::READY_NOW;
    });
  }

  template <class Call>
  static kj::Promise<void> guard(Link& link, Call&& call) {
    kj::Promise<void> result = closed();
    if (link.session == nullptr || link.session->has_ended()) return result;
    run(*link.session, [&] { result = call(*link.session); });
    return result;
  }
  // Turns whatever `call` throws into the end of the session.
  template <class Call>
  static void run(Session& session, Call&& call) {
    try {
      call();
    } catch (const kj::Exception& broken_message) {
      session.end(EndKind::Violation,
                  "a message that cannot be read: " + one_line(broken_message.getDescription().cStr()));
    } catch (const std::exception& own_trouble) {
      session.end(EndKind::Trouble, one_line(own_trouble.what()));
    }
  }

 private:
  static kj::Exception closed() {
    return kj::Exception(kj::Exception::Type::DISCONNECTED, __FILE__, __LINE__, kj::str("the session has ended"));
  }
  template <class Call>
  kj::Promise<void> guarded(Call&& call) {
    return guard(*link_, call);
  }

  std::shared_ptr<Link> link_;
};

class Session::GreeterServer final : public wire::Greeter::Server {
 public:
  explicit GreeterServer(std::shared_ptr<Link> link) : link_(std::move(link)) {}
  kj::Promise<void> hello(HelloContext context) override {
    return SinkServer::guard(*link_, [&](Session& session) { return session.on_hello(context); });
  }

 private:
  std::shared_ptr<Link> link_;
};

}  // namespace quadrille::sync
