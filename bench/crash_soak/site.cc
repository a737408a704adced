#include "bench/crash_soak/site.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <thread>

namespace quadrille::crash_soak {
namespace {

namespace fs = std::filesystem;

constexpr auto patience = std::chrono::minutes(1);

std::string between(const std::string& text, const std::string& begin, const std::string& end) {
  const size_t from = text.find(begin);
  if (from == std::string::npos) return {};
  const size_t to = text.find(end, from + begin.size());
  return to == std::string::npos ? std::string() : text.substr(from + begin.size(), to - from - begin.size());
}

int status_of(int wait_status) {
  return WIFEXITED(wait_status) ? WEXITSTATUS(wait_status) : 128 + WTERMSIG(wait_status);
}

}  // namespace

std::string read_file(const fs::path& name) {
  std::ifstream in(name, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

pid_t start_process(const std::vector<std::string>& arguments, const fs::path& out, const fs::path& err) {
  auto words = arguments;
  std::vector<char*> argv;
  for (auto& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  const pid_t process = ::fork();
  if (process < 0) throw std::runtime_error("no process can be started");
  if (process != 0) return process;
  const int in_file = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  const int out_file = ::open(out.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0600);
  const int err_file = out == err ? out_file : ::open(err.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (::dup2(in_file, 0) < 0 || ::dup2(out_file, 1) < 0 || ::dup2(err_file, 2) < 0) ::_exit(126);
  ::execv(argv[0], argv.data());
  ::_exit(127);
}

int run(const std::vector<std::string>& arguments, const fs::path& output) {
  const pid_t process = start_process(arguments, output, output);
  int wait_status = 0;
  ::waitpid(process, &wait_status, 0);
  return status_of(wait_status);
}

Site::Site(std::string program, const fs::path& directory, std::string name, const std::vector<std::string>& members,
           const fs::path& config)
    : program_(std::move(program)), directory_(directory), name_(std::move(name)) {
  const int status = run({program_, "init", this->directory().string(), "--site", name_, "--members",
                          fmt::format("{}", fmt::join(members, ",")), "--config", config.string()},
                         file(".init"));
  if (status != 0) throw std::runtime_error(read_file(file(".init")));
}

Site::~Site() { kill(); }

std::string Site::trace() const { return read_file(file(".err")); }

std::string Site::verify() const {
  const int status = run({program_, "verify", directory().string()}, file(".verify"));
  return status == 0 ? std::string() : fmt::format("verify ends with {}:\n{}", status, read_file(file(".verify")));
}

void Site::start(const std::vector<std::string>& peers) {
  std::vector<std::string> arguments = {program_,      "serve",  directory().string(), "--http",
                                        "127.0.0.1:0", "--sync", "127.0.0.1:0"};
  for (const auto& peer : peers) arguments.insert(arguments.end(), {"--peer", peer});
  fs::remove(file(".out"));  // else the line of the process before is taken for this one's
  process_ = start_process(arguments, file(".out"), file(".err"));
}

bool Site::wait_until_ready() {
  const auto end = std::chrono::steady_clock::now() + patience;
  while (std::chrono::steady_clock::now() < end) {
    const auto line = read_file(file(".out"));
    const auto sync = between(line, " sync ", "\n");
    if (!sync.empty()) {
      url_ = "http://" + between(line, "http://", " ");
      sync_ = sync;
      return true;
    }
    if (::waitpid(process_, nullptr, WNOHANG) == process_) {
      process_ = -1;
      return false;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return false;
}

void Site::kill() {
  if (process_ < 0) return;
  ::kill(process_, SIGKILL);
  wait_for_end();
}

int Site::stop() {
  ::kill(process_, SIGTERM);
  const auto end = std::chrono::steady_clock::now() + patience;
  while (std::chrono::steady_clock::now() < end) {
    siginfo_t ended{};
    ::waitid(P_PID, static_cast<id_t>(process_), &ended, WEXITED | WNOHANG | WNOWAIT);
    if (ended.si_pid == process_) return wait_for_end();
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  ::kill(process_, SIGKILL);
  return wait_for_end();
}

int Site::wait_for_end() {
  int wait_status = 0;
  ::waitpid(process_, &wait_status, 0);
  process_ = -1;
  return status_of(wait_status);
}

}  // namespace quadrille::crash_soak
