// Hash functions by OpenSSL. https://www.w3.org/TR/sparql11-query/#func-hash
#include <openssl/evp.h>

#include <memory>

#include "engine/exec/call.h"

namespace quadrille::exec {

using model::Term;
using sparql::Function;

namespace {

const EVP_MD* digest_of(Function function) {
  switch (function) {
    case Function::Md5: return EVP_md5();
    case Function::Sha1: return EVP_sha1();
    case Function::Sha256: return EVP_sha256();
    case Function::Sha384: return EVP_sha384();
    case Function::Sha512: return EVP_sha512();
    default: return nullptr;
  }
}

// Nothing where OpenSSL refuses (MD5 may be forbidden by its configuration).
std::optional<std::string> hexadecimal_digest(const EVP_MD* digest, const std::string& text) {
  unsigned char bytes[EVP_MAX_MD_SIZE];
  unsigned int size = 0;
  if (EVP_Digest(text.data(), text.size(), bytes, &size, digest, nullptr) != 1) return std::nullopt;
  constexpr char digits[] = "0123456789abcdef";
  std::string hexadecimal;
  for (unsigned int i = 0; i < size; ++i) {
    hexadecimal.push_back(digits[bytes[i] >> 4]);
    hexadecimal.push_back(digits[bytes[i] & 15]);
  }
  return hexadecimal;
}

}  // namespace

ExpressionPointer make_hash_call(Function function, Arguments& arguments, RunState& run) {
  const EVP_MD* digest = digest_of(function);
  if (digest == nullptr) return nullptr;
  return per_row<1>(std::move(arguments), [&terms = run.terms, digest](TermId id) {
    const auto text = string_argument(id, terms);
    auto hash = text ? hexadecimal_digest(digest, text->text()) : std::nullopt;
    return hash ? terms.pass(Term::literal(std::move(*hash))) : TermId();
  });
}

}  // namespace quadrille::exec
