// Answers that are sent compressed, to clients that take it. RFC 9110 sections 8.4 and 12.5.3.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace quadrille::http {

enum class ContentCoding : uint8_t { Identity, Gzip, Zstd };

// The coding that `accept_encoding` gives the highest quality; among equals zstd before gzip before none. Not
// compressed where the header is absent, or takes nothing of ours.
ContentCoding choose_coding(std::string_view accept_encoding);
const char* name_of(ContentCoding coding) noexcept;  // as Content-Encoding has it

// Compresses one body, piece by piece.
class Compressor {
 public:
  virtual ~Compressor() = default;
  // Adds to `out` what is ready of all that came so far.
  virtual void compress(std::string_view bytes, std::string& out) = 0;
  virtual void finish(std::string& out) = 0;
};
// Not for Identity.
std::unique_ptr<Compressor> make_compressor(ContentCoding coding);

}  // namespace quadrille::http
