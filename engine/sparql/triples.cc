// Triples, in patterns, templates and data. Grammar rules 52, 55, 75 to 87, 98 to 109; section 18.2.2.4 for paths.
#include "engine/model/vocabulary.h"
#include "engine/sparql/parser.h"

namespace quadrille::sparql {
namespace {

size_t size_of(const PatternTerm& term) noexcept {
  if (const auto* variable = std::get_if<Variable>(&term)) return sizeof(TriplePattern) / 3 + variable->name.size();
  const auto& constant = std::get<model::Term>(term);
  return sizeof(TriplePattern) / 3 + constant.text().size() + constant.datatype().size();
}

size_t size_of(const Path& path) noexcept {
  size_t size = sizeof(Path);
  if (path.link) size += path.link->text().size();
  for (const auto& part : path.parts) size += size_of(part);
  for (const auto& link : path.forbidden) size += sizeof(link) + link.text().size();
  for (const auto& link : path.forbidden_inverse) size += sizeof(link) + link.text().size();
  return size;
}

PatternTerm rdf_iri(std::string_view iri) { return model::Term::iri(std::string(iri)); }

}  // namespace

bool Parser::at_triples_start() const noexcept {
  switch (in_.current().kind) {
    case TokenKind::Variable:
    case TokenKind::IriRef:
    case TokenKind::PrefixedName:
    case TokenKind::BlankNodeLabel:
    case TokenKind::Anonymous:
    case TokenKind::Nil:
    case TokenKind::LeftParenthesis:
    case TokenKind::LeftBracket: return true;
    default: return at_literal();
  }
}

bool Parser::triples_block(TripleBlock& block) {
  block.is_begun = true;
  do {
    if (!triples_same_subject(block)) return false;
    block.ends_with_dot = in_.take(TokenKind::Dot);
  } while (block.ends_with_dot && at_triples_start());
  return true;
}

std::string_view expected_after(const TripleBlock& block) noexcept {
  return block.is_begun && !block.ends_with_dot ? "'.', ';', ','" : "a triple";
}

bool Parser::triples_same_subject(TripleBlock& block) {
  if (block.place->is_data && at_literal()) return in_.fail_expected("an IRI or a blank node as subject");
  const bool has_triples_of_its_own = in_.at(TokenKind::LeftParenthesis) || in_.at(TokenKind::LeftBracket);
  PatternTerm subject;
  if (!graph_node(block, subject)) return false;
  if (has_triples_of_its_own && !at_verb(*block.place)) return true;
  return property_list(block, subject);
}

bool Parser::at_verb(const TriplePlace& place) const noexcept {
  return in_.at(TokenKind::Variable) || at_iri() || (in_.at(TokenKind::Word) && in_.current().text == "a") ||
         (place.allows_paths && at_path());
}

bool Parser::property_list(TripleBlock& block, const PatternTerm& subject) {
  for (;;) {
    PatternTerm predicate;
    Path path_predicate;
    if (!at_verb(*block.place)) {
      return in_.fail_expected(block.place->allows_paths ? "a property (an IRI, 'a', a path or a variable)"
                                                         : "a property (an IRI, 'a' or a variable)");
    }
    if (in_.at(TokenKind::Variable)) {
      if (!block.place->allows_variables) {
        return in_.fail_expected("the IRI of a property: " + std::string(block.place->name) + " takes no variables");
      }
      if (!variable(predicate.emplace<Variable>())) return false;
      if (!object_list(block, subject, predicate, nullptr)) return false;
    } else if (block.place->allows_paths) {
      if (!path(path_predicate)) return false;
      if (!object_list(block, subject, predicate, &path_predicate)) return false;
    } else {
      std::optional<model::Term> link;
      if (!path_link(link)) return false;
      predicate = *std::move(link);
      if (!object_list(block, subject, predicate, nullptr)) return false;
    }
    if (!in_.at(TokenKind::Semicolon)) return true;
    while (in_.take(TokenKind::Semicolon)) continue;
    if (!at_verb(*block.place)) return true;
  }
}

bool Parser::object_list(TripleBlock& block, const PatternTerm& subject, const PatternTerm& predicate,
                         const Path* path_predicate) {
  do {
    PatternTerm object;
    if (!graph_node(block, object)) return false;
    if (path_predicate != nullptr ? !emit_path(block, subject, *path_predicate, object)
                                  : !emit_triple(block, subject, predicate, std::move(object))) {
      return false;
    }
  } while (in_.take(TokenKind::Comma));
  return true;
}

bool Parser::graph_node(TripleBlock& block, PatternTerm& out) {
  if (in_.at(TokenKind::LeftParenthesis)) return collection(block, out);
  if (in_.at(TokenKind::LeftBracket)) return blank_node_properties(block, out);
  return graph_term(block, out);
}

bool Parser::collection(TripleBlock& block, PatternTerm& out) {
  if (!check_blank_node_allowed(*block.place)) return false;
  Nesting level(*this);
  if (!level.check()) return false;
  in_.advance();
  PatternTerm node = make_hidden();
  out = node;
  for (;;) {
    PatternTerm item;
    if (!graph_node(block, item)) return false;
    if (!emit_triple(block, node, rdf_iri(model::vocabulary::rdf_first), std::move(item))) return false;
    const bool is_last = in_.take(TokenKind::RightParenthesis);
    PatternTerm rest = is_last ? rdf_iri(model::vocabulary::rdf_nil) : PatternTerm(make_hidden());
    if (!emit_triple(block, std::move(node), rdf_iri(model::vocabulary::rdf_rest), rest)) return false;
    if (is_last) return true;
    node = std::move(rest);
  }
}

bool Parser::blank_node_properties(TripleBlock& block, PatternTerm& out) {
  if (!check_blank_node_allowed(*block.place)) return false;
  Nesting level(*this);
  if (!level.check()) return false;
  in_.advance();
  out = make_hidden();
  const PatternTerm subject = out;
  if (!property_list(block, subject)) return false;
  return in_.expect(TokenKind::RightBracket, "';', ',' or ']'");
}

bool Parser::graph_term(TripleBlock& block, PatternTerm& out) {
  switch (in_.current().kind) {
    case TokenKind::Variable:
      if (!block.place->allows_variables) {
        return in_.fail_expected("an IRI, a blank node or a literal: " + std::string(block.place->name) +
                                 " takes no variables");
      }
      return variable(out.emplace<Variable>());
    case TokenKind::IriRef:
    case TokenKind::PrefixedName: return variable_or_iri(out);
    case TokenKind::BlankNodeLabel: return labelled_blank_node(block, out);
    case TokenKind::Anonymous:
      if (!check_blank_node_allowed(*block.place)) return false;
      out = make_hidden();
      in_.advance();
      return true;
    case TokenKind::Nil:
      out = rdf_iri(model::vocabulary::rdf_nil);
      in_.advance();
      return true;
    default: break;
  }
  if (!at_literal()) {
    return in_.fail_expected(std::string(block.place->allows_variables ? "a variable, " : "") + "an IRI, " +
                             (block.place->allows_blank_nodes ? "a blank node " : "") + "or a literal");
  }
  std::optional<model::Term> term;
  if (!literal(term)) return false;
  out = *std::move(term);
  return true;
}

bool Parser::check_blank_node_allowed(const TriplePlace& place) {
  if (place.allows_blank_nodes) return true;
  return in_.fail_expected("a variable, an IRI or a literal: " + std::string(place.name) + " takes no blank nodes");
}

// The same label is the same node within one basic graph pattern, one template, one INSERT DATA. Section 19.6: it may
// not come back in another basic graph pattern, nor in another INSERT DATA of a request.
bool Parser::labelled_blank_node(TripleBlock& block, PatternTerm& out) {
  if (!check_blank_node_allowed(*block.place)) return false;
  std::string label(in_.current().text.substr(2));
  if (block.place->is_pattern) {
    if (pattern_labels_.try_emplace(label, block.id).first->second != block.id) {
      return in_.fail_expected("a label that no other basic graph pattern uses");
    }
    out = Variable{".:" + label};
  } else {
    if (block.place->is_data && data_labels_.try_emplace(label, operation_number_).first->second != operation_number_) {
      return in_.fail_expected("a label that no other INSERT DATA of this request uses");
    }
    out = Variable{".t:" + label};
  }
  in_.advance();
  return true;
}

bool Parser::emit_triple(TripleBlock& block, PatternTerm subject, PatternTerm predicate, PatternTerm object) {
  if (!spend(size_of(subject) + size_of(predicate) + size_of(object))) return false;
  if (block.parts.empty() || block.parts.back().root->kind != AlgebraKind::BasicGraphPattern) {
    block.parts.push_back(make_unit());
  }
  block.parts.back().root->triples.push_back({std::move(subject), std::move(predicate), std::move(object)});
  return true;
}

bool Parser::emit_path(TripleBlock& block, const PatternTerm& subject, const Path& path_predicate,
                       const PatternTerm& object) {
  switch (path_predicate.kind) {
    case PathKind::Link: return emit_triple(block, subject, *path_predicate.link, object);
    case PathKind::Inverse: return emit_path(block, object, path_predicate.parts.front(), subject);
    case PathKind::Sequence: {
      PatternTerm from = subject;
      for (size_t i = 0; i < path_predicate.parts.size(); ++i) {
        PatternTerm to = i + 1 == path_predicate.parts.size() ? object : PatternTerm(make_hidden());
        if (!emit_path(block, from, path_predicate.parts[i], to)) return false;
        from = std::move(to);
      }
      return true;
    }
    default: break;
  }
  if (!spend(size_of(subject) + size_of(object) + size_of(path_predicate) + sizeof(Algebra))) return false;
  block.parts.push_back(make_path(subject, path_predicate, object));
  return true;
}

}  // namespace quadrille::sparql
