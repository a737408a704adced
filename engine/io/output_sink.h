// Where written text goes: a string, a file descriptor, or (in another room) the body of an HTTP response.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "engine/base/result.h"

namespace quadrille::io {

// Takes bytes in order. One thread at a time. After an error it takes no more, and what it has taken may be cut short.
class OutputSink {
 public:
  virtual ~OutputSink() = default;
  // Takes all of `bytes`, or fails: the receiver is gone, or the disk is full.
  virtual base::Result<void> write(std::string_view bytes) = 0;
};

class StringSink final : public OutputSink {
 public:
  base::Result<void> write(std::string_view bytes) override {
    text_ += bytes;
    return {};
  }
  const std::string& text() const noexcept { return text_; }
  std::string take() noexcept { return std::move(text_); }

 private:
  std::string text_;
};

// Writes to a descriptor that the caller owns, keeps open, and closes. Unbuffered: the writers of this room buffer.
class DescriptorSink final : public OutputSink {
 public:
  // `name` stands in error messages.
  DescriptorSink(int descriptor, std::string name) : descriptor_(descriptor), name_(std::move(name)) {}
  base::Result<void> write(std::string_view bytes) override;

 private:
  int descriptor_;
  std::string name_;
};

// Gathers small pieces of text for a sink. What is not flushed is lost.
class BufferedOutput {
 public:
  // The sink must outlive this.
  explicit BufferedOutput(OutputSink& sink) : sink_(sink) {}

  // Append here, then call pass_on() now and then.
  std::string& text() noexcept { return text_; }
  // Hands the text to the sink if there is enough of it.
  base::Result<void> pass_on() { return text_.size() < pass_on_at ? base::Result<void>() : flush(); }
  base::Result<void> flush();

 private:
  static constexpr size_t pass_on_at = size_t{64} << 10;
  OutputSink& sink_;
  std::string text_;
};

}  // namespace quadrille::io
