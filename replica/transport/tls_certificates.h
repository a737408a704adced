// This site's certificate, its key, and the CA that signs those of all members, from PEM files. Read again by itself:
// at each new connection the files' times and sizes are looked at, and where they differ from what was read, all three
// are read anew. What cannot be used is reported, and what was read before stays. Connections that stand, stand.
#pragma once

#include <array>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "engine/base/result.h"
#include "replica/transport/openssl_handles.h"

namespace quadrille::replica {

struct TlsFiles {
  std::filesystem::path certificate;  // this site's, and after it those between it and the CA, if there are any
  std::filesystem::path key;          // without a password
  std::filesystem::path ca;           // one or more
};

class TlsCertificates {
 public:
  // InvalidInput, NotFound: the files are not what they should be; the certificate has to name this site.
  static base::Result<std::unique_ptr<TlsCertificates>> read(TlsFiles files, std::string site);
  // Who hears, in a line, of what was read again, and of what cannot be used.
  void report_to(std::function<void(const std::string&)> report) { report_ = std::move(report); }

  // For a new connection, by what the files say now; the peer's certificate is still to be asked for (tls_stream.h).
  SslHandle new_connection();
  // When this site's certificate ends: "2027-12-01T00:00:00Z".
  const std::string& end() const noexcept { return loaded_.end; }

 private:
  struct FileState {
    int64_t modified_ns = 0;
    uint64_t bytes = 0;
    uint64_t inode = 0;
    friend bool operator==(const FileState&, const FileState&) = default;
  };
  using FileStates = std::array<FileState, 3>;
  struct Loaded {
    ContextHandle context;
    std::string end;
  };

  TlsCertificates(TlsFiles files, std::string site) : files_(std::move(files)), site_(std::move(site)) {}
  FileStates look() const;
  base::Result<Loaded> load() const;

  TlsFiles files_;
  std::string site_;
  std::function<void(const std::string&)> report_ = [](const std::string&) {};
  FileStates seen_{};
  Loaded loaded_;
};

}  // namespace quadrille::replica
