// Content negotiation: which of the types that we can write a client wants. RFC 9110 section 12.5.1.
#pragma once

#include <optional>
#include <span>
#include <string_view>

namespace quadrille::http {

// The index in `offered` (most preferred by us first) of the type that `accept` gives the highest quality; among equals
// the first. Nothing if the client wants none of them. An empty `accept` takes anything. Parts of `accept` that are
// malformed count as absent.
std::optional<size_t> choose_media_type(std::string_view accept, std::span<const std::string_view> offered);

// The same for what has no subtypes, as codings: "gzip;q=0.5, *". An empty list chooses nothing.
std::optional<size_t> choose_token(std::string_view accept, std::span<const std::string_view> offered);

}  // namespace quadrille::http
