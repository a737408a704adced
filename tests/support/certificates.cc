#include "tests/support/certificates.h"

#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <catch2/catch.hpp>
#include <functional>

namespace quadrille::test {
namespace {

struct FreeKey {
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
};
struct FreeCertificate {
  void operator()(X509* certificate) const { X509_free(certificate); }
};
using Key = std::unique_ptr<EVP_PKEY, FreeKey>;
using Certificate = std::unique_ptr<X509, FreeCertificate>;

void add_extension(X509* certificate, X509* issuer, int kind, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  X509_EXTENSION* extension = X509V3_EXT_conf_nid(nullptr, &context, kind, value.c_str());
  REQUIRE(extension != nullptr);
  X509_add_ext(certificate, extension, -1);
  X509_EXTENSION_free(extension);
}

Certificate make(EVP_PKEY* key, const std::string& name, const CertificateOptions& options) {
  static long serial = 0;
  Certificate made(X509_new());
  X509_set_version(made.get(), 2);
  ASN1_INTEGER_set(X509_get_serialNumber(made.get()), ++serial);
  X509_gmtime_adj(X509_getm_notBefore(made.get()), options.begins_in_s);
  X509_gmtime_adj(X509_getm_notAfter(made.get()), options.ends_in_s);
  X509_set_pubkey(made.get(), key);
  X509_NAME_add_entry_by_txt(X509_get_subject_name(made.get()), "CN", MBSTRING_UTF8,
                             reinterpret_cast<const unsigned char*>(name.c_str()), -1, -1, 0);
  return made;
}

// Beside the old one, then in its place: who looks at a bad moment sees the one or the other.
void write(const std::string& file, const std::function<int(BIO*)>& content) {
  BIO* out = BIO_new_file((file + ".new").c_str(), "w");
  REQUIRE(out != nullptr);
  CHECK(content(out) == 1);
  BIO_free(out);
  std::filesystem::rename(file + ".new", file);
}

}  // namespace

struct CertificateAuthority::Signer {
  Key key;
  Certificate certificate;
};

CertificateAuthority::CertificateAuthority(std::filesystem::path directory, const std::string& name)
    : directory_(std::move(directory)), name_(name), signer_(std::make_unique<Signer>()) {
  signer_->key.reset(EVP_EC_gen("P-256"));
  signer_->certificate = make(signer_->key.get(), name, {});
  X509* certificate = signer_->certificate.get();
  X509_set_issuer_name(certificate, X509_get_subject_name(certificate));
  add_extension(certificate, certificate, NID_basic_constraints, "critical,CA:TRUE");
  add_extension(certificate, certificate, NID_key_usage, "critical,keyCertSign");
  X509_sign(certificate, signer_->key.get(), EVP_sha256());
  write(file(), [&](BIO* out) { return PEM_write_bio_X509(out, certificate); });
}

CertificateAuthority::~CertificateAuthority() = default;

std::string CertificateAuthority::file() const { return path(name_ + ".crt"); }

void CertificateAuthority::issue(const std::string& file_name, const CertificateOptions& options) {
  const Key key(EVP_EC_gen("P-256"));
  const auto made = make(key.get(), file_name, options);
  X509_set_issuer_name(made.get(), X509_get_subject_name(signer_->certificate.get()));
  std::string names;
  for (const auto& name : options.dns_names) names += (names.empty() ? "DNS:" : ",DNS:") + name;
  if (!names.empty()) add_extension(made.get(), signer_->certificate.get(), NID_subject_alt_name, names);
  add_extension(made.get(), signer_->certificate.get(), NID_ext_key_usage, "serverAuth,clientAuth");
  X509_sign(made.get(), signer_->key.get(), EVP_sha256());
  write(this->key(file_name),
        [&](BIO* out) { return PEM_write_bio_PrivateKey(out, key.get(), nullptr, nullptr, 0, nullptr, nullptr); });
  write(certificate(file_name), [&](BIO* out) { return PEM_write_bio_X509(out, made.get()); });
}

}  // namespace quadrille::test
