// What a policy that was loaded from a file does wrong, as the exceptions that reconcile::Policy::resolve() may throw.
#pragma once

#include <array>
#include <new>
#include <stdexcept>
#include <string>
#include <string_view>

namespace quadrille::policies {

// It did not decide, or answered nonsense: the site falls back, and the conflict record has the text. One line, and the
// same at every site as long as the policy is deterministic: no path, no address.
class PolicyFailure : public std::runtime_error {
 public:
  explicit PolicyFailure(const std::string& why) : std::runtime_error(why) {}
};

// No memory here says nothing about other sites, so the site must not fall back: it stops, saying which policy was
// deciding what.
class PolicyOutOfMemory : public std::bad_alloc {
 public:
  explicit PolicyOutOfMemory(std::string_view what) noexcept;
  const char* what() const noexcept override { return text_.data(); }

 private:
  std::array<char, 512> text_{};
};

// Text of a policy's making as one line of valid UTF-8 of at most 500 bytes.
std::string one_line(std::string_view text);

}  // namespace quadrille::policies
