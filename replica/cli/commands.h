// The commands, one function each. What a person typed has been parsed; each returns the exit status, having said on
// standard error what went wrong.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace quadrille::cli {

struct InitOptions {
  std::string directory;
  std::string site;
  std::string cluster;
  std::vector<std::string> members;
  std::string config;
  std::string from;                // URL of a member: the new site joins its cluster
  std::vector<std::string> peers;  // with `from`; empty: that member
};
int run_init(const InitOptions& options);

struct ServeOptions {
  std::string directory;
  std::string config;
  std::string http;
  std::string sync;
  std::vector<std::string> peers;
  bool check_config = false;
};
int run_serve(const ServeOptions& options);

struct LoadCommandOptions {
  std::string target;
  std::vector<std::string> files;
  std::string graph;
  std::string format;  // of files whose name does not tell
  std::string memory;  // a size; empty: as load::LoadOptions has it
};
int run_load(const LoadCommandOptions& options);

// The version that a running site must have, to answer; see replica/http/version_request.h.
struct VersionOptions {
  std::string after;                // a token; empty: any
  std::optional<uint64_t> wait_ms;  // without it the site's own default
};

struct QueryCommandOptions {
  std::string target;
  std::string text;
  std::string file;
  std::string results = "table";
  bool explain = false;
  bool profile = false;
  VersionOptions version;
};
int run_query_command(const QueryCommandOptions& options);

struct UpdateCommandOptions {
  std::string target;
  std::string text;
  std::string file;
  VersionOptions version;
};
int run_update_command(const UpdateCommandOptions& options);

struct DumpCommandOptions {
  std::string target;
  std::string format = "nq";
};
int run_dump(const DumpCommandOptions& options);

struct StatusCommandOptions {
  std::string url;
  bool json = false;
};
int run_status(const StatusCommandOptions& options);

struct ConflictsCommandOptions {
  std::string target;
  std::string results = "table";
  // Parameters of replica::ConflictFilter and what was given for them.
  std::vector<std::pair<std::string, std::string>> filters;
};
int run_conflicts(const ConflictsCommandOptions& options);

struct MemberOptions {
  std::string url;
  std::string name;  // add: the new site's directory; evict: a member's name
  bool json = false;
  uint32_t wait_s = 60;  // for all others to answer an eviction
};
int run_member_list(const MemberOptions& options);
int run_member_add(const MemberOptions& options);
int run_member_evict(const MemberOptions& options);

struct BackupOptions {
  std::string url;
  std::string file;
};
int run_backup(const BackupOptions& options);

struct RestoreOptions {
  std::string file;
  std::string directory;
  std::string site;  // empty: as the backup's
  std::string config;
  std::string join;    // URL of a member that still lives
  bool alone = false;  // none does
  uint32_t wait_s = 60;
};
int run_restore(const RestoreOptions& options);

struct ReissueOptions {
  std::string earlier;    // directory of a site that was evicted
  std::string directory;  // of the member that writes
};
int run_reissue(const ReissueOptions& options);

// What is assigned, and which policies there are.
struct PolicyListOptions {
  std::string target;
  bool json = false;
};
int run_policy_list(const PolicyListOptions& options);

struct PolicyAssignOptions {
  std::string target;
  std::string file;  // TOML; "-": standard input
};
int run_policy_assign(const PolicyAssignOptions& options);

struct PolicyCheckOptions {
  std::string policy;  // a built-in's name, perhaps with an argument, or a file
  std::string property = "http://example.org/value";
  std::string argument;
  uint64_t cases = 20'000;
  uint64_t seed = 1;
  std::optional<uint64_t> only_case;
  size_t jobs = 2;
  uint32_t limit_s = 10;  // a call that takes longer does not come to an end
};
int run_policy_check(const PolicyCheckOptions& options);
// What `policy check` starts: answers questions from standard input.
int run_policy_answer(const std::string& policy, uint32_t limit_s);

struct TokenOptions {
  std::string name;
  std::string role = "read";
};
int run_token(const TokenOptions& options);

// One directory, or URLs to compare.
struct VerifyOptions {
  std::vector<std::string> targets;  // one directory, or URLs
  bool repair = false;
  std::string from;  // with `repair`
  uint32_t wait_s = 60;
};
int run_verify(const VerifyOptions& options);

}  // namespace quadrille::cli
