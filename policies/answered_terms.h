// Terms and statements as a policy from a file answers them: anything, until it has been checked here.
#pragma once

#include <string_view>

#include "engine/base/result.h"
#include "engine/model/term.h"
#include "reconcile/policy.h"

namespace quadrille::policies {

struct TermParts {
  model::TermKind kind = model::TermKind::Literal;
  std::string_view text;
  std::string_view datatype;  // empty: xsd:string, or rdf:langString where there is a language
  std::string_view language;
};

// InvalidInput for what is no term of RDF 1.1: a relative or empty IRI, text that is not UTF-8, a label or a language
// tag that cannot be written, a language with another datatype than rdf:langString.
base::Result<model::Term> check_term(const TermParts& parts);

// Gathers the statements of an answer, within bounds: a policy that runs away must not take the site's memory.
class AnsweredContent {
 public:
  static constexpr size_t statements_max = 100'000;
  static constexpr size_t bytes_max = size_t{64} << 20;

  // The property must be an IRI. Repeats are taken out by who evaluates.
  base::Result<void> add(const TermParts& property, const TermParts& object);
  reconcile::Content take() { return std::move(content_); }

 private:
  reconcile::Content content_;
  size_t bytes_ = 0;
};

}  // namespace quadrille::policies
