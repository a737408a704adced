#include "replica/transport/tls_failure.h"

#include <fmt/format.h>
#include <openssl/err.h>
#include <openssl/x509_vfy.h>

#include <string_view>

namespace quadrille::replica {

std::string take_openssl_error() {
  const auto error = ERR_peek_error();  // the first one: what followed is of the callers
  ERR_clear_error();
  const char* reason = ERR_reason_error_string(error);
  return reason ? reason : fmt::format("OpenSSL error {:#x}", error);
}

std::string describe_tls_failure(const SSL* ssl) {
  const int reason = ERR_GET_REASON(ERR_peek_error());
  const auto text = take_openssl_error();
  if (reason == SSL_R_CERTIFICATE_VERIFY_FAILED) {
    return fmt::format("its certificate is refused: {}", X509_verify_cert_error_string(SSL_get_verify_result(ssl)));
  }
  if (reason == SSL_R_PEER_DID_NOT_RETURN_A_CERTIFICATE) {
    return "it shows no certificate; expected one that the cluster's CA has signed";
  }
  if (reason > SSL_AD_REASON_OFFSET) {
    const std::string_view alert = SSL_alert_desc_string_long(reason - SSL_AD_REASON_OFFSET);
    return fmt::format("it refuses this site: {}; its own log says more", alert == "unknown" ? text : alert);
  }
  return fmt::format("the TLS connection failed: {}", text);
}

}  // namespace quadrille::replica
