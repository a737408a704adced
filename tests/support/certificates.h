// A certificate authority of a test's own, and what it signs: made when asked for, kept in files as PEM.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace quadrille::test {

struct CertificateOptions {
  std::vector<std::string> dns_names;
  int64_t begins_in_s = -3600;  // from now on
  int64_t ends_in_s = 3600;
};

class CertificateAuthority {
 public:
  // Keeps its files in that directory, which must be there: NAME.crt, and of each certificate NAME.crt and NAME.key.
  CertificateAuthority(std::filesystem::path directory, const std::string& name);
  ~CertificateAuthority();
  CertificateAuthority(const CertificateAuthority&) = delete;
  CertificateAuthority& operator=(const CertificateAuthority&) = delete;

  std::string file() const;
  // Files of that name are replaced, all at once.
  void issue(const std::string& file_name, const CertificateOptions& options);
  void issue(const std::string& site) { issue(site, {{site}}); }
  std::string certificate(const std::string& file_name) const { return path(file_name + ".crt"); }
  std::string key(const std::string& file_name) const { return path(file_name + ".key"); }

 private:
  struct Signer;
  std::string path(const std::string& file) const { return (directory_ / file).string(); }

  std::filesystem::path directory_;
  std::string name_;
  std::unique_ptr<Signer> signer_;
};

}  // namespace quadrille::test
