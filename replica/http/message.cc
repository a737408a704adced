#include "replica/http/message.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/io/media_type.h"
#include "engine/model/iri.h"

namespace quadrille::http {

std::string_view Request::header(std::string_view name) const noexcept {
  for (const auto& header : headers) {
    if (io::equals_ignoring_case(header.name, name)) return header.value;
  }
  return {};
}

std::string Request::url() const {
  const auto host = header("Host");
  if (host.empty()) return {};
  const auto path_text = std::string_view(target).substr(0, std::min(target.find('?'), target.size()));
  auto url = fmt::format("{}://{}{}", is_encrypted ? "https" : "http", host, path_text);
  return model::check_iri(url).ok() ? url : std::string();
}

}  // namespace quadrille::http
