// A connection to another site, as it is handed to a SyncNode.
#pragma once

#include <kj/async-io.h>

#include <optional>
#include <string>
#include <utility>

namespace quadrille::sync {

struct Connection {
  // One that proves nothing: implicit, as a stream is all that most have.
  Connection(kj::Own<kj::AsyncIoStream> plain) : stream(kj::mv(plain)) {}  // NOLINT: implicit on purpose
  Connection(kj::Own<kj::AsyncIoStream> checked, std::string site)
      : stream(kj::mv(checked)), certified_site(std::move(site)) {}

  kj::Own<kj::AsyncIoStream> stream;
  // The name of the site whose certificate the other side has shown. Nothing: it has shown none, and none was asked
  // for.
  std::optional<std::string> certified_site;
};

}  // namespace quadrille::sync
