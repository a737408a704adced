#include "sim/seed_runner.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <system_error>

#include "sim/report.h"

namespace quadrille::sim {
namespace {

// A pipe's end, closed when it goes.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&&) = delete;
  int number() const noexcept { return number_; }

 private:
  int number_;
};

struct Running {
  uint64_t seed;
  pid_t process;
  Descriptor results;
  std::string received;
  std::filesystem::path directory;
};

[[noreturn]] void fail(const char* what) { throw std::system_error(errno, std::generic_category(), what); }

void write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = ::write(descriptor, text.data(), text.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return;  // the parent is gone
    text.remove_prefix(static_cast<size_t>(count));
  }
}

// A process of its own: what it says about trouble goes to a file, and handlers of signals stay with the parent.
void become_independent(const std::string& errors) {
  for (const int each : {SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV}) std::signal(each, SIG_DFL);
  const Descriptor file(::open(errors.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  if (::dup2(file.number(), STDERR_FILENO) < 0) std::_Exit(3);
}

// In the child.
void run_and_tell(const Scenario& scenario, uint64_t seed, const RunOptions& options,
                  const std::filesystem::path& directory, int results) {
  become_independent(directory.string() + ".errors");
  RunWishes wishes{.print = {}, .record = options.record, .sent_updates = options.sent_updates};
  if (options.trace) wishes.print = [](std::string_view line) { fmt::print("{}\n", line); };
  const auto result = run_seed(scenario, seed, directory, options.factories, wishes);
  std::fflush(stdout);
  write_all(results, as_json(result).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

// `place`: tells apart those that run at the same time.
Running launch(const ScenarioOf& scenario_of, uint64_t seed, uint64_t place, const RunOptions& options,
               const std::filesystem::path& base) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) fail("pipe");
  Descriptor reading(ends[0]);
  const Descriptor writing(ends[1]);
  auto directory = base / fmt::format("run-{}", place);
  std::fflush(stdout);
  const pid_t process = ::fork();
  if (process < 0) fail("fork");
  if (process == 0) {
    run_and_tell(scenario_of(seed), seed, options, directory, writing.number());
    std::_Exit(0);  // what the parent has open and buffered is the parent's
  }
  return {seed, process, std::move(reading), {}, std::move(directory)};
}

std::string read_file(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

SeedResult collect(Running& running) {
  int status = 0;
  while (::waitpid(running.process, &status, 0) < 0 && errno == EINTR) {
  }
  const std::filesystem::path errors = running.directory.string() + ".errors";
  const auto json = nlohmann::json::parse(running.received, nullptr, false);
  SeedResult result;
  if (!json.is_discarded() && WIFEXITED(status) && WEXITSTATUS(status) == 0) {
    result = seed_result_from_json(json);
  } else {
    result.seed = running.seed;
    result.violations.push_back(
        {"no crash", fmt::format("  the process ended by {} {}\n  {}", WIFSIGNALED(status) ? "signal" : "status",
                                 WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status), read_file(errors))});
  }
  std::error_code ignored;
  std::filesystem::remove_all(running.directory, ignored);
  std::filesystem::remove(errors, ignored);
  return result;
}

// Reads what has come from one child; true when it has said all.
bool read_some(Running& running) {
  char buffer[16384];
  const ssize_t count = ::read(running.results.number(), buffer, sizeof buffer);
  if (count < 0 && errno == EINTR) return false;
  if (count > 0) running.received.append(buffer, static_cast<size_t>(count));
  return count <= 0;
}

}  // namespace

std::filesystem::path make_work_directory() {
  const char* in_memory = "/dev/shm";
  const auto base =
      ::access(in_memory, W_OK) == 0 ? std::filesystem::path(in_memory) : std::filesystem::temp_directory_path();
  std::string name = (base / "quadrille-sim-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) {
    throw std::filesystem::filesystem_error("cannot make a directory", base,
                                            std::error_code(errno, std::generic_category()));
  }
  return name;
}

namespace {

// Runs `count` of them, each in a process of its own. `on_result` gets each by its number as it comes.
void run_all(uint64_t count, const RunOptions& options, const std::function<Running(uint64_t number)>& launch_one,
             const std::function<void(uint64_t number, SeedResult)>& on_result) {
  std::vector<std::pair<uint64_t, Running>> running;
  uint64_t next = 0;
  while (next < count || !running.empty()) {
    while (next < count && running.size() < options.jobs) {
      running.emplace_back(next, launch_one(next));
      ++next;
    }
    std::vector<pollfd> polled;
    for (const auto& [number, each] : running) polled.push_back({each.results.number(), POLLIN, 0});
    if (::poll(polled.data(), polled.size(), -1) < 0 && errno != EINTR) fail("poll");
    std::vector<std::pair<uint64_t, Running>> still_running;
    for (size_t i = 0; i < running.size(); ++i) {
      if (polled[i].revents == 0 || !read_some(running[i].second)) {
        still_running.push_back(std::move(running[i]));
        continue;
      }
      on_result(running[i].first, collect(running[i].second));
    }
    running = std::move(still_running);
  }
}

}  // namespace

std::vector<SeedResult> run_seeds(const ScenarioOf& scenario_of, SeedRange seeds, const RunOptions& options,
                                  const std::filesystem::path& directory,
                                  const std::function<void(const SeedResult&)>& on_result) {
  std::map<uint64_t, SeedResult> results;
  run_all(
      seeds.last - seeds.first + 1, options,
      [&](uint64_t number) { return launch(scenario_of, seeds.first + number, number, options, directory); },
      [&](uint64_t number, SeedResult result) {
        on_result(result);
        results.emplace(number, std::move(result));
      });
  std::vector<SeedResult> in_order;
  for (auto& [number, result] : results) in_order.push_back(std::move(result));
  return in_order;
}

std::vector<SeedResult> run_seeds(const Scenario& scenario, SeedRange seeds, const RunOptions& options,
                                  const std::filesystem::path& directory,
                                  const std::function<void(const SeedResult&)>& on_result) {
  return run_seeds([&](uint64_t) { return scenario; }, seeds, options, directory, on_result);
}

std::vector<SeedResult> run_scenarios(const std::vector<Scenario>& scenarios, uint64_t seed, const RunOptions& options,
                                      const std::filesystem::path& directory) {
  std::vector<SeedResult> results(scenarios.size());
  run_all(
      scenarios.size(), options,
      [&](uint64_t number) {
        return launch([&](uint64_t) { return scenarios[number]; }, seed, number, options, directory);
      },
      [&](uint64_t number, SeedResult result) { results[number] = std::move(result); });
  return results;
}

}  // namespace quadrille::sim
