#include "replica/cli/progress_line.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

namespace quadrille::cli {

ProgressLine::ProgressLine() : is_terminal_(isatty(STDERR_FILENO) != 0), start_(Clock::now()), last_(start_) {}

ProgressLine::~ProgressLine() {
  if (is_terminal_ && is_shown_) fmt::print(stderr, "\r\033[K");
}

void ProgressLine::show(const std::function<std::string()>& text) {
  const auto now = Clock::now();
  if (now - last_ < (is_terminal_ ? std::chrono::milliseconds(200) : std::chrono::milliseconds(2000))) return;
  last_ = now;
  is_shown_ = true;
  if (is_terminal_) {
    fmt::print(stderr, "\r\033[K{}", text());
  } else {
    fmt::print(stderr, "{}\n", text());
  }
}

double ProgressLine::seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

}  // namespace quadrille::cli
