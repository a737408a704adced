// Recursive descent over https://www.w3.org/TR/turtle/#sec-grammar and https://www.w3.org/TR/trig/#sec-grammar.
//
// A [ ] or ( ) is a level; the terms of each level live in a stack of buffers, so that text is copied once and nothing
// is allocated per statement. Levels are counted, and limited.
#include "engine/io/turtle_parser.h"

#include <fmt/format.h>

#include <deque>
#include <utility>

#include "engine/io/media_type.h"
#include "engine/io/turtle_terms.h"
#include "engine/model/vocabulary.h"

namespace quadrille::io {
namespace {

constexpr bool is_digit(int c) noexcept { return c >= '0' && c <= '9'; }

class TurtleParser {
 public:
  TurtleParser(bool with_graphs, InputStream& input, const ParseOptions& options, model::BlankNodeScope& blank_nodes,
               QuadSink& sink)
      : with_graphs_(with_graphs),
        nesting_max_(options.nesting_max),
        terms_(input, options, blank_nodes),
        reader_(terms_.reader()),
        sink_(sink) {
    first_.set_iri(model::vocabulary::rdf_first);
    rest_.set_iri(model::vocabulary::rdf_rest);
    nil_.set_iri(model::vocabulary::rdf_nil);
    if (options.graph) outer_graph_.set(options.graph->kind(), options.graph->text(), {});
    has_outer_graph_ = options.graph.has_value();
    leave_graph();
  }

  base::Result<void> parse_document() {
    for (terms_.skip_space(); reader_.peek() != TextReader::end_of_text; terms_.skip_space()) {
      QUADRILLE_TRY(parse_statement());
    }
    if (reader_.failure()) return *reader_.failure();
    return {};
  }

 private:
  // One level of nesting: the subject and the predicate of the statements that are being read there.
  struct Level {
    TermBuffer subject;
    TermBuffer predicate;
  };

  base::Result<void> parse_statement() {
    if (reader_.peek() == '@') return parse_at_directive();
    if (with_graphs_ && reader_.peek() == '{') return parse_graph_body();
    bool is_keyword = false;
    QUADRILLE_TRY(parse_keyword_or_name(is_keyword));
    if (is_keyword) return parse_keyword_statement();
    Level& level = level_at(0);
    SubjectKind kind = SubjectKind::Term;
    QUADRILLE_TRY(word_.empty() && reader_.peek() != ':' ? parse_subject(level.subject, kind)
                                                         : finish_name(level.subject));
    terms_.skip_space();
    if (with_graphs_ && kind == SubjectKind::Term && reader_.peek() == '{') {
      enter_graph(level.subject);
      return parse_graph_body();
    }
    QUADRILLE_TRY(parse_statements_of(kind));
    return terms_.expect('.', "',', ';' or '.' behind the object");
  }

  // Reads a bare word into word_; it is the prefix of a name if ':' follows.
  base::Result<void> parse_keyword_or_name(bool& is_keyword) {
    QUADRILLE_TRY(terms_.read_prefix(word_));
    is_keyword = !word_.empty() && reader_.peek() != ':';
    return {};
  }

  base::Result<void> finish_name(TermBuffer& term) {
    term.set_iri({});
    return terms_.read_local_name(word_, term.text);
  }

  // PREFIX, BASE and GRAPH, in any case; word_ has been read.
  base::Result<void> parse_keyword_statement() {
    if (equals_ignoring_case(word_, "PREFIX")) return parse_prefix();
    if (equals_ignoring_case(word_, "BASE")) return parse_base();
    if (!with_graphs_ || !equals_ignoring_case(word_, "GRAPH")) {
      return terms_.unexpected(fmt::format("':' behind \"{}\"", model::describe_text(word_)));
    }
    terms_.skip_space();
    QUADRILLE_TRY(parse_graph_name(graph_));
    has_graph_ = true;
    terms_.skip_space();
    return parse_graph_body();
  }

  base::Result<void> parse_at_directive() {
    reader_.advance();
    QUADRILLE_TRY(terms_.read_prefix(word_));
    if (word_ == "prefix") {
      QUADRILLE_TRY(parse_prefix());
    } else if (word_ == "base") {
      QUADRILLE_TRY(parse_base());
    } else {
      return terms_.error_here(fmt::format("found \"@{}\", expected @prefix or @base", model::describe_text(word_)));
    }
    terms_.skip_space();
    return terms_.expect('.', "'.' at the end of the directive");
  }

  base::Result<void> parse_prefix() {
    terms_.skip_space();
    QUADRILLE_TRY(terms_.read_prefix(word_));
    QUADRILLE_TRY(terms_.expect(':', "a prefix with ':' behind it"));
    terms_.skip_space();
    if (reader_.peek() != '<') return terms_.unexpected("the IRI of the prefix");
    QUADRILLE_TRY(terms_.read_iri(iri_));
    terms_.set_prefix(word_, iri_);
    return {};
  }

  base::Result<void> parse_base() {
    terms_.skip_space();
    if (reader_.peek() != '<') return terms_.unexpected("the base IRI");
    QUADRILLE_TRY(terms_.read_iri(iri_));
    terms_.set_base(iri_);
    return {};
  }

  // What stands behind GRAPH: an IRI or a blank node without properties.
  base::Result<void> parse_graph_name(TermBuffer& name) {
    if (reader_.peek() == '_') return terms_.read_blank_node(name);
    if (reader_.peek() == '[') {
      reader_.advance();
      terms_.skip_space();
      QUADRILLE_TRY(terms_.expect(']', "']' of a blank node without properties as graph"));
      terms_.make_blank_node(name);
      return {};
    }
    name.set_iri({});
    return terms_.read_iri_or_name(name.text, "an IRI or a blank node as graph");
  }

  // { ... }; has_graph_ and graph_ say whose.
  base::Result<void> parse_graph_body() {
    QUADRILLE_TRY(terms_.expect('{', "'{' of a graph"));
    terms_.skip_space();
    while (reader_.peek() != '}') {
      Level& level = level_at(0);
      SubjectKind kind = SubjectKind::Term;
      QUADRILLE_TRY(parse_subject(level.subject, kind));
      terms_.skip_space();
      QUADRILLE_TRY(parse_statements_of(kind));
      if (reader_.peek() == '}') break;
      QUADRILLE_TRY(terms_.expect('.', "',', ';', '.' or '}' behind the object"));
      terms_.skip_space();
    }
    reader_.advance();
    leave_graph();
    return {};
  }

  void enter_graph(const TermBuffer& name) {
    graph_.set(name.kind, name.text, {});
    has_graph_ = true;
  }
  void leave_graph() {
    graph_.set(outer_graph_.kind, outer_graph_.text, {});
    has_graph_ = has_outer_graph_;
  }

  // Term: an IRI or a blank node without content, which may name a graph. PropertyList: may stand alone.
  enum class SubjectKind : uint8_t { Term, PropertyList, Collection };

  base::Result<void> parse_subject(TermBuffer& subject, SubjectKind& kind) {
    kind = SubjectKind::Term;
    switch (reader_.peek()) {
      case '_': return terms_.read_blank_node(subject);
      case '(': kind = SubjectKind::Collection; return parse_collection(subject, nullptr);
      case '[': {
        bool is_empty = false;
        QUADRILLE_TRY(parse_blank_node_with_properties(subject, nullptr, is_empty));
        kind = is_empty ? SubjectKind::Term : SubjectKind::PropertyList;
        return {};
      }
      default: subject.set_iri({}); return terms_.read_iri_or_name(subject.text, "an IRI or a blank node as subject");
    }
  }

  // The predicates and objects behind a subject of level 0, up to the '.'.
  base::Result<void> parse_statements_of(SubjectKind kind) {
    const bool may_end = reader_.peek() == '.' || reader_.peek() == '}';
    if (kind == SubjectKind::PropertyList && may_end) return {};
    return parse_predicates_and_objects(0);
  }

  // predicateObjectList: at least one verb; leaves the reader at what it does not know.
  base::Result<void> parse_predicates_and_objects(unsigned depth) {
    Level& level = level_at(depth);
    for (;;) {
      QUADRILLE_TRY(parse_predicate(level.predicate));
      for (;;) {
        terms_.skip_space();
        QUADRILLE_TRY(parse_object(level.subject, level.predicate, depth));
        terms_.skip_space();
        if (reader_.peek() != ',') break;
        reader_.advance();
      }
      if (reader_.peek() != ';') return {};
      while (reader_.peek() == ';') {
        reader_.advance();
        terms_.skip_space();
      }
      const int next = reader_.peek();
      if (next == '.' || next == ']' || next == '}') return {};
    }
  }

  base::Result<void> parse_predicate(TermBuffer& predicate) {
    predicate.set_iri({});
    if (reader_.peek() == '<') return terms_.read_iri(predicate.text);
    QUADRILLE_TRY(terms_.read_prefix(word_));
    if (reader_.peek() == ':') return terms_.read_local_name(word_, predicate.text);
    if (word_ == "a") {
      predicate.text.assign(model::vocabulary::rdf_type);
      return {};
    }
    if (word_.empty()) return terms_.unexpected("an IRI or 'a' as predicate");
    return terms_.unexpected(fmt::format("':' behind \"{}\"", model::describe_text(word_)));
  }

  // Reads one object and gives its statement to the sink, before those of its own content.
  base::Result<void> parse_object(const TermBuffer& subject, const TermBuffer& predicate, unsigned depth) {
    const int next = reader_.peek();
    if (next == '[' || next == '(') {
      const Statement statement{subject, predicate, depth};
      if (next == '(') return parse_collection(object_, &statement);
      bool is_empty = false;
      return parse_blank_node_with_properties(object_, &statement, is_empty);
    }
    QUADRILLE_TRY(parse_simple_object());
    return emit(subject, predicate, object_);
  }

  base::Result<void> parse_simple_object() {
    const int next = reader_.peek();
    if (next == '_') return terms_.read_blank_node(object_);
    if (next == '"' || next == '\'') return terms_.read_literal(object_);
    if (is_digit(next) || next == '+' || next == '-' || (next == '.' && is_digit(reader_.peek(1)))) {
      return terms_.read_number(object_);
    }
    object_.set_iri({});
    if (next == '<') return terms_.read_iri(object_.text);
    QUADRILLE_TRY(terms_.read_prefix(word_));
    if (reader_.peek() == ':') return terms_.read_local_name(word_, object_.text);
    if (word_ == "true" || word_ == "false") {
      object_.set_literal(word_, model::vocabulary::xsd_boolean);
      return {};
    }
    if (word_.empty()) return terms_.unexpected("an IRI, a blank node, a literal, '[' or '(' as object");
    return terms_.unexpected(fmt::format("':' behind \"{}\"", model::describe_text(word_)));
  }

  // The statement whose object a nested node is, and the level at which it stands.
  struct Statement {
    const TermBuffer& subject;
    const TermBuffer& predicate;
    unsigned depth;
  };

  base::Result<void> check_depth(unsigned depth) {
    if (depth <= nesting_max_) return {};
    base::Error error =
        terms_.error_here(fmt::format("found deeper nesting, expected at most {} levels", nesting_max_));
    error.kind = base::ErrorKind::ResourceExhausted;
    return error;
  }

  // [ ... ]. Leaves the node in `node`, which its content may overwrite if it is the object of a statement.
  base::Result<void> parse_blank_node_with_properties(TermBuffer& node, const Statement* outer, bool& is_empty) {
    const unsigned depth = outer == nullptr ? 1 : outer->depth + 1;
    QUADRILLE_TRY(check_depth(depth));
    reader_.advance();
    terms_.make_blank_node(node);
    if (outer != nullptr) QUADRILLE_TRY(emit(outer->subject, outer->predicate, node));
    terms_.skip_space();
    is_empty = reader_.peek() == ']';
    if (!is_empty) {
      level_at(depth).subject.set_blank_node(node.text);
      QUADRILLE_TRY(parse_predicates_and_objects(depth));
    }
    return terms_.expect(']', is_empty ? "']'" : "',', ';' or ']' behind the object");
  }

  // ( ... ). The same.
  base::Result<void> parse_collection(TermBuffer& head, const Statement* outer) {
    const unsigned depth = outer == nullptr ? 1 : outer->depth + 1;
    QUADRILLE_TRY(check_depth(depth));
    reader_.advance();
    terms_.skip_space();
    const bool is_empty = reader_.peek() == ')';
    if (is_empty) {
      head.set_iri(nil_.text);
    } else {
      terms_.make_blank_node(head);
    }
    if (outer != nullptr) QUADRILLE_TRY(emit(outer->subject, outer->predicate, head));
    if (!is_empty) QUADRILLE_TRY(parse_collection_items(head, depth));
    reader_.advance();
    return {};
  }

  // From the first item on, to the ')'.
  base::Result<void> parse_collection_items(const TermBuffer& head, unsigned depth) {
    TermBuffer& node = level_at(depth).subject;
    node.set_blank_node(head.text);
    for (;;) {
      QUADRILLE_TRY(parse_object(node, first_, depth));
      terms_.skip_space();
      if (reader_.peek() == ')') return emit(node, rest_, nil_);
      terms_.make_blank_node(next_node_);
      QUADRILLE_TRY(emit(node, rest_, next_node_));
      node.text.swap(next_node_.text);
    }
  }

  base::Result<void> emit(const TermBuffer& subject, const TermBuffer& predicate, const TermBuffer& object) {
    quad_.subject = subject.view();
    quad_.predicate = predicate.view();
    quad_.object = object.view();
    quad_.graph.reset();
    if (has_graph_) quad_.graph = graph_.view();
    return sink_.add(quad_, reader_.line());
  }

  // A deque: levels stay where they are while deeper ones come.
  Level& level_at(unsigned depth) {
    while (levels_.size() <= depth) levels_.emplace_back();
    return levels_[depth];
  }

  bool with_graphs_;
  unsigned nesting_max_;
  TurtleTerms terms_;
  TextReader& reader_;
  QuadSink& sink_;

  std::deque<Level> levels_;
  TermBuffer object_;
  TermBuffer next_node_;
  TermBuffer graph_;
  bool has_graph_ = false;
  TermBuffer outer_graph_;
  bool has_outer_graph_ = false;
  TermBuffer first_, rest_, nil_;
  std::string word_;
  std::string iri_;
  model::TermQuadView quad_;
};

}  // namespace

base::Result<void> parse_turtle(bool with_graphs, InputStream& input, const ParseOptions& options,
                                model::BlankNodeScope& blank_nodes, QuadSink& sink) {
  TurtleParser parser(with_graphs, input, options, blank_nodes, sink);
  return parser.parse_document();
}

}  // namespace quadrille::io
