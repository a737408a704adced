// Writing a reconciliation policy in C++20: derive from Policy, override resolve(), end the file with QUADRILLE_POLICY.
//
//   #include <quadrille/policy.hpp>
//   using namespace quadrille::plugin;
//
//   class LongestText : public Policy {
//    public:
//     LongestText() : Policy({.name = "longest-text", .version = 1, .decides = values}) {}
//     Content resolve(const Conflict& conflict) const override { ... }
//   };
//   QUADRILLE_POLICY(LongestText)
//
// Nothing but the standard library is needed. What must hold of a policy is said in quadrille_policy.h: above all that
// the same question gets the same answer, everywhere and always. The one object of the class is const, made when the
// library is loaded, and called from several threads at once.
//
// A function that throws does not decide: the site falls back, and the conflict record has what() of the exception.
// std::bad_alloc is apart: it stops the site.
#pragma once

#include <quadrille_policy.h>

#include <compare>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace quadrille::plugin {

enum class TermKind : uint8_t { BlankNode, Iri, Literal };

struct Term {
  TermKind kind = TermKind::Iri;
  std::string text;      // the IRI, the label of the blank node, or the lexical form
  std::string datatype;  // literals: the whole IRI; may be empty in an answer: xsd:string
  std::string language;  // literals: the tag in lower case; empty: none

  static Term iri(std::string text) { return {TermKind::Iri, std::move(text), {}, {}}; }
  static Term blank_node(std::string label) { return {TermKind::BlankNode, std::move(label), {}, {}}; }
  static Term literal(std::string text, std::string datatype = "http://www.w3.org/2001/XMLSchema#string") {
    return {TermKind::Literal, std::move(text), std::move(datatype), {}};
  }
  static Term language_literal(std::string text, std::string language) {
    return {TermKind::Literal, std::move(text), "http://www.w3.org/1999/02/22-rdf-syntax-ns#langString",
            std::move(language)};
  }

  // Bytewise: a total order that is good for sorting, and means nothing.
  friend auto operator<=>(const Term&, const Term&) = default;
  friend bool operator==(const Term&, const Term&) = default;
};

struct Statement {
  Term property;
  Term object;
  friend auto operator<=>(const Statement&, const Statement&) = default;
  friend bool operator==(const Statement&, const Statement&) = default;
};
using Content = std::vector<Statement>;

enum class CellKind : uint8_t {
  Quad = QUADRILLE_QUAD_CELL,
  Value = QUADRILLE_VALUE_CELL,
  Record = QUADRILLE_RECORD_CELL
};
// For Description::decides: values | records.
inline constexpr uint32_t quads = 1u << QUADRILLE_QUAD_CELL;
inline constexpr uint32_t values = 1u << QUADRILLE_VALUE_CELL;
inline constexpr uint32_t records = 1u << QUADRILLE_RECORD_CELL;

struct Cell {
  CellKind kind = CellKind::Quad;
  std::optional<Term> graph;  // none: the default graph
  Term subject;
  Term property;               // of a record: the IRI that names the group
  std::optional<Term> object;  // quad cells only
};

struct Stamp {
  int64_t ms = 0;  // since 1970; of the hybrid logical clock of the site that wrote
  uint32_t counter = 0;
  friend auto operator<=>(const Stamp&, const Stamp&) = default;
};

// What one transaction of one site did to the cell.
struct Version {
  std::string site;
  uint64_t incarnation = 0;  // which of the site's lives
  uint64_t seq = 0;          // its number there; 0 in an outline
  Stamp stamp;
  bool is_maximal = false;  // no version shown has seen it
  bool left_nothing = false;
  Content saw;   // empty for quad cells, and in an outline
  Content left;  // empty in an outline
};

struct Quad {
  std::optional<Term> graph;
  Term subject;
  Term property;
  Term object;
};

// Nothing: any.
struct Pattern {
  std::optional<Term> graph;
  std::optional<Term> subject;
  std::optional<Term> property;
  std::optional<Term> object;
  bool default_graph_only = false;
};

// The settled state as of the conflict. As long as the call of resolve().
class Context {
 public:
  explicit Context(const quadrille_context& context) : context_(&context) {}
  // By graph (the default graph first), subject, property, object.
  std::vector<Quad> match(const Pattern& pattern) const;

 private:
  const quadrille_context* context_;
};

struct Conflict {
  Cell cell;
  Content base;                    // what the cell held before these versions
  std::vector<Version> versions;   // by stamp, then site; at least two of them maximal
  std::string argument;            // what stands in parentheses in the assignment: my-policy(this)
  std::optional<Context> context;  // of policies that read it

  // Whether versions[later] was made by a transaction that had seen versions[earlier].
  bool has_seen(size_t later, size_t earlier) const { return seen[later * versions.size() + earlier] != 0; }
  std::vector<unsigned char> seen;
};

// A conflict without the text of any content.
struct Outline {
  std::vector<Version> versions;
  std::string argument;
};

// A local update of one cell, before it is committed.
struct LocalChange {
  Cell cell;
  Content saw;
  Content left;
  std::string argument;
};

struct LocalDecision {
  std::optional<std::string> refused;  // why the whole request is refused
  std::optional<Content> completed;    // what the cell is left with instead
};

// How much of a component that keeps growing must be kept.
enum class Retention : uint32_t {
  AllVersions = QUADRILLE_RETAIN_ALL,          // the answer may depend on each
  MaximalVersions = QUADRILLE_RETAIN_MAXIMAL,  // it depends on the base and the maximal versions alone
  AsItSays = QUADRILLE_RETAIN_AS_IT_SAYS       // may_leave() says
};

struct Description {
  const char* name = nullptr;  // by behaviour: 1 to 63 of a-z, 0-9 and '-'
  uint32_t version = 1;        // a new one whenever any answer changes
  uint32_t decides = 0;        // values, or values | records, ...
  bool accepts_several_values = false;
  Retention retention = Retention::AllVersions;
  bool reads_context = false;
  const char* fallback = nullptr;  // reads_context: the built-in that decides until that can be read
};

class Policy {
 public:
  explicit Policy(const Description& description) : description_(description) {}
  virtual ~Policy() = default;
  Policy(const Policy&) = delete;
  Policy& operator=(const Policy&) = delete;
  const Description& description() const { return description_; }

  // One of these two must be overridden. resolve(): what the cell holds. choose(): the place of the version whose
  // `left` that is; it spares the site all text.
  virtual Content resolve(const Conflict&) const { throw std::logic_error("resolve is missing"); }
  virtual size_t choose(const Outline&) const { throw std::logic_error("choose is missing"); }

  // The others may be. Nothing, or what was expected instead of this argument.
  virtual std::optional<std::string> check_argument(std::string_view) const { return std::nullopt; }
  // Retention::AsItSays: true if no answer can depend on versions[version], whatever versions still come.
  virtual bool may_leave(const Conflict&, size_t /*version*/) const { return false; }
  // Refuses or completes what a local update leaves in a cell.
  virtual LocalDecision check(const LocalChange&) const { return {}; }

 private:
  Description description_;
};

// Between the C interface and the classes above. Nothing of it is for policies to call.
namespace bridge {

// The site has refused a part of an answer, or could not read its own context; it knows why.
struct Stopped {
  int32_t status;
};

inline std::string text_from(const quadrille_text& text) {
  return text.size == 0 ? std::string() : std::string(text.data, text.size);
}
inline quadrille_text text_to(std::string_view text) { return {text.data(), text.size()}; }

inline Term term_from(const quadrille_term& term) {
  const TermKind kind = term.kind == QUADRILLE_IRI          ? TermKind::Iri
                        : term.kind == QUADRILLE_BLANK_NODE ? TermKind::BlankNode
                                                            : TermKind::Literal;
  return {kind, text_from(term.text), text_from(term.datatype), text_from(term.language)};
}
inline std::optional<Term> optional_term_from(const quadrille_term& term) {
  if (term.kind == QUADRILLE_ABSENT) return std::nullopt;
  return term_from(term);
}
inline quadrille_term term_to(const Term& term) {
  const uint32_t kind = term.kind == TermKind::Iri         ? QUADRILLE_IRI
                        : term.kind == TermKind::BlankNode ? QUADRILLE_BLANK_NODE
                                                           : QUADRILLE_LITERAL;
  return {kind, text_to(term.text), text_to(term.datatype), text_to(term.language)};
}
inline quadrille_term term_to(const std::optional<Term>& term) { return term ? term_to(*term) : quadrille_term{}; }

inline Content content_from(const quadrille_content& content) {
  Content made;
  made.reserve(content.count);
  for (size_t i = 0; i < content.count; ++i) {
    made.push_back({term_from(content.statements[i].property), term_from(content.statements[i].object)});
  }
  return made;
}

inline Cell cell_from(const quadrille_cell& cell) {
  return {static_cast<CellKind>(cell.kind), optional_term_from(cell.graph), term_from(cell.subject),
          term_from(cell.property), optional_term_from(cell.object)};
}

inline std::vector<Version> versions_from(const quadrille_version* const* versions, size_t count) {
  std::vector<Version> made;
  made.reserve(count);
  for (size_t i = 0; i < count; ++i) {
    const quadrille_version& version = *versions[i];
    made.push_back({text_from(version.site),
                    version.incarnation,
                    version.seq,
                    {version.stamp_ms, version.stamp_counter},
                    version.is_maximal != 0,
                    version.left_nothing != 0,
                    content_from(version.saw),
                    content_from(version.left)});
  }
  return made;
}

inline Conflict conflict_from(const quadrille_conflict& conflict) {
  const size_t count = conflict.version_count;
  return {cell_from(*conflict.cell),
          content_from(conflict.base),
          versions_from(conflict.versions, count),
          text_from(conflict.argument),
          conflict.context ? std::optional<Context>(*conflict.context) : std::nullopt,
          std::vector<unsigned char>(conflict.has_seen, conflict.has_seen + count * count)};
}

inline void answer_content(quadrille_answer& answer, const Content& content) {
  for (const Statement& statement : content) {
    const quadrille_statement given{term_to(statement.property), term_to(statement.object)};
    if (const int32_t status = answer.add_statement(&answer, &given); status != QUADRILLE_OK) throw Stopped{status};
  }
}

// Nothing that is thrown may leave the library.
template <class Work>
int32_t guarded(quadrille_answer& answer, Work&& work) noexcept {
  try {
    work();
    return QUADRILLE_OK;
  } catch (const Stopped& stopped) {
    return stopped.status;
  } catch (const std::bad_alloc&) {
    return QUADRILLE_NO_MEMORY;
  } catch (const std::exception& trouble) {
    answer.fail(&answer, text_to(trouble.what()));
  } catch (...) {
    answer.fail(&answer, text_to("it threw something that is no std::exception"));
  }
  return QUADRILLE_FAILED;
}

template <class P>
const P& instance() {
  static const P policy;
  return policy;
}

template <class P>
int32_t resolve(const quadrille_conflict* conflict, quadrille_answer* answer) {
  return guarded(*answer, [&] { answer_content(*answer, instance<P>().resolve(conflict_from(*conflict))); });
}

template <class P>
int32_t choose(const quadrille_outline* outline, size_t* place, quadrille_answer* answer) {
  return guarded(*answer, [&] {
    *place =
        instance<P>().choose({versions_from(outline->versions, outline->version_count), text_from(outline->argument)});
  });
}

template <class P>
int32_t may_leave(const quadrille_conflict* conflict, size_t version, int32_t* leaves, quadrille_answer* answer) {
  return guarded(*answer, [&] { *leaves = instance<P>().may_leave(conflict_from(*conflict), version) ? 1 : 0; });
}

template <class P>
int32_t check_argument(quadrille_text argument, quadrille_answer* answer) {
  return guarded(*answer, [&] {
    if (const auto expected = instance<P>().check_argument(text_from(argument))) throw std::runtime_error(*expected);
  });
}

template <class P>
int32_t check(const quadrille_local_change* change, quadrille_answer* answer) {
  return guarded(*answer, [&] {
    const LocalDecision decision = instance<P>().check(
        {cell_from(*change->cell), content_from(change->saw), content_from(change->left), text_from(change->argument)});
    if (decision.refused) answer->refuse(answer, text_to(*decision.refused));
    if (!decision.completed) return;
    answer->complete(answer);
    answer_content(*answer, *decision.completed);
  });
}

template <class P>
quadrille_policy_v1 describe() {
  // A function that is not overridden is still the base's own.
  constexpr bool resolves = !std::is_same_v<decltype(&P::resolve), decltype(&Policy::resolve)>;
  constexpr bool chooses = !std::is_same_v<decltype(&P::choose), decltype(&Policy::choose)>;
  constexpr bool takes_arguments = !std::is_same_v<decltype(&P::check_argument), decltype(&Policy::check_argument)>;
  constexpr bool lets_leave = !std::is_same_v<decltype(&P::may_leave), decltype(&Policy::may_leave)>;
  constexpr bool checks = !std::is_same_v<decltype(&P::check), decltype(&Policy::check)>;
  static_assert(resolves || chooses, "a policy overrides resolve() or choose()");
  const Description& about = instance<P>().description();
  quadrille_policy_v1 policy{};
  policy.struct_size = sizeof(policy);
  policy.abi_version = QUADRILLE_POLICY_ABI_VERSION;
  policy.name = about.name;
  policy.version = about.version;
  policy.decides = about.decides;
  policy.accepts_several_values = about.accepts_several_values;
  policy.retention = static_cast<uint32_t>(about.retention);
  policy.reads_context = about.reads_context;
  policy.fallback = about.fallback;
  policy.resolve = resolves ? &resolve<P> : nullptr;
  policy.choose = chooses ? &choose<P> : nullptr;
  policy.check_argument = takes_arguments ? &check_argument<P> : nullptr;
  policy.may_leave = lets_leave ? &may_leave<P> : nullptr;
  policy.check = checks ? &check<P> : nullptr;
  return policy;
}

// Null if the policy cannot even be made.
template <class P>
const quadrille_policy_v1* offer() noexcept {
  try {
    static const quadrille_policy_v1 policy = describe<P>();
    return &policy;
  } catch (...) {
    return nullptr;
  }
}

// Takes the quads of a match in; its own trouble waits until the C functions have been left.
struct QuadReceiver {
  std::vector<Quad> quads;
  std::exception_ptr trouble;

  static int32_t receive(void* receiver, const quadrille_quad* quad) noexcept {
    auto& self = *static_cast<QuadReceiver*>(receiver);
    try {
      self.quads.push_back({optional_term_from(quad->graph), term_from(quad->subject), term_from(quad->property),
                            term_from(quad->object)});
      return QUADRILLE_OK;
    } catch (...) {
      self.trouble = std::current_exception();
      return QUADRILLE_NO_MEMORY;
    }
  }
};

}  // namespace bridge

inline std::vector<Quad> Context::match(const Pattern& pattern) const {
  quadrille_pattern asked{};
  asked.struct_size = sizeof(asked);
  asked.graph = bridge::term_to(pattern.graph);
  asked.subject = bridge::term_to(pattern.subject);
  asked.property = bridge::term_to(pattern.property);
  asked.object = bridge::term_to(pattern.object);
  asked.default_graph_only = pattern.default_graph_only;
  bridge::QuadReceiver receiver;
  const int32_t status = context_->match(context_, &asked, &bridge::QuadReceiver::receive, &receiver);
  if (receiver.trouble) std::rethrow_exception(receiver.trouble);
  if (status != QUADRILLE_OK) throw bridge::Stopped{status};
  return std::move(receiver.quads);
}

}  // namespace quadrille::plugin

// Once in a library, at global scope.
#define QUADRILLE_POLICY(Type)                                                                          \
  extern "C" __attribute__((visibility("default"))) const quadrille_policy_v1* quadrille_policy(void) { \
    return ::quadrille::plugin::bridge::offer<Type>();                                                  \
  }
