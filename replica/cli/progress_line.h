// A line on standard error that says how far something long has come: rewritten in place at a terminal, a new one every
// few seconds elsewhere.
#pragma once

#include <chrono>
#include <functional>
#include <string>

namespace quadrille::cli {

class ProgressLine {
 public:
  ProgressLine();
  ~ProgressLine();  // clears the line
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  // Cheap when called often: asks for the text only if it is time for it.
  void show(const std::function<std::string()>& text);
  double seconds() const;  // since it was made

 private:
  using Clock = std::chrono::steady_clock;
  bool is_terminal_;
  bool is_shown_ = false;
  Clock::time_point start_;
  Clock::time_point last_;
};

}  // namespace quadrille::cli
