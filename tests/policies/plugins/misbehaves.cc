// Does what its argument says: every kind of nonsense that must not reach the store.
#include <new>
#include <quadrille/policy.hpp>
#include <string>

using namespace quadrille::plugin;

class Misbehaves : public Policy {
 public:
  Misbehaves() : Policy({.name = "misbehaves", .version = 1, .decides = quads | values}) {}

  std::optional<std::string> check_argument(std::string_view) const override { return std::nullopt; }

  Content resolve(const Conflict& conflict) const override {
    const std::string& how = conflict.argument;
    const Term property = conflict.cell.property;
    if (how == "throws") throw std::runtime_error("I do\nnot know\xFF");
    if (how == "throws a number") throw 7;
    if (how == "no memory") throw std::bad_alloc();
    if (how == "empty IRI") return {{property, Term::iri("")}};
    if (how == "relative IRI") return {{property, Term::iri("here")}};
    if (how == "literal property") return {{Term::literal("p"), Term::literal("x")}};
    if (how == "no UTF-8") return {{property, Term::literal("\xC3\x28")}};
    if (how == "bad label") return {{property, Term::blank_node("a b")}};
    if (how == "bad language") return {{property, Term::language_literal("x", "not a tag")}};
    if (how == "bad datatype") return {{property, Term::literal("x", "no scheme")}};
    if (how == "language with datatype") return {{property, {TermKind::Literal, "x", "urn:d", "en"}}};
    if (how == "many") return Content(100'001, Statement{property, Term::literal("x")});
    if (how == "large") return {{property, Term::literal(std::string((size_t{64} << 20) + 1, 'x'))}};
    return {};
  }

  LocalDecision check(const LocalChange& change) const override {
    if (change.argument == "refuses") return {"not on a Tuesday", {}};
    if (change.argument == "completes") return {{}, Content{{change.cell.property, Term::literal("completed")}}};
    if (change.argument == "empties") return {{}, Content{}};
    if (change.argument == "throws") throw std::runtime_error("no idea");
    if (change.argument == "completes with nonsense") return {{}, Content{{change.cell.property, Term::iri("")}}};
    return {};
  }
};
QUADRILLE_POLICY(Misbehaves)
