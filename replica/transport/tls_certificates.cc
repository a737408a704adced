#include "replica/transport/tls_certificates.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <openssl/err.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "replica/transport/certificate_names.h"
#include "replica/transport/tls_failure.h"

namespace quadrille::replica {
namespace {

constexpr int chain_depth_max = 4;

base::Error unusable(const std::filesystem::path& file, const std::string& why, const char* expected) {
  return {base::ErrorKind::InvalidInput, fmt::format("{}: {}; expected {}", file.string(), why, expected), {}};
}

base::Result<void> check_readable(const std::filesystem::path& file) {
  if (access(file.c_str(), R_OK) == 0 && !std::filesystem::is_directory(file)) return {};
  return base::Error{base::ErrorKind::NotFound, fmt::format("{}: no such file, or not readable", file.string()), {}};
}

// Without it OpenSSL asks for the password at the terminal.
int no_password(char*, int, int, void*) { return 0; }

void set_rules(SSL_CTX* context) {
  SSL_CTX_set_min_proto_version(context, TLS1_3_VERSION);
  // No connection takes over what an earlier one had proved: certificates end, and are replaced.
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_num_tickets(context, 0);
  SSL_CTX_set_options(context, SSL_OP_NO_TICKET);
  SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  SSL_CTX_set_verify_depth(context, chain_depth_max);
  SSL_CTX_set_default_passwd_cb(context, no_password);
}

}  // namespace

base::Result<std::unique_ptr<TlsCertificates>> TlsCertificates::read(TlsFiles files, std::string site) {
  std::unique_ptr<TlsCertificates> made(new TlsCertificates(std::move(files), std::move(site)));
  made->seen_ = made->look();
  QUADRILLE_ASSIGN(made->loaded_, made->load());
  return made;
}

TlsCertificates::FileStates TlsCertificates::look() const {
  FileStates states;
  size_t i = 0;
  for (const auto* file : {&files_.certificate, &files_.key, &files_.ca}) {
    struct stat found {};
    if (stat(file->c_str(), &found) == 0) {
      states[i] = {found.st_mtim.tv_sec * 1'000'000'000 + found.st_mtim.tv_nsec, static_cast<uint64_t>(found.st_size),
                   static_cast<uint64_t>(found.st_ino)};
    }
    ++i;
  }
  return states;
}

base::Result<TlsCertificates::Loaded> TlsCertificates::load() const {
  for (const auto* file : {&files_.certificate, &files_.key, &files_.ca}) QUADRILLE_TRY(check_readable(*file));
  ERR_clear_error();
  Loaded loaded{ContextHandle(SSL_CTX_new(TLS_method())), {}};
  SSL_CTX* context = loaded.context.get();
  if (!context) return base::Error{base::ErrorKind::IoFailure, "OpenSSL does not start: " + take_openssl_error(), {}};
  set_rules(context);
  if (SSL_CTX_use_certificate_chain_file(context, files_.certificate.c_str()) != 1) {
    return unusable(files_.certificate, take_openssl_error(), "a certificate as PEM");
  }
  if (SSL_CTX_use_PrivateKey_file(context, files_.key.c_str(), SSL_FILETYPE_PEM) != 1) {
    return unusable(files_.key, take_openssl_error(), "the certificate's key as PEM, without a password");
  }
  if (SSL_CTX_check_private_key(context) != 1) {
    return unusable(files_.key, take_openssl_error(), "the key of the certificate");
  }
  if (SSL_CTX_load_verify_file(context, files_.ca.c_str()) != 1) {
    return unusable(files_.ca, take_openssl_error(), "certificates of CAs as PEM");
  }
  X509* own = SSL_CTX_get0_certificate(context);
  const auto names = site_names_of(own);
  if (std::find(names.begin(), names.end(), site_) == names.end()) {
    return unusable(files_.certificate, fmt::format("it does not name this site, {}", site_),
                    "the site's name as a DNS name among its subject alternative names");
  }
  loaded.end = end_of(own);
  return loaded;
}

SslHandle TlsCertificates::new_connection() {
  if (const auto now = look(); now != seen_) {
    seen_ = now;  // one report of each state
    if (auto again = load(); again.ok()) {
      loaded_ = std::move(again).value();
      report_(fmt::format("certificates have changed and are read again; this site's ends {}", loaded_.end));
    } else {
      report_(fmt::format("certificates have changed and cannot be used, those read before stay: {}",
                          again.error().message));
    }
  }
  return SslHandle(SSL_new(loaded_.context.get()));
}

}  // namespace quadrille::replica
