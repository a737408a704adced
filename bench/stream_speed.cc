// What TLS costs a connection between sites: bytes over loopback in the sizes of batches, without TLS and with it, both
// ends on one thread. Certificates are made for the run.
//
//   stream_speed [megabytes]
#include <fmt/format.h>
#include <openssl/evp.h>
#include <openssl/x509v3.h>

#include <asio/io_context.hpp>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <string>
#include <vector>

#include "replica/transport/dialer.h"
#include "replica/transport/event_port.h"
#include "replica/transport/listener.h"
#include "replica/transport/openssl_handles.h"
#include "replica/transport/tls_stream.h"

using namespace quadrille;  // NOLINT

namespace {

using Stream = kj::Own<kj::AsyncIoStream>;
constexpr size_t batch_bytes = 128 * 1024;

// One certificate for both ends, which is its own CA.
struct Certificate {
  replica::KeyHandle key{EVP_EC_gen("P-256")};
  replica::CertificateHandle certificate{X509_new()};
  Certificate() {
    X509* made = certificate.get();
    X509_set_version(made, 2);
    ASN1_INTEGER_set(X509_get_serialNumber(made), 1);
    X509_gmtime_adj(X509_getm_notBefore(made), -60);
    X509_gmtime_adj(X509_getm_notAfter(made), 3600);
    X509_set_pubkey(made, key.get());
    X509_set_issuer_name(made, X509_get_subject_name(made));
    X509V3_CTX context;
    X509V3_set_ctx_nodb(&context);
    X509V3_set_ctx(&context, made, made, nullptr, nullptr, 0);
    X509_EXTENSION* names = X509V3_EXT_conf_nid(nullptr, &context, NID_subject_alt_name, "DNS:ams");
    X509_add_ext(made, names, -1);
    X509_EXTENSION_free(names);
    X509_sign(made, key.get(), EVP_sha256());
  }
};

replica::ContextHandle context_of(const Certificate& own) {
  replica::ContextHandle context(SSL_CTX_new(TLS_method()));
  SSL_CTX_set_min_proto_version(context.get(), TLS1_3_VERSION);
  SSL_CTX_use_certificate(context.get(), own.certificate.get());
  SSL_CTX_use_PrivateKey(context.get(), own.key.get());
  X509_STORE_add_cert(SSL_CTX_get_cert_store(context.get()), own.certificate.get());
  return context;
}

kj::Promise<void> send(kj::AsyncIoStream& stream, const std::vector<kj::byte>& batch, uint64_t left) {
  if (left == 0) return kj::READY_NOW;
  return stream.write(batch.data(), batch.size()).then([&stream, &batch, left] {
    return send(stream, batch, left - 1);
  });
}

kj::Promise<void> receive(kj::AsyncIoStream& stream, std::vector<kj::byte>& into, uint64_t left) {
  if (left == 0) return kj::READY_NOW;
  return stream.read(into.data(), into.size()).then([&stream, &into, left] { return receive(stream, into, left - 1); });
}

void measure(const char* what, kj::AsyncIoStream& from, kj::AsyncIoStream& to, uint64_t batches, kj::WaitScope& scope) {
  const std::vector<kj::byte> batch(batch_bytes, 'x');
  std::vector<kj::byte> received(batch_bytes);
  const auto start = std::chrono::steady_clock::now();
  const auto cpu_start = std::clock();
  auto sending = send(from, batch, batches).eagerlyEvaluate(nullptr);
  receive(to, received, batches).wait(scope);
  sending.wait(scope);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const double cpu = static_cast<double>(std::clock() - cpu_start) / CLOCKS_PER_SEC;
  const double megabytes = static_cast<double>(batches * batch_bytes) / 1e6;
  fmt::print("{:<8}{:>8.0f} MB/s wall, {:>6.2f} ms CPU a MB, both ends\n", what, megabytes / seconds,
             cpu * 1000 / megabytes);
}

}  // namespace

int main(int argc, char** argv) {
  const uint64_t megabytes = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1000;
  const uint64_t batches = megabytes * 1'000'000 / batch_bytes + 1;
  asio::io_context io;
  replica::AsioEventPort port(io);
  kj::EventLoop loop(port);
  kj::WaitScope scope(loop);
  replica::AsioEventPort::share_time(scope);
  replica::AsioDialer dialer(io);
  std::vector<Stream> accepted;
  auto listener = replica::AsioListener::listen(io, "127.0.0.1:0", [&](Stream stream, const std::string&) {
                    accepted.push_back(kj::mv(stream));
                  }).value();
  const auto address = fmt::format("127.0.0.1:{}", listener->port());
  const auto connect = [&] {
    auto ours = dialer.connect(address).wait(scope);
    while (accepted.empty()) port.timer().afterDelay(1 * kj::MILLISECONDS).wait(scope);
    auto theirs = kj::mv(accepted.back());
    accepted.pop_back();
    return std::pair(kj::mv(ours), kj::mv(theirs));
  };

  auto [plain, plain_end] = connect();
  measure("plain", *plain, *plain_end, batches, scope);

  const Certificate certificate;
  const auto context = context_of(certificate);
  const auto ssl = [&] { return replica::SslHandle(SSL_new(context.get())); };
  const replica::IsMember is_member = [](const std::string&) { return true; };
  const auto start = std::clock();
  constexpr int handshakes = 100;
  for (int i = 0; i < handshakes; ++i) {
    auto [ours, theirs] = connect();
    auto called = replica::make_tls(kj::mv(ours), ssl(), replica::TlsRole::Caller, is_member).eagerlyEvaluate(nullptr);
    auto listened = replica::make_tls(kj::mv(theirs), ssl(), replica::TlsRole::Listener, is_member).wait(scope);
    auto caller = called.wait(scope);
    if (i + 1 < handshakes) continue;
    fmt::print("{:<8}{:>8.2f} ms CPU, both ends\n", "handshake",
               static_cast<double>(std::clock() - start) * 1000 / CLOCKS_PER_SEC / handshakes);
    measure("TLS", *caller.stream, *listened.stream, batches, scope);
  }
}
