#include "tests/support/graph.h"

#include "engine/model/vocabulary.h"

namespace quadrille::test {

using model::Term;

std::vector<Term> Graph::objects(const Term& subject, std::string_view predicate) const {
  std::vector<Term> out;
  for (const model::TermQuad& quad : quads_) {
    if (quad.predicate.text() == predicate && quad.subject == subject) out.push_back(quad.object);
  }
  return out;
}

std::optional<Term> Graph::object(const Term& subject, std::string_view predicate) const {
  for (const model::TermQuad& quad : quads_) {
    if (quad.predicate.text() == predicate && quad.subject == subject) return quad.object;
  }
  return std::nullopt;
}

std::vector<Term> Graph::subjects(std::string_view predicate, const Term& object) const {
  std::vector<Term> out;
  for (const model::TermQuad& quad : quads_) {
    if (quad.predicate.text() == predicate && quad.object == object) out.push_back(quad.subject);
  }
  return out;
}

std::vector<Term> Graph::list(const Term& head) const {
  std::vector<Term> out;
  std::optional<Term> node = head;
  while (node && node->text() != model::vocabulary::rdf_nil && out.size() <= quads_.size()) {
    if (auto item = object(*node, model::vocabulary::rdf_first)) out.push_back(*item);
    node = object(*node, model::vocabulary::rdf_rest);
  }
  return out;
}

}  // namespace quadrille::test
