#include "engine/io/output_sink.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace quadrille::io {

base::Result<void> DescriptorSink::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
    if (written < 0) {
      if (errno == EINTR) continue;
      const int code = errno;
      const auto kind =
          code == ENOSPC || code == EDQUOT ? base::ErrorKind::ResourceExhausted : base::ErrorKind::IoFailure;
      return base::Error{kind, fmt::format("cannot write to {}: {}", name_, std::generic_category().message(code)), {}};
    }
    bytes.remove_prefix(static_cast<size_t>(written));
  }
  return {};
}

base::Result<void> BufferedOutput::flush() {
  if (text_.empty()) return {};
  base::Result<void> written = sink_.write(text_);
  text_.clear();
  return written;
}

}  // namespace quadrille::io
