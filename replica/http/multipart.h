// multipart/form-data, as uploads of several files have it. RFC 7578, RFC 2046 section 5.1.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"

namespace quadrille::http {

// One file. Views into the body.
struct FormPart {
  std::string file_name;  // as the sender wrote it; empty if it did not
  std::string content_type;
  std::string content_encoding;
  std::string_view content;
};

// The boundary of a Content-Type header; empty if it names none.
std::string multipart_boundary(std::string_view content_type);
// InvalidInput if the body is cut off, or is no such thing; at most 1000 parts.
base::Result<std::vector<FormPart>> parse_multipart(std::string_view body, std::string_view boundary);

}  // namespace quadrille::http
