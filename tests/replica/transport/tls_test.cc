// TLS between sites, over loopback sockets: who gets in, who does not, and what both are told.
#include <kj/async-io.h>

#include <asio/io_context.hpp>
#include <catch2/catch.hpp>
#include <chrono>
#include <fstream>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "replica/transport/dialer.h"
#include "replica/transport/event_port.h"
#include "replica/transport/listener.h"
#include "replica/transport/plain_stream.h"
#include "replica/transport/tls_acceptor.h"
#include "replica/transport/tls_dialer.h"
#include "replica/transport/tls_stream.h"
#include "tests/support/certificates.h"

using namespace quadrille;  // NOLINT
using Catch::Matchers::Contains;
using test::CertificateAuthority;

namespace {

using Stream = kj::Own<kj::AsyncIoStream>;

struct Directory {
  Directory() {
    std::string name = (std::filesystem::temp_directory_path() / "quadrille-tls-XXXXXX").string();
    REQUIRE(mkdtemp(name.data()) != nullptr);
    path = name;
  }
  ~Directory() { std::filesystem::remove_all(path); }
  std::filesystem::path path;
};

bool is_member(const std::string& name) { return name == "ams" || name == "nyc" || name == "sgp"; }

// A listening site, ams, and whoever calls it.
struct Net {
  Directory directory;
  CertificateAuthority ca{directory.path, "ca"};
  CertificateAuthority other_ca{directory.path, "other-ca"};
  asio::io_context io;
  replica::AsioEventPort port{io};
  kj::EventLoop loop{port};
  kj::WaitScope scope{loop};
  replica::AsioDialer tcp{io};
  std::vector<sync::Connection> accepted;
  std::vector<std::string> refused;
  std::vector<std::string> reports;
  std::unique_ptr<replica::TlsCertificates> certificates;
  std::unique_ptr<replica::TlsAcceptor> acceptor;
  std::unique_ptr<replica::AsioListener> listener;

  explicit Net(uint64_t handshake_ms_max = 10'000, size_t handshakes_max = 64) {
    replica::AsioEventPort::share_time(scope);
    ca.issue("ams");
    ca.issue("nyc");
    certificates = read("ams");
    certificates->report_to([this](const std::string& line) { reports.push_back(line); });
    acceptor = std::make_unique<replica::TlsAcceptor>(replica::TlsAcceptor::Parts{
        .certificates = *certificates,
        .is_member = is_member,
        .timer = port.timer(),
        .accepted = [this](sync::Connection connection) { accepted.push_back(kj::mv(connection)); },
        .on_refused = [this](const std::string& line) { refused.push_back(line); },
        .handshake_ms_max = handshake_ms_max,
        .handshakes_max = handshakes_max});
    listener = replica::AsioListener::listen(io, "127.0.0.1:0", [this](Stream stream, const std::string& from) {
                 acceptor->accept(kj::mv(stream), from);
               }).value();
  }

  std::string address() const { return "127.0.0.1:" + std::to_string(listener->port()); }
  std::unique_ptr<replica::TlsCertificates> read(const std::string& site) { return read(ca, site, site, ca); }
  std::unique_ptr<replica::TlsCertificates> read(const CertificateAuthority& issuer, const std::string& file,
                                                 const std::string& site, const CertificateAuthority& trusted) {
    return replica::TlsCertificates::read({issuer.certificate(file), issuer.key(file), trusted.file()}, site).value();
  }
  template <class Condition>
  bool eventually(Condition&& condition) {
    for (int i = 0; i < 5000; ++i) {
      if (condition()) return true;
      port.timer().afterDelay(2 * kj::MILLISECONDS).wait(scope);
    }
    return false;
  }
  // What the caller is told; empty: it was let in.
  std::string call(replica::TlsCertificates& with) {
    replica::TlsDialer dialer(tcp, with, is_member);
    std::string why;
    KJ_IF_MAYBE (exception, kj::runCatchingExceptions([&] { last = dialer.dial(address()).wait(scope).stream; })) {
      CHECK(exception->getType() == kj::Exception::Type::DISCONNECTED);
      why = exception->getDescription().cStr();
    }
    return why;
  }
  // Both ends of a new connection from nyc.
  std::pair<sync::Connection, sync::Connection> connect(replica::TlsCertificates& with) {
    replica::TlsDialer dialer(tcp, with, is_member);
    auto ours = dialer.dial(address()).wait(scope);
    REQUIRE(eventually([&] { return !accepted.empty(); }));
    auto theirs = kj::mv(accepted.back());
    accepted.pop_back();
    return {kj::mv(ours), kj::mv(theirs)};
  }
  Stream last;
};

std::string pattern(size_t size) {
  std::string text(size, ' ');
  uint32_t state = 1;
  for (auto& c : text) c = static_cast<char>((state = state * 1664525 + 1013904223) >> 24);
  return text;
}

void exchange(Net& net, kj::AsyncIoStream& from, kj::AsyncIoStream& to, const std::string& text) {
  auto writing = from.write(text.data(), text.size()).eagerlyEvaluate(nullptr);
  std::string received(text.size(), '\0');
  to.read(received.data(), received.size()).wait(net.scope);
  writing.wait(net.scope);
  CHECK(received == text);
}

}  // namespace

TEST_CASE("two members are let in to each other, know who the other is, and exchange bytes both ways at once") {
  Net net;
  const auto nyc = net.read("nyc");
  auto [ours, theirs] = net.connect(*nyc);
  CHECK(ours.certified_site == "ams");
  CHECK(theirs.certified_site == "nyc");
  const std::string much = pattern(10'000'000);
  auto there = ours.stream->write(much.data(), much.size()).eagerlyEvaluate(nullptr);
  auto back = theirs.stream->write(much.data(), much.size()).eagerlyEvaluate(nullptr);
  std::string at_ours(much.size(), '\0');
  std::string at_theirs(much.size(), '\0');
  auto reading = ours.stream->read(at_ours.data(), at_ours.size()).eagerlyEvaluate(nullptr);
  theirs.stream->read(at_theirs.data(), at_theirs.size()).wait(net.scope);
  reading.wait(net.scope);
  there.wait(net.scope);
  back.wait(net.scope);
  CHECK((at_ours == much && at_theirs == much));
  CHECK(net.refused.empty());
}

TEST_CASE("over TLS, pieces are written in order, whatever their sizes, and then the end") {
  Net net;
  const auto nyc = net.read("nyc");
  auto [ours, theirs] = net.connect(*nyc);
  const std::string text = pattern(400'000);
  std::vector<kj::ArrayPtr<const kj::byte>> pieces;
  size_t at = 0;
  for (size_t i = 0; at < text.size(); ++i) {
    const size_t size = std::min(text.size() - at, i % 7 == 0 ? 40'000 : i % 5);
    pieces.emplace_back(reinterpret_cast<const kj::byte*>(text.data()) + at, size);
    at += size;
  }
  auto writing = ours.stream->write(kj::arrayPtr(pieces.data(), pieces.size())).eagerlyEvaluate(nullptr);
  std::string received(text.size(), '\0');
  theirs.stream->read(received.data(), received.size()).wait(net.scope);
  writing.wait(net.scope);
  CHECK(received == text);
  ours.stream->shutdownWrite();
  char byte;
  CHECK(theirs.stream->tryRead(&byte, 1, 1).wait(net.scope) == 0);
  exchange(net, *theirs.stream, *ours.stream, text);  // the other way is open still
}

TEST_CASE("over TLS, a read that is dropped loses no bytes and touches no memory afterwards") {
  Net net;
  const auto nyc = net.read("nyc");
  auto [ours, theirs] = net.connect(*nyc);
  {
    auto buffer = kj::heapArray<kj::byte>(64);
    auto dropped = theirs.stream->tryRead(buffer.begin(), 64, 64).eagerlyEvaluate(nullptr);
    net.port.timer().afterDelay(5 * kj::MILLISECONDS).wait(net.scope);
  }
  exchange(net, *ours.stream, *theirs.stream, "0123456789");
}

TEST_CASE("over TLS, a write to a peer that goes away fails as disconnected") {
  Net net;
  const auto nyc = net.read("nyc");
  auto [ours, theirs] = net.connect(*nyc);
  const std::string much = pattern(50'000'000);
  auto writing = ours.stream->write(much.data(), much.size()).eagerlyEvaluate(nullptr);
  net.port.timer().afterDelay(5 * kj::MILLISECONDS).wait(net.scope);
  CHECK_FALSE(writing.poll(net.scope));
  theirs.stream = nullptr;
  KJ_IF_MAYBE (exception, kj::runCatchingExceptions([&] { writing.wait(net.scope); })) {
    CHECK(exception->getType() == kj::Exception::Type::DISCONNECTED);
  } else {
    FAIL("the write went through");
  }
}

TEST_CASE("a caller whose certificate is not a member's gets nothing, and both sides say why") {
  Net net;
  struct Case {
    std::string name;
    std::string listener_says;
    std::string caller_is_told;
  };
  net.other_ca.issue("stranger", {{"nyc"}});
  net.ca.issue("expired", {{"nyc"}, -7200, -3600});
  net.ca.issue("early", {{"nyc"}, 3600, 7200});
  net.ca.issue("outsider", {{"lon", "not_a_site_name", "www.example.org"}});
  net.ca.issue("two", {{"nyc", "sgp"}});
  net.ca.issue("unnamed", {{"www.example.org"}});
  const std::vector<std::pair<Case, std::string>> cases = {
      {{"stranger", "its certificate is refused: unable to get local issuer certificate", "unknown CA"}, "nyc"},
      {{"expired", "its certificate is refused: certificate has expired", "certificate expired"}, "nyc"},
      {{"early", "its certificate is refused: certificate is not yet valid", "bad certificate"}, "nyc"},
      {{"outsider", "its certificate names no member (lon); expected one member of the cluster as a DNS name",
        "handshake failure"},
       "lon"},
      {{"two", "its certificate names several members (nyc, sgp); expected one member", "handshake failure"}, "nyc"}};
  for (const auto& [each, site] : cases) {
    CAPTURE(each.name);
    const auto& issuer = each.name == "stranger" ? net.other_ca : net.ca;
    const auto caller = net.read(issuer, each.name, site, net.ca);
    const auto told = net.call(*caller);
    CHECK_THAT(told, Contains("it refuses this site: ") && Contains(each.caller_is_told));
    REQUIRE(net.eventually([&] { return !net.refused.empty(); }));
    CHECK_THAT(net.refused.back(), Contains("a caller from 127.0.0.1: " + each.listener_says));
    CHECK(net.accepted.empty());
    net.refused.clear();
  }
}

TEST_CASE("a caller without a certificate gets not one byte of what the listening site has to say") {
  Net net;
  const replica::ContextHandle bare(SSL_CTX_new(TLS_method()));
  REQUIRE(SSL_CTX_load_verify_file(bare.get(), net.ca.file().c_str()) == 1);
  auto network = net.tcp.connect(net.address()).wait(net.scope);
  std::string told;
  KJ_IF_MAYBE (exception, kj::runCatchingExceptions([&] {
                 replica::make_tls(kj::mv(network), replica::SslHandle(SSL_new(bare.get())), replica::TlsRole::Caller,
                                   is_member)
                     .wait(net.scope);
               })) {
    told = exception->getDescription().cStr();
  }
  CHECK_THAT(told, Contains("it refuses this site") && Contains("certificate required"));
  REQUIRE(net.eventually([&] { return !net.refused.empty(); }));
  CHECK_THAT(net.refused[0], Contains("it shows no certificate; expected one that the cluster's CA has signed"));
  CHECK(net.accepted.empty());
}

TEST_CASE("a caller speaks to nobody whose certificate is not a member's") {
  Net net;
  const auto nyc = net.read("nyc");
  SECTION("of another CA") {
    const auto strict = net.read(net.ca, "nyc", "nyc", net.other_ca);
    CHECK_THAT(net.call(*strict), Contains("its certificate is refused: "));
  }
  SECTION("expired") {
    net.ca.issue("ams", {{"ams"}, -7200, -3600});
    CHECK(net.call(*nyc) == "its certificate is refused: certificate has expired");
  }
  SECTION("of a site that is no member") {
    net.ca.issue("ams", {{"ams", "lon"}});
    replica::TlsDialer dialer(net.tcp, *nyc, [](const std::string& name) { return name == "nyc"; });
    std::string told;
    KJ_IF_MAYBE (exception, kj::runCatchingExceptions([&] { dialer.dial(net.address()).wait(net.scope); })) {
      told = exception->getDescription().cStr();
    }
    CHECK_THAT(told, Contains("its certificate names no member (ams, lon)"));
  }
  REQUIRE(net.eventually([&] { return !net.refused.empty(); }));
  CHECK_THAT(net.refused[0], Contains("it refuses this site: "));
  CHECK(net.accepted.empty());
}

TEST_CASE("plain bytes at a TLS port are answered by an alert and the end, and reported in one line") {
  Net net;
  for (const auto& bytes : {std::string(64, '\0'), std::string("GET / HTTP/1.1\r\n\r\n")}) {
    auto plain = net.tcp.connect(net.address()).wait(net.scope);
    plain->write(bytes.data(), bytes.size()).wait(net.scope);
    const auto answer = plain->readAllBytes().wait(net.scope);
    CHECK(answer.size() == 7);
    CHECK(answer[0] == 21);
    REQUIRE(net.eventually([&] { return !net.refused.empty(); }));
    CHECK(net.refused.back() == "a caller from 127.0.0.1: it does not speak TLS; expected a TLS connection");
    net.refused.clear();
  }
  CHECK(net.accepted.empty());
}

TEST_CASE("garbage in the place of a handshake ends the connection") {
  Net net;
  uint32_t state = 7;
  for (int i = 0; i < 200; ++i) {
    std::string bytes = std::string("\x16\x03\x01", 3) + pattern(static_cast<size_t>(i) * 3 + 2);
    for (auto& c : bytes) {
      state = state * 1664525 + 1013904223;
      if (i % 2 == 0 && state >> 29 == 0) c = static_cast<char>(state >> 16);
    }
    auto caller = net.tcp.connect(net.address()).wait(net.scope);
    caller->write(bytes.data(), bytes.size()).wait(net.scope);
    caller->shutdownWrite();
    // The answer may be an alert, and then the end.
    static_cast<void>(kj::runCatchingExceptions([&] { caller->readAllBytes().wait(net.scope); }));
  }
  CHECK(net.eventually([&] { return net.acceptor->handshakes() == 0; }));
  CHECK(net.accepted.empty());
  CHECK(net.refused.size() == 200);
  const auto nyc = net.read("nyc");
  CHECK(net.call(*nyc).empty());
}

TEST_CASE("a plain site and a TLS site that meet both say so, whoever called") {
  Net net;
  SECTION("the plain one called") {
    auto plain = net.tcp.dial(net.address()).wait(net.scope).stream;
    const std::string greeting(64, '\0');
    plain->write(greeting.data(), greeting.size()).wait(net.scope);
    char byte[64];
    KJ_IF_MAYBE (exception, kj::runCatchingExceptions([&] { plain->tryRead(byte, 8, sizeof byte).wait(net.scope); })) {
      CHECK_THAT(exception->getDescription().cStr(), Contains("it speaks TLS, and this site does not"));
    } else {
      FAIL("the plain site took an alert for a message");
    }
  }
  SECTION("the TLS one called") {
    std::vector<Stream> plain;
    net.listener = replica::AsioListener::listen(net.io, "127.0.0.1:0", [&](Stream stream, const std::string&) {
                     plain.push_back(replica::make_plain(kj::mv(stream)));
                   }).value();
    const auto nyc = net.read("nyc");
    replica::TlsDialer dialer(net.tcp, *nyc, is_member);
    auto dialing = dialer.dial(net.address()).eagerlyEvaluate(nullptr);
    REQUIRE(net.eventually([&] { return !plain.empty(); }));
    char byte[64];
    KJ_IF_MAYBE (exception,
                 kj::runCatchingExceptions([&] { plain[0]->tryRead(byte, 8, sizeof byte).wait(net.scope); })) {
      CHECK_THAT(exception->getDescription().cStr(), Contains("it speaks TLS, and this site does not"));
    } else {
      FAIL("the plain site took a handshake for a message");
    }
    plain.clear();
    KJ_IF_MAYBE (exception, kj::runCatchingExceptions([&] { dialing.wait(net.scope); })) {
      CHECK_THAT(exception->getDescription().cStr(), Contains("does it speak TLS?"));
    } else {
      FAIL("nobody was there to shake hands with");
    }
  }
}

TEST_CASE("a plain connection passes bytes on as they are") {
  Net net;
  std::vector<Stream> plain;
  net.listener = replica::AsioListener::listen(net.io, "127.0.0.1:0", [&](Stream stream, const std::string&) {
                   plain.push_back(replica::make_plain(kj::mv(stream)));
                 }).value();
  auto ours = net.tcp.dial(net.address()).wait(net.scope);
  CHECK_FALSE(ours.certified_site);
  REQUIRE(net.eventually([&] { return !plain.empty(); }));
  const std::string text = std::string(1, '\0') + pattern(100'000);
  exchange(net, *ours.stream, *plain[0], text);
  exchange(net, *plain[0], *ours.stream, text);
  exchange(net, *plain[0], *ours.stream, "\x16\x03 later on is nothing special");
}

TEST_CASE("who does not end its handshake in time is hung up on") {
  Net net(100);
  auto silent = net.tcp.connect(net.address()).wait(net.scope);
  auto slow = net.tcp.connect(net.address()).wait(net.scope);
  slow->write("\x16\x03\x01\x02", 4).wait(net.scope);  // half a header
  char byte;
  CHECK(silent->tryRead(&byte, 1, 1).wait(net.scope) == 0);
  CHECK(slow->tryRead(&byte, 1, 1).wait(net.scope) == 0);
  CHECK(net.eventually([&] { return net.acceptor->handshakes() == 0; }));
  REQUIRE(net.refused.size() == 2);
  CHECK(net.refused[0] == "a caller from 127.0.0.1: no TLS handshake within 100 ms");
}

TEST_CASE("callers that never end their handshakes keep nobody out: the oldest of too many is hung up on") {
  Net net(60'000, 4);
  std::vector<Stream> silent;
  for (int i = 0; i < 6; ++i) {
    silent.push_back(net.tcp.connect(net.address()).wait(net.scope));
    CHECK(net.eventually([&] { return net.acceptor->handshakes() + net.refused.size() == silent.size(); }));
  }
  CHECK(net.acceptor->handshakes() == 4);
  CHECK(net.refused.size() == 2);
  char byte;
  CHECK(silent[0]->tryRead(&byte, 1, 1).wait(net.scope) == 0);
  const auto nyc = net.read("nyc");
  CHECK(net.call(*nyc).empty());
  CHECK(net.refused.size() == 3);
}

TEST_CASE("a caller may go at any moment of its handshake, and the acceptor at any moment of its life") {
  Net net;
  const auto nyc = net.read("nyc");
  {
    replica::TlsDialer dialer(net.tcp, *nyc, is_member);
    for (int i = 0; i < 60; ++i) {
      auto dropped = dialer.dial(net.address()).ignoreResult().eagerlyEvaluate([](kj::Exception&&) {});
      net.port.timer().afterDelay(i * 50 * kj::MICROSECONDS).wait(net.scope);
    }
  }
  auto silent = net.tcp.connect(net.address()).wait(net.scope);
  CHECK(net.eventually([&] { return net.acceptor->handshakes() > 0; }));
  net.acceptor = nullptr;
  net.listener = nullptr;
  char byte;
  CHECK(silent->tryRead(&byte, 1, 1).wait(net.scope) == 0);
}

TEST_CASE("a renewed certificate counts for the next connection, and those that stand go on") {
  Net net;
  const auto nyc = net.read("nyc");
  auto [ours, theirs] = net.connect(*nyc);
  const auto first_end = net.certificates->end();
  net.ca.issue("ams", {{"ams"}, -3600, 7 * 24 * 3600});
  auto [new_ours, new_theirs] = net.connect(*nyc);
  CHECK(net.certificates->end() > first_end);
  REQUIRE(net.reports.size() == 1);
  CHECK_THAT(net.reports[0], Contains("read again") && Contains(net.certificates->end()));
  exchange(net, *ours.stream, *theirs.stream, pattern(100'000));
  exchange(net, *new_theirs.stream, *new_ours.stream, pattern(100'000));
  auto [third_ours, third_theirs] = net.connect(*nyc);
  CHECK(net.reports.size() == 1);  // nothing has changed
}

TEST_CASE("after the CA is replaced, who shows a certificate of the old one is out at the next connection") {
  Net net;
  const auto nyc = net.read("nyc");
  CHECK(net.call(*nyc).empty());
  std::filesystem::copy_file(net.other_ca.file(), net.ca.file(), std::filesystem::copy_options::overwrite_existing);
  CHECK_THAT(net.call(*nyc), Contains("certificate"));
}

TEST_CASE("files that cannot be used are reported once, and what was read before stays until they can") {
  Net net;
  const auto nyc = net.read("nyc");
  std::ofstream(net.ca.certificate("ams")) << "half a certificate";
  CHECK(net.call(*nyc).empty());
  CHECK(net.call(*nyc).empty());
  REQUIRE(net.reports.size() == 1);
  CHECK_THAT(net.reports[0], Contains("cannot be used, those read before stay") && Contains("ams.crt"));
  net.ca.issue("ams", {{"ams"}, -3600, 7 * 24 * 3600});
  CHECK(net.call(*nyc).empty());
  CHECK(net.reports.size() == 2);
}

TEST_CASE("files that are not what they should be are refused at the start, each by name") {
  Net net;
  const auto why = [&](const std::string& certificate, const std::string& key, const std::string& ca,
                       const std::string& site = "ams") {
    const auto read = replica::TlsCertificates::read({certificate, key, ca}, site);
    return read.ok() ? std::string("nothing") : read.error().message;
  };
  const auto crt = net.ca.certificate("ams");
  const auto key = net.ca.key("ams");
  const auto ca = net.ca.file();
  CHECK(why(crt, key, ca) == "nothing");
  CHECK_THAT(why("/none.crt", key, ca), Contains("/none.crt: no such file"));
  CHECK_THAT(why(crt, "/none.key", ca), Contains("/none.key: no such file"));
  CHECK_THAT(why(crt, key, "/"), Contains("/: no such file"));
  CHECK_THAT(why(key, key, ca), Contains("ams.key: ") && Contains("expected a certificate as PEM"));
  CHECK_THAT(why(crt, crt, ca), Contains("ams.crt: ") && Contains("without a password"));
  CHECK_THAT(why(crt, net.ca.key("nyc"), ca), Contains("nyc.key: "));
  CHECK_THAT(why(crt, key, key), Contains("expected certificates of CAs as PEM"));
  CHECK_THAT(why(crt, key, ca, "sgp"), Contains("ams.crt: it does not name this site, sgp"));
}
