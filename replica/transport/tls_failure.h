// What went wrong in TLS, in one line for people.
#pragma once

#include <openssl/ssl.h>

#include <string>

namespace quadrille::replica {

// Of an operation that has just failed with SSL_ERROR_SSL; goes on after "ADDRESS: ". Empties OpenSSL's queue of errors
// of this thread.
std::string describe_tls_failure(const SSL* ssl);
// Of any other failed call: OpenSSL's own words, with the queue emptied.
std::string take_openssl_error();

}  // namespace quadrille::replica
