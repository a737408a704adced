#include "replica/cli/isolated_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <new>
#include <thread>

namespace quadrille::cli {
namespace {

using policies::check::Ending;
using policies::check::EndKind;
using Clock = std::chrono::steady_clock;

constexpr uint64_t no_case = ~uint64_t{0};
constexpr size_t slots_max = 128;  // more than there may be jobs

// Where one thread is.
struct alignas(64) Slot {
  std::atomic<uint64_t> called = 0;
  std::atomic<uint64_t> returned = 0;
  std::atomic<uint64_t> number = no_case;
};

// Memory that both processes see.
struct Marks {
  std::atomic<size_t> slots = 0;  // given to threads
  std::atomic<uint64_t> histories = 0;
  std::atomic<uint64_t> result_bytes = 0;
  std::atomic<bool> has_returned = false;
  std::array<Slot, slots_max> slot;
};
static_assert(std::atomic<uint64_t>::is_always_lock_free);

class SharedMarks {
 public:
  SharedMarks() {
    void* const memory = mmap(nullptr, sizeof(Marks), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory != MAP_FAILED) marks_ = new (memory) Marks();
  }
  ~SharedMarks() {
    if (marks_) munmap(marks_, sizeof(Marks));
  }
  SharedMarks(const SharedMarks&) = delete;
  SharedMarks& operator=(const SharedMarks&) = delete;
  Marks* get() const { return marks_; }

 private:
  Marks* marks_ = nullptr;
};

class MarkingWatcher final : public policies::check::Watcher {
 public:
  explicit MarkingWatcher(Marks& marks) : marks_(marks) {}
  void on_case(uint64_t number) override {
    marks_.histories.fetch_add(1, std::memory_order_relaxed);
    slot().number.store(number, std::memory_order_relaxed);
  }
  void on_call() override { count(slot().called); }
  void on_return() override { count(slot().returned); }

 private:
  // Written by one thread alone.
  static void count(std::atomic<uint64_t>& number) {
    number.store(number.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }
  Slot& slot() {
    thread_local const size_t mine = marks_.slots.fetch_add(1) % slots_max;
    return marks_.slot[mine];
  }

  Marks& marks_;
};

class ResultFile {
 public:
  ResultFile() : file_(memfd_create("result", MFD_CLOEXEC)) {}
  ~ResultFile() {
    if (file_ >= 0) close(file_);
  }
  ResultFile(const ResultFile&) = delete;
  ResultFile& operator=(const ResultFile&) = delete;
  bool is_open() const { return file_ >= 0; }

  bool put(std::string_view bytes) const {
    while (!bytes.empty()) {
      const ssize_t written = write(file_, bytes.data(), bytes.size());
      if (written < 0 && errno == EINTR) continue;
      if (written <= 0) return false;
      bytes.remove_prefix(static_cast<size_t>(written));
    }
    return true;
  }

  std::string get(size_t size) const {
    std::string bytes(size, '\0');
    size_t place = 0;
    while (place < size) {
      const ssize_t count = pread(file_, bytes.data() + place, size - place, static_cast<off_t>(place));
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) break;
      place += static_cast<size_t>(count);
    }
    bytes.resize(place);
    return bytes;
  }

 private:
  int file_;
};

[[noreturn]] void work_here(const policies::check::Isolation::Work& work, pid_t parent, bool is_quiet, Marks& marks,
                            const ResultFile& file) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(1);
  const rlimit no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) ::signal(signal, SIG_DFL);  // no site stops here
  if (is_quiet) {
    const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (nowhere >= 0) dup2(nowhere, STDERR_FILENO);
  }
  MarkingWatcher watcher(marks);
  const std::string result = work(watcher);
  std::fflush(nullptr);
  if (!file.put(result)) _exit(1);
  marks.result_bytes = result.size();
  marks.has_returned = true;
  _exit(0);
}

// Waits for the process, which is killed when a call takes too long.
class Supervision {
 public:
  Supervision(pid_t process, const Marks& marks, int64_t call_ms_max)
      : process_(process), marks_(marks), call_ms_max_(call_ms_max) {}

  Ending wait() {
    int status = 0;
    for (auto pause = std::chrono::microseconds(200);; pause = std::min(pause * 2, pause_max)) {
      const pid_t ended = waitpid(process_, &status, WNOHANG);
      if (ended == process_ || (ended < 0 && errno != EINTR)) break;
      if (look_for_endless()) {
        kill(process_, SIGKILL);
        while (waitpid(process_, &status, 0) < 0 && errno == EINTR) {
        }
        return make(EndKind::Endless);
      }
      std::this_thread::sleep_for(pause);
    }
    if (marks_.has_returned) return make(EndKind::Returned);
    Ending ending = make(EndKind::Crashed);
    ending.how = WIFSIGNALED(status) ? strsignal(WTERMSIG(status))
                                     : fmt::format("by itself, with exit status {}", WEXITSTATUS(status));
    note_cases(ending);
    return ending;
  }

 private:
  static constexpr std::chrono::microseconds pause_max{20'000};

  Ending make(EndKind kind) const {
    Ending ending;
    ending.kind = kind;
    ending.histories = marks_.histories;
    for (const Slot& slot : marks_.slot) ending.calls += slot.returned;
    if (kind == EndKind::Endless) add_case(ending, marks_.slot[endless_]);
    return ending;
  }

  static void add_case(Ending& ending, const Slot& slot) {
    if (slot.number != no_case) ending.cases.push_back(slot.number);
  }

  // Of the threads that were in a call; if none was, of all: what it damaged was found later.
  void note_cases(Ending& ending) const {
    for (const Slot& slot : marks_.slot) {
      if (slot.called != slot.returned) add_case(ending, slot);
    }
    for (const Slot& slot : marks_.slot) {
      if (ending.cases.empty() && slot.called > 0) add_case(ending, slot);
    }
    std::sort(ending.cases.begin(), ending.cases.end());
  }

  // Counts the time between looks, a long one only as far as it can be ours: the machine may have slept.
  bool look_for_endless() {
    const auto now = Clock::now();
    const int64_t passed_us = std::chrono::duration_cast<std::chrono::microseconds>(now - looked_).count();
    looked_ = now;
    for (size_t i = 0; i < slots_max; ++i) {
      const uint64_t called = marks_.slot[i].called;
      Seen& seen = seen_[i];
      const bool is_same = called == seen.called && called != marks_.slot[i].returned;
      seen.us = is_same ? seen.us + std::min<int64_t>(passed_us, 10 * pause_max.count()) : 0;
      seen.called = called;
      endless_ = i;
      if (seen.us > call_ms_max_ * 1000) return true;
    }
    return false;
  }

  struct Seen {
    uint64_t called = 0;
    int64_t us = 0;  // in this call
  };
  pid_t process_;
  const Marks& marks_;
  int64_t call_ms_max_;
  Clock::time_point looked_ = Clock::now();
  std::array<Seen, slots_max> seen_;
  size_t endless_ = 0;
};

}  // namespace

base::Result<Ending> ProcessIsolation::run(const Work& work, int64_t call_ms_max, bool is_quiet) const {
  const SharedMarks marks;
  const ResultFile file;
  if (!marks.get() || !file.is_open()) {
    return base::Error{
        base::ErrorKind::IoFailure, fmt::format("no memory to share with a process: {}", std::strerror(errno)), {}};
  }
  std::fflush(nullptr);
  const pid_t parent = getpid();
  const pid_t process = fork();
  if (process < 0) {
    return base::Error{
        base::ErrorKind::IoFailure, fmt::format("another process cannot be started: {}", std::strerror(errno)), {}};
  }
  if (process == 0) work_here(work, parent, is_quiet, *marks.get(), file);
  Ending ending = Supervision(process, *marks.get(), call_ms_max).wait();
  if (ending.kind == EndKind::Returned) ending.result = file.get(marks.get()->result_bytes);
  return ending;
}

}  // namespace quadrille::cli
