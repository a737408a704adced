#include "engine/sparql/service_text.h"

#include <set>

#include "engine/model/iri.h"
#include "engine/sparql/lexer.h"

namespace quadrille::sparql {

std::string make_service_text(std::string_view pattern, std::string_view base_iri,
                              const std::map<std::string, std::string, std::less<>>& prefixes) {
  std::set<std::string_view> used;
  bool uses_base = false;
  Lexer lexer(pattern);
  for (Token token = lexer.next(); token.kind != TokenKind::End && token.kind != TokenKind::Invalid;
       token = lexer.next()) {
    if (token.kind == TokenKind::PrefixedName) used.insert(token.text.substr(0, token.split));
    if (token.kind == TokenKind::IriRef && !model::has_scheme(token.text.substr(1))) uses_base = true;
  }
  std::string out;
  if (uses_base) out.append("BASE <").append(base_iri).append(">\n");
  for (const std::string_view prefix : used) {
    const auto found = prefixes.find(prefix);
    if (found == prefixes.end()) continue;
    out.append("PREFIX ").append(prefix).append(": <").append(found->second).append(">\n");
  }
  return out.append("SELECT * WHERE ").append(pattern);
}

}  // namespace quadrille::sparql
