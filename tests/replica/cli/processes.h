// Runs the real program as processes of their own, on loopback, on ports that the system chooses.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace quadrille::test {

// A directory that is gone with this.
class TemporaryDirectory {
 public:
  TemporaryDirectory();
  ~TemporaryDirectory();
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  std::string path(const std::string& name) const { return (path_ / name).string(); }
  // Writes a file and returns its path.
  std::string file(const std::string& name, const std::string& content) const;

 private:
  std::filesystem::path path_;
};

struct Finished {
  int status = -1;  // exit status; 128 + signal
  std::string out;
  std::string err;
};

// `quadrille` with these arguments, to its end.
Finished run_quadrille(const std::vector<std::string>& arguments, const std::string& standard_input = {});

// Any other program.
Finished run_program(const std::string& program, const std::vector<std::string>& arguments,
                     const std::string& standard_input = {});

// `quadrille serve`, from "ready" on, on loopback unless its arguments say where. Killed when this goes, if it still
// runs.
class ServedSite {
 public:
  explicit ServedSite(const std::string& directory, std::vector<std::string> more_arguments = {});
  ~ServedSite();
  ServedSite(const ServedSite&) = delete;
  ServedSite& operator=(const ServedSite&) = delete;

  const std::string& url() const { return url_; }    // "http://127.0.0.1:34567"
  const std::string& http() const { return http_; }  // "127.0.0.1:34567"
  const std::string& sync() const { return sync_; }
  void kill_hard();                     // as a crash does
  void limit_files_to(uint64_t bytes);  // the size to which the process may write any file from now on
  int stop_politely();                  // SIGTERM; the exit status. Killed, and 137, if it still runs after 20 seconds
  std::string trace();                  // what it has written to standard error

 private:
  int wait_for_end();
  pid_t process_ = -1;
  TemporaryDirectory output_;
  std::string url_;
  std::string http_;
  std::string sync_;
};

// A site in `directory`, made by `quadrille init` with these arguments added.
void init(const std::string& directory, const std::string& site, std::vector<std::string> more_arguments = {});

// Asks again until it holds, for up to 20 seconds.
template <class Condition>
bool eventually(Condition&& condition);

struct HttpAnswer {
  int status = 0;
  std::string content_type;
  std::string body;
  std::string version;                         // its version token
  std::map<std::string, std::string> headers;  // by their names in lower case
  std::string header(const std::string& name) const;
};
// One request over HTTP with curl's defaults; status 0: no answer.
HttpAnswer http(const std::string& method, const std::string& url, const std::vector<std::string>& headers = {},
                const std::string& body = {});

// A SPARQL update that must succeed; its version token. And whether a pattern has a solution.
std::string update(const ServedSite& site, const std::string& text);
bool ask(const ServedSite& site, const std::string& pattern);

// A client that sends a request and reads nothing of the answer; its connection is closed when this goes.
class DeafClient {
 public:
  DeafClient(const std::string& http, const std::string& request);  // http: as of ServedSite
  ~DeafClient();
  DeafClient(const DeafClient&) = delete;
  DeafClient& operator=(const DeafClient&) = delete;
  // Whether some of the answer has come.
  bool is_answered() const;

 private:
  int socket_;
};

void sleep_a_little();

template <class Condition>
bool eventually(Condition&& condition) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  do {
    if (condition()) return true;
    sleep_a_little();
  } while (std::chrono::steady_clock::now() < end);
  return false;
}

}  // namespace quadrille::test
