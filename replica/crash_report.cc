#include "replica/crash_report.h"

#include <unistd.h>

#include <csignal>
#include <cstring>

#include "policies/deciding_now.h"

namespace quadrille::replica {
namespace {

constexpr size_t stack_bytes = size_t{64} << 10;

void write_text(const char* text) noexcept {
  const ssize_t written = write(STDERR_FILENO, text, std::strlen(text));
  static_cast<void>(written);  // there is nobody left to tell
}

// Only what is safe in a signal handler (POSIX.1-2017, section 2.4.3).
void on_fatal_signal(int signal) {
  if (const char* const note = policies::deciding_now(); note[0]) {
    write_text("quadrille: the site stops, for it crashed in ");
    write_text(note);
    write_text("\n");
  }
  raise(signal);  // which is the system's again
}

}  // namespace

void report_crashes() noexcept {
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) {
    struct sigaction before {};
    if (sigaction(signal, nullptr, &before) != 0 || before.sa_handler != SIG_DFL) continue;
    struct sigaction action {};
    action.sa_handler = on_fatal_signal;
    action.sa_flags = SA_ONSTACK | static_cast<int>(SA_RESETHAND) | SA_NODEFER;
    sigemptyset(&action.sa_mask);
    sigaction(signal, &action, nullptr);
  }
}

SignalStack::SignalStack() {
  stack_t before{};
  if (sigaltstack(nullptr, &before) != 0 || (before.ss_flags & SS_DISABLE) == 0) return;
  memory_ = std::make_unique<std::byte[]>(stack_bytes);
  stack_t stack{};
  stack.ss_sp = memory_.get();
  stack.ss_size = stack_bytes;
  sigaltstack(&stack, nullptr);
}

SignalStack::~SignalStack() {
  if (!memory_) return;
  stack_t none{};
  none.ss_flags = SS_DISABLE;
  sigaltstack(&none, nullptr);
}

}  // namespace quadrille::replica
