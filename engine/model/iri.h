// IRIs: what may stand in one, and how relative references are resolved. RFC 3986 section 5, RFC 3987.
//
// Checked is what RDF needs: a scheme, and no character that the grammars of N-Triples, Turtle and SPARQL forbid
// inside <...>. Schemes of their own rules (ports, percent escapes) are not checked: data in the world breaks them.
// Nothing is normalised: two IRIs are the same if their text is (RDF 1.1 Concepts section 3.2).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "engine/base/result.h"

namespace quadrille::model {

// False for controls, space, and < > " { } | ^ ` and backslash.
bool is_iri_character(char32_t c) noexcept;

// Whether the text begins with a scheme and a colon. Says nothing about the characters that follow.
bool has_scheme(std::string_view iri) noexcept;

// Success if `iri` is absolute and may be the IRI of a term; else what is wrong with it. Also checks that it is UTF-8.
base::Result<void> check_iri(std::string_view iri);

// The five components of RFC 3986 section 3. Views into the text that was split.
struct IriComponents {
  std::optional<std::string_view> scheme;
  std::optional<std::string_view> authority;
  std::string_view path;
  std::optional<std::string_view> query;
  std::optional<std::string_view> fragment;
};
IriComponents split_iri(std::string_view iri) noexcept;

// RFC 3986 section 5.2.4.
std::string remove_dot_segments(std::string_view path);

// `reference` relative to `base`, by RFC 3986 section 5.2.2 (strict), with one difference: a reference that has a
// scheme is absolute and is returned as it stands, dot segments too, so that an IRI is the same term in every format.
// Requires has_scheme(base). The caller checks the characters of both.
std::string resolve_iri(std::string_view base, std::string_view reference);

}  // namespace quadrille::model
