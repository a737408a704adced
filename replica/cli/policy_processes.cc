#include "replica/cli/policy_processes.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <thread>
#include <utility>

#include "policies/check/dice.h"
#include "policies/check/imported_symbols.h"
#include "policies/policy_file.h"

extern char** environ;

namespace quadrille::cli {
namespace {

constexpr uint32_t hasty_part = 10;  // of the limit, for a fork: there may be many of them

using policies::check::Answer;
using policies::check::Question;
using policies::check::Request;
using policies::check::Round;

base::Error failure(std::string_view what) {
  return {base::ErrorKind::IoFailure, fmt::format("{}: {}", what, std::strerror(errno)), {}};
}

class Descriptor {
 public:
  explicit Descriptor(int descriptor = -1) : descriptor_(descriptor) {}
  ~Descriptor() { reset(); }
  Descriptor(Descriptor&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    reset();
    descriptor_ = std::exchange(other.descriptor_, -1);
    return *this;
  }
  int get() const { return descriptor_; }
  void reset() {
    if (descriptor_ >= 0) close(descriptor_);
    descriptor_ = -1;
  }

 private:
  int descriptor_;
};

bool write_all(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    bytes.remove_prefix(static_cast<size_t>(written));
  }
  return true;
}

std::string read_all(int descriptor) {
  std::string bytes;
  std::array<char, 1 << 16> part;
  for (;;) {
    const ssize_t count = read(descriptor, part.data(), part.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return bytes;
    bytes.append(part.data(), static_cast<size_t>(count));
  }
}

std::pair<Descriptor, Descriptor> make_pipe() {
  int ends[2] = {-1, -1};
  if (pipe2(ends, O_CLOEXEC) != 0) return std::pair(Descriptor(), Descriptor());
  return {Descriptor(ends[0]), Descriptor(ends[1])};
}

std::string describe_end(int status) {
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM) return "it did not come to an end";
  if (WIFSIGNALED(status)) return fmt::format("it crashed: {}", strsignal(WTERMSIG(status)));
  return fmt::format("it ended with status {}", WEXITSTATUS(status));
}

// What looks like the name of an environment variable in a library that asks for some.
std::vector<std::string> variables_in(const std::string& policy) {
  const auto bytes = policies::read_policy_file(policy, size_t{1} << 28);
  if (!bytes || policies::check::classify_imports(policies::check::imported_symbols(*bytes)).environment.empty())
    return {};
  std::vector<std::string> names;
  std::string name;
  for (const char c : *bytes) {
    const bool fits = (c >= 'A' && c <= 'Z') || c == '_' || (!name.empty() && c >= '0' && c <= '9');
    if (fits) name += c;
    if (fits) continue;
    if (c == '\0' && name.size() >= 3 && name.size() < 64 && !name.starts_with("LD_") && names.size() < 1000)
      names.push_back(name);
    name.clear();
  }
  return names;
}

std::string value_of(const char* variable) {
  const char* const value = getenv(variable);
  return value ? value : "";
}

// A locale that is not ours, of those that are installed.
std::string other_locale() {
  std::string ours = value_of("LC_ALL");
  if (ours.empty()) ours = value_of("LANG");
  for (const char* const name : {"tr_TR.utf8", "de_DE.utf8", "fr_FR.utf8"}) {
    if (std::filesystem::is_directory(std::filesystem::path("/usr/lib/locale") / name) &&
        !ours.starts_with(std::string(name, 5)))
      return name;
  }
  return ours == "C.UTF-8" || ours == "C.utf8" ? "C" : "C.UTF-8";
}

std::vector<std::string> other_environment(const std::string& policy) {
  std::vector<std::string> environment;
  for (char** entry = environ; *entry; ++entry) {
    const std::string_view text(*entry);
    const bool is_loaders = text.starts_with("LD_") || text.substr(0, text.find('=')).ends_with("SAN_OPTIONS");
    if (is_loaders) environment.emplace_back(text);
  }
  const std::string locale = other_locale();
  for (const char* const name : {"LC_ALL", "LANG", "LANGUAGE"})
    environment.push_back(fmt::format("{}={}", name, locale));
  environment.emplace_back(value_of("TZ") == "QDL-13:45" ? "TZ=QDL+11:15" : "TZ=QDL-13:45");
  for (const char* const name : {"USER", "LOGNAME", "HOSTNAME"})
    environment.push_back(fmt::format("{}=somebody-else", name));
  for (const char* const name : {"HOME", "PWD", "TMPDIR", "PATH"}) environment.push_back(fmt::format("{}=/", name));
  for (const std::string& name : variables_in(policy)) {
    const bool is_there = std::any_of(environment.begin(), environment.end(),
                                      [&](const auto& entry) { return entry.starts_with(name + "="); });
    if (!is_there) environment.push_back(name + "=1");
  }
  return environment;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> all;
  for (std::string& text : texts) all.push_back(text.data());
  all.push_back(nullptr);
  return all;
}

// The process, reading `in` and writing `out`.
base::Result<pid_t> start(const std::string& policy, uint32_t limit_s, int in, int out, bool other_surroundings) {
  std::vector<std::string> words = {"quadrille", "policy", "answer", policy, "--limit", std::to_string(limit_s)};
  std::vector<std::string> environment = other_surroundings ? other_environment(policy) : std::vector<std::string>();
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, in, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
  if (other_surroundings) posix_spawn_file_actions_addchdir_np(&actions, "/");
  pid_t process = -1;
  std::vector<char*> argv = pointers(words);
  std::vector<char*> envp = pointers(environment);
  const std::string program = std::filesystem::read_symlink("/proc/self/exe").string();
  errno = posix_spawn(&process, program.c_str(), &actions, nullptr, argv.data(),
                      other_surroundings ? envp.data() : environ);
  posix_spawn_file_actions_destroy(&actions);
  if (errno != 0) return failure("another process of this program cannot be started");
  return process;
}

// Takes memory and gives it back in another order, so that what is taken next lies elsewhere.
void stir_heap() {
  policies::check::Dice dice(static_cast<uint64_t>(getpid()));
  std::vector<std::unique_ptr<char[]>> blocks;
  for (int i = 0; i < 20'000; ++i) blocks.push_back(std::make_unique<char[]>(dice.between(1, 400)));
  for (size_t i = blocks.size(); i > 1; --i) std::swap(blocks[i - 1], blocks[dice.below(static_cast<uint32_t>(i))]);
  blocks.resize(blocks.size() / 4);
  std::vector<std::unique_ptr<char[]>> kept;
  for (size_t i = 0; i < blocks.size(); i += 2) kept.push_back(std::move(blocks[i]));
  blocks.clear();
  for (auto& block : kept) static_cast<void>(block.release());  // the process ends soon
}

std::string answer_group(const reconcile::Policy& policy, const std::vector<Question>& group, uint32_t limit_s) {
  std::string bytes;
  for (const auto& question : group) {
    alarm(limit_s);
    const Answer answer = policies::check::ask(policy, question);
    alarm(0);
    policies::check::write_answer(bytes, answer);
  }
  return bytes;
}

// What a fork leaves in the file that all share: how it ended, and its answers.
struct Frame {
  int64_t status = 0;  // as waitpid() says
  uint64_t size = 0;
};

std::string_view bytes_of(const Frame& frame) { return {reinterpret_cast<const char*>(&frame), sizeof frame}; }

// Takes no memory and gives none back: the next fork must find the same as this one.
bool answer_in_fork(const reconcile::Policy& policy, const std::vector<Question>& group, bool stirs, uint32_t limit_s,
                    int file) {
  const pid_t process = fork();
  if (process < 0) return false;
  if (process == 0) {
    if (stirs) stir_heap();
    const std::string bytes = answer_group(policy, group, limit_s);
    const Frame frame{0, bytes.size()};
    const bool is_written = write_all(file, bytes_of(frame)) && write_all(file, bytes);
    _exit(is_written ? 0 : 1);
  }
  int status = 0;
  while (waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  return status == 0 || write_all(file, bytes_of(Frame{status, 0}));
}

// All rounds, each group in a fork of its own.
base::Result<std::string> answer_in_forks(const reconcile::Policy& policy, const Request& request, uint32_t limit_s) {
  const Descriptor file(memfd_create("answers", MFD_CLOEXEC));
  if (file.get() < 0) return failure("answers cannot be kept");
  for (const Round& round : request.rounds) {
    std::this_thread::sleep_for(std::chrono::milliseconds(round.pause_ms));
    for (const auto& group : request.groups) {
      if (!answer_in_fork(policy, group, round.stirs_heap, limit_s, file.get()))
        return failure("no fork of this process");
    }
  }
  if (lseek(file.get(), 0, SEEK_SET) != 0) return failure("answers cannot be read");
  const std::string frames = read_all(file.get());
  std::string answers;
  size_t place = 0;
  for (size_t round = 0; round < request.rounds.size(); ++round) {
    for (const auto& group : request.groups) {
      Frame frame;
      if (frames.size() - place < sizeof frame) return failure("a fork of this process wrote no answers");
      std::memcpy(&frame, frames.data() + place, sizeof frame);
      place += sizeof frame;
      if (frame.size > frames.size() - place) return failure("a fork of this process wrote only some answers");
      answers.append(frames, place, frame.size);
      place += frame.size;
      for (size_t i = 0; frame.status != 0 && i < group.size(); ++i) {
        policies::check::write_answer(answers, {{}, describe_end(static_cast<int>(frame.status)), false});
      }
    }
  }
  return answers;
}

}  // namespace

base::Result<std::vector<Answer>> PolicyProcesses::ask(std::string_view request, bool other_surroundings) const {
  const Descriptor questions(memfd_create("questions", MFD_CLOEXEC));
  if (questions.get() < 0 || !write_all(questions.get(), request) || lseek(questions.get(), 0, SEEK_SET) != 0) {
    return failure("questions to another process cannot be written");
  }
  auto [out, in] = make_pipe();
  if (out.get() < 0) return failure("no pipe to another process");
  QUADRILLE_ASSIGN(const pid_t process, start(policy_, limit_s_, questions.get(), in.get(), other_surroundings));
  in.reset();
  const std::string bytes = read_all(out.get());
  int status = 0;
  while (waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  if (status != 0) {
    return base::Error{base::ErrorKind::Unavailable,
                       fmt::format("another process that was asked about '{}': {}", policy_, describe_end(status)),
                       {}};
  }
  return policies::check::read_answers(bytes);
}

base::Result<void> answer_request(const reconcile::Policy& policy, uint32_t limit_s) {
  const std::string bytes = read_all(STDIN_FILENO);
  QUADRILLE_ASSIGN(const Request request, policies::check::read_request(bytes));
  const bool in_forks =
      std::any_of(request.rounds.begin(), request.rounds.end(), [](const Round& round) { return round.in_forks; });
  std::string answers;
  if (in_forks) {
    QUADRILLE_ASSIGN(answers, answer_in_forks(policy, request, std::max<uint32_t>(limit_s / hasty_part, 1)));
  } else {
    for (const Round& round : request.rounds) {
      std::this_thread::sleep_for(std::chrono::milliseconds(round.pause_ms));
      for (const auto& group : request.groups) answers += answer_group(policy, group, limit_s);
    }
  }
  if (!write_all(STDOUT_FILENO, answers)) return failure("answers cannot be written");
  return {};
}

}  // namespace quadrille::cli
