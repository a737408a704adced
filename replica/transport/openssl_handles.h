// What OpenSSL gives out, owned. For the sources of replica/transport and the tests.
#pragma once

#include <openssl/bio.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <memory>

namespace quadrille::replica {

struct FreeContext {
  void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
};
struct FreeSsl {
  void operator()(SSL* ssl) const { SSL_free(ssl); }
};
struct FreeBio {
  void operator()(BIO* bio) const { BIO_free(bio); }
};
struct FreeCertificate {
  void operator()(X509* certificate) const { X509_free(certificate); }
};
struct FreeNames {
  void operator()(GENERAL_NAMES* names) const { GENERAL_NAMES_free(names); }
};
struct FreeKey {
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
};

using ContextHandle = std::unique_ptr<SSL_CTX, FreeContext>;
using SslHandle = std::unique_ptr<SSL, FreeSsl>;
using BioHandle = std::unique_ptr<BIO, FreeBio>;
using CertificateHandle = std::unique_ptr<X509, FreeCertificate>;
using NamesHandle = std::unique_ptr<GENERAL_NAMES, FreeNames>;
using KeyHandle = std::unique_ptr<EVP_PKEY, FreeKey>;

}  // namespace quadrille::replica
