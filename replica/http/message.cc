#include "replica/http/message.h"

#include "engine/io/media_type.h"

namespace quadrille::http {

std::string_view Request::header(std::string_view name) const noexcept {
  for (const auto& header : headers) {
    if (io::equals_ignoring_case(header.name, name)) return header.value;
  }
  return {};
}

}  // namespace quadrille::http
