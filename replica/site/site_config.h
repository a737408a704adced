// A site's TOML file: DIR/site.toml. Every key, with its unit and default; an unknown key is an error.
//
//   default_policy = "add-wins"    # and [[policy]]: see assignment_tables.h
//
//   [site]
//   name = "ams"                   # 1 to 63 of a-z, 0-9 and '-'; required in DIR/site.toml
//   http = "127.0.0.1:7878"        # HOST:PORT to answer HTTP on; port 0: any free one
//   sync = "127.0.0.1:7879"        # HOST:PORT where other sites reach this one
//   peers = []                     # HOST:PORT of the sites that this one connects to
//   durability = "full"            # when an update is answered: "full", once it is on disk; "relaxed", a moment before
//                                  # (a crash may then undo the last of them, each as a whole)
//
//   [http]
//   allow_origins = []             # "https://app.example": pages of there may use this site from a browser; "*": all
//   may anonymous = "none"             # "none", "read" or "write": the role of who sends no token, where there are
//   tokens
//
//   [http.tls]                     # with it HTTP is HTTPS, and nothing else; both files as PEM, relative to this file
//   certificate = "http.crt"
//   key = "http.key"
//
//   [[http.token]]                 # as `quadrille token` prints it; none: everybody may do everything
//   name = "shop"
//   role = "read"                  # "read": queries, data, status; "write": updates, data; "admin": policies, members,
//                                  # copies of the store
//   hash = "sha256:…"
//
//   [sync]
//   allow_plain = false            # true: listens for other sites also where more than this machine reaches it and
//                                  # there is no [sync.tls]
//   compare_every_s = 600          # so often this site's quads are compared with those of each site that it is
//                                  # connected to, by digests (docs/operations.md, "Anti-entropy"); 0: never
//   max_clock_skew_ms = 300000     # what other sites have stamped further ahead of this machine's clock waits, and
//                                  # does nothing here until its time comes (docs/operations.md, "Clocks"); 15000 or
//                                  # more: a site that was killed may stamp 10 seconds ahead when it comes back
//
//   [sync.tls]                     # with it sites talk by mutual TLS only, without it not encrypted; all three files
//   certificate = "ams.crt"        # as PEM, relative to this file. They are read again by themselves when they have
//   key = "ams.key"                # changed, for connections that are made from then on (docs/operations.md)
//   ca = "ca.crt"
//
//   [cluster]
//   name = "quadrille"             # sites of other clusters are refused
//   members = ["ams"]              # names of the founding sites; default: this site alone (for init; who
//                                  # joins later has none: see `quadrille member`)
//
//   [limits]
//   query_time_ms = 60000          # 0: none
//   query_memory_mb = 1024
//   query_spill_mb = 4096          # of temporary files, beside the store, for what a query sorts or groups beyond its
//                                  # memory; 0: none, then it ends
//   reader_age_ms = 600000         # the most that one answer may take with all its sending: until then the store
//                                  # reuses nothing of what the answer reads, and grows
//   request_mb = 1024              # of the body of an HTTP request that is no upload
//   upload_mb = 0                  # of what is sent to /data; 0: what the disk holds
//   answer_mb = 0                  # of an answer, before compression; 0: no limit
//   header_kb = 64                 # of a request's headers, and as much for its URL
//   connections = 1000             # over HTTP, at once; one more takes the place of the one that is idle longest
//   query_threads = 4              # queries that run at once
//   load_memory_mb = 512           # of each load that is sent; what does not fit goes through temporary files
//   version_wait_ms = 5000         # how long a request waits for the version that it names, where it does not say so,
//   version_wait_ms_max = 60000    # and at most
//
//   [federation]
//   allow = []                     # what SERVICE may ask and LOAD may fetch: "https://query.example/sparql" with all
//                                  # below it, "http://10.0.0.5:7878", "*" for all of the public internet; []: nothing
//                                  # (allow_list.h). No proxy is used
//   answer_mb = 64                 # of one answer to a SERVICE, as it is sent
//   document_mb = 256              # of one document of a LOAD
//
//   [conflicts]                    # records of conflicts that are final (conflict_bounds.h)
//   keep_max = 100000              # 0: none; the oldest go
//   keep_days = 90                 # by the time of the record; they go as others settle
//
//   [policies]
//   load = []                      # files of policies that [[policy]] may name beside the built-in ones:
//                                  # ["nearest.lua", "keep-longest.so"]; relative to this file (site_policies.h)
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "reconcile/assignment.h"
#include "reconcile/conflict_bounds.h"
#include "replica/site/allow_list.h"
#include "replica/site/http_config.h"

namespace quadrille::replica {

enum class Durability : uint8_t { Full, Relaxed };

struct SiteLimits {
  int64_t query_time_ms = 60'000;  // 0: none
  int64_t query_memory_mb = 1024;
  int64_t query_spill_mb = 4096;  // 0: none
  int64_t reader_age_ms = 600'000;
  int64_t request_mb = 1024;
  int64_t upload_mb = 0;  // 0: none
  int64_t answer_mb = 0;  // 0: none
  int64_t header_kb = 64;
  int64_t connections = 1000;
  int64_t query_threads = 4;
  int64_t load_memory_mb = 512;
  int64_t version_wait_ms = 5'000;
  int64_t version_wait_ms_max = 60'000;
};

struct FederationConfig {
  AllowList allow;
  int64_t answer_mb = 64;
  int64_t document_mb = 256;
};

struct SyncTlsConfig {  // absolute
  std::filesystem::path certificate;
  std::filesystem::path key;
  std::filesystem::path ca;
};

struct SiteConfig {
  std::string name;  // empty where the file names none
  std::string http = "127.0.0.1:7878";
  std::string sync = "127.0.0.1:7879";
  std::vector<std::string> peers;
  Durability durability = Durability::Full;
  HttpConfig http_access;
  bool allow_plain_sync = false;
  int64_t compare_every_s = 600;
  int64_t max_clock_skew_ms = 300'000;
  std::optional<SyncTlsConfig> sync_tls;
  std::string cluster = "quadrille";
  std::vector<std::string> members;  // sorted; empty where the file names none
  reconcile::Assignment assignment;
  SiteLimits limits;
  FederationConfig federation;
  reconcile::ConflictBounds conflicts;
  std::vector<std::filesystem::path> policy_files;  // absolute
};

// Checks everything that can be checked without the store. `policies`: those that the file loads are among them
// (load_site_policies).
base::Result<SiteConfig> read_site_config(const std::filesystem::path& file, const reconcile::PolicyRegistry& policies);
base::Result<SiteConfig> parse_site_config(std::string_view text, const std::string& file,
                                           const reconcile::PolicyRegistry& policies);
// The file that init writes; it reads back as the same configuration.
std::string to_toml(const SiteConfig& config);

// Sorts, and refuses names that are none, doubles, and a list without `self`.
base::Result<std::vector<std::string>> check_members(std::vector<std::string> members, const std::string& self);

}  // namespace quadrille::replica
