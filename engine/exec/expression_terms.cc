// Functions on RDF terms. https://www.w3.org/TR/sparql11-query/#func-rdfTerms
#include <fmt/format.h>

#include <map>

#include "engine/exec/call.h"
#include "engine/model/inline_term.h"
#include "engine/model/iri.h"
#include "engine/model/vocabulary.h"

namespace quadrille::exec {

using model::Term;
using model::TermTag;
using sparql::Function;

namespace {

template <class Test>
ExpressionPointer kind_test(Arguments& arguments, RunState& run, Test test) {
  return per_row<1>(std::move(arguments), [&terms = run.terms, test](TermId id) {
    if (id.is_inline() || id.tag() == TermTag::Literal) return boolean_id(test(model::TermKind::Literal));
    if (id.tag() == TermTag::Iri) return boolean_id(test(model::TermKind::Iri));
    if (id.tag() == TermTag::BlankNode) return boolean_id(test(model::TermKind::BlankNode));
    return boolean_id(test(terms.term(id).kind()));
  });
}

// BNODE(text): one node for a text within a solution, another one in each other solution. Several calls in one SELECT
// see the same solutions in the same order, so the number of the row, counted by each call, names the solution.
class LabelledBlankNode final : public ExpressionNode {
 public:
  LabelledBlankNode(Arguments arguments, RunState& run) : arguments_(std::move(arguments)), run_(run) {}
  const Column& evaluate(const Batch& batch) override {
    const Column& labels = arguments_[0]->evaluate(batch);
    out_.assign(batch.rows(), TermId());
    for (size_t row = 0; row < batch.rows(); ++row, ++solution_) {
      if (!labels[row].is_bound()) continue;
      const Term label = run_.terms.term(labels[row]);
      if (!label.is_plain_string()) continue;
      out_[row] = run_.terms.pass(run_.blank_nodes.node_for(fmt::format("{}:{}", solution_, label.text())));
    }
    return out_;
  }

 private:
  Arguments arguments_;
  RunState& run_;
  uint64_t solution_ = 0;
  Column out_;
};

// Functions without arguments that give something new for each row.
template <class Make>
class FreshTerm final : public ExpressionNode {
 public:
  FreshTerm(RunState& run, Make make) : run_(run), make_(std::move(make)) {}
  const Column& evaluate(const Batch& batch) override {
    out_.resize(batch.rows());
    for (TermId& id : out_) id = run_.terms.pass(make_());
    return out_;
  }

 private:
  RunState& run_;
  Make make_;
  Column out_;
};
template <class Make>
ExpressionPointer fresh_term(RunState& run, Make make) {
  return std::make_unique<FreshTerm<Make>>(run, std::move(make));
}

// A random UUID (RFC 9562, version 4).
std::string random_uuid(base::RandomSource& random) {
  const uint64_t high = random.next();
  const uint64_t low = random.next();
  return fmt::format("{:08x}-{:04x}-4{:03x}-{:04x}-{:012x}", high >> 32, high >> 16 & 0xFFFF, high & 0xFFF,
                     (low >> 48 & 0x3FFF) | 0x8000, low & 0xFFFFFFFFFFFF);
}

// `base`: unbound if the query has none.
TermId to_iri(TermId id, TermId base, TransientTerms& terms) {
  const Term term = terms.term(id);
  if (term.is_iri()) return id;
  if (!term.is_plain_string()) return TermId();
  std::string iri = base.is_bound() ? model::resolve_iri(terms.term(base).text(), term.text()) : term.text();
  return model::check_iri(iri).ok() ? terms.pass(Term::iri(std::move(iri))) : TermId();
}

TermId language_of(TermId id, TransientTerms& terms) {
  if (id.tag() == TermTag::Iri || id.tag() == TermTag::BlankNode) return TermId();
  const Term term = terms.term(id);
  return term.is_literal() ? terms.pass(Term::literal(std::string(term.language()))) : TermId();
}

TermId datatype_of(TermId id, TransientTerms& terms) {
  const Term term = terms.term(id);
  return term.is_literal() ? terms.pass(Term::iri(std::string(term.datatype()))) : TermId();
}

TermId text_of(TermId id, TransientTerms& terms) {
  Term term = terms.term(id);
  if (term.is_blank_node()) return TermId();
  return term.is_plain_string() ? id : terms.pass(Term::literal(term.text()));
}

ExpressionPointer make_constructor(Function function, Arguments& arguments, RunState& run) {
  auto& terms = run.terms;
  switch (function) {
    case Function::Iri:
      if (arguments.size() == 1) {
        return per_row<1>(std::move(arguments), [&terms](TermId id) { return to_iri(id, TermId(), terms); });
      }
      return per_row<2>(std::move(arguments), [&terms](TermId id, TermId base) { return to_iri(id, base, terms); });
    case Function::StrDt:
      return per_row<2>(std::move(arguments), [&terms](TermId text, TermId type) {
        const Term lexical = terms.term(text);
        const Term datatype = terms.term(type);
        if (!lexical.is_plain_string() || !datatype.is_iri()) return TermId();
        return terms.pass(Term::typed_literal(lexical.text(), datatype.text()));
      });
    case Function::StrLang:
      return per_row<2>(std::move(arguments), [&terms](TermId text, TermId tag) {
        const Term lexical = terms.term(text);
        const Term language = terms.term(tag);
        if (!lexical.is_plain_string() || !language.is_plain_string() || language.text().empty()) return TermId();
        return terms.pass(Term::language_literal(lexical.text(), language.text()));
      });
    case Function::BlankNode:
      if (!arguments.empty()) return std::make_unique<LabelledBlankNode>(std::move(arguments), run);
      return fresh_term(run, [&run] { return run.blank_nodes.fresh(); });
    case Function::Uuid: return fresh_term(run, [&run] { return Term::iri("urn:uuid:" + random_uuid(run.random())); });
    case Function::StrUuid: return fresh_term(run, [&run] { return Term::literal(random_uuid(run.random())); });
    default: return nullptr;
  }
}

}  // namespace

ExpressionPointer make_term_call(Function function, Arguments& arguments, RunState& run) {
  using model::TermKind;
  auto& terms = run.terms;
  switch (function) {
    case Function::IsIri: return kind_test(arguments, run, [](TermKind kind) { return kind == TermKind::Iri; });
    case Function::IsBlank: return kind_test(arguments, run, [](TermKind kind) { return kind == TermKind::BlankNode; });
    case Function::IsLiteral: return kind_test(arguments, run, [](TermKind kind) { return kind == TermKind::Literal; });
    case Function::Str: return per_row<1>(std::move(arguments), [&terms](TermId id) { return text_of(id, terms); });
    case Function::Lang:
      return per_row<1>(std::move(arguments), [&terms](TermId id) { return language_of(id, terms); });
    case Function::Datatype:
      return per_row<1>(std::move(arguments), [&terms](TermId id) { return datatype_of(id, terms); });
    default: return make_constructor(function, arguments, run);
  }
}

}  // namespace quadrille::exec
