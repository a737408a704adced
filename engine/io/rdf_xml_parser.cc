#include "engine/io/rdf_xml_parser.h"

#ifdef QUADRILLE_HAS_RAPTOR

#include <fmt/format.h>
#include <raptor2.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <memory>
#include <optional>

#include "engine/io/xml_depth.h"
#include "engine/model/iri.h"
#include "engine/model/vocabulary.h"

namespace quadrille::io {
namespace {

struct FreeRaptor {
  void operator()(raptor_world* world) const { raptor_free_world(world); }
  void operator()(raptor_parser* parser) const { raptor_free_parser(parser); }
  void operator()(raptor_uri* uri) const { raptor_free_uri(uri); }
};

std::string_view text_of(const unsigned char* text, size_t size) { return {reinterpret_cast<const char*>(text), size}; }

std::string_view text_of(raptor_uri* uri) {
  size_t size = 0;
  const unsigned char* text = raptor_uri_as_counted_string(uri, &size);
  return text_of(text, size);
}

// One document on its way from Raptor's callbacks, which are C and must not throw or fail, to the sink.
class RdfXmlReader {
 public:
  RdfXmlReader(const ParseOptions& options, model::BlankNodeScope& blank_nodes, QuadSink& sink)
      : options_(options), blank_nodes_(blank_nodes), sink_(sink), world_(raptor_new_world()) {
    QUADRILLE_CHECK(world_ != nullptr, "no memory for a parser");
    raptor_world_set_log_handler(world_.get(), this, on_message);
    raptor_world_set_generate_bnodeid_handler(world_.get(), this, name_blank_node);
    raptor_world_open(world_.get());
    parser_.reset(raptor_new_parser(world_.get(), "rdfxml"));
    QUADRILLE_CHECK(parser_ != nullptr, "Raptor has no parser of RDF/XML");
    for (const auto option : {RAPTOR_OPTION_NO_NET, RAPTOR_OPTION_NO_FILE}) {
      raptor_parser_set_option(parser_.get(), option, nullptr, 1);
    }
    raptor_parser_set_option(parser_.get(), RAPTOR_OPTION_LOAD_EXTERNAL_ENTITIES, nullptr, 0);
    raptor_parser_set_statement_handler(parser_.get(), this, on_statement);
  }

  base::Result<void> read(InputStream& input) {
    // Raptor needs a base; where the caller gave none, IRIs that are relative to this one are refused.
    const std::string base = options_.base_iri.empty() ? std::string(no_base) : options_.base_iri;
    const std::unique_ptr<raptor_uri, FreeRaptor> base_uri(
        raptor_new_uri(world_.get(), reinterpret_cast<const unsigned char*>(base.c_str())));
    if (!base_uri || raptor_parser_parse_start(parser_.get(), base_uri.get()) != 0) {
      if (thrown_) std::rethrow_exception(thrown_);
      return failure_or("the base IRI cannot be used");
    }
    XmlDepth depth;
    std::array<char, 64 * 1024> chunk;
    while (true) {
      QUADRILLE_ASSIGN(const size_t size, input.read(chunk));
      if (depth.follow({chunk.data(), size}) > options_.nesting_max) {
        return base::Error{base::ErrorKind::InvalidInput,
                           fmt::format("elements nest more than {} deep", options_.nesting_max), position()};
      }
      const int code = raptor_parser_parse_chunk(parser_.get(), reinterpret_cast<const unsigned char*>(chunk.data()),
                                                 size, size == 0 ? 1 : 0);
      if (thrown_) std::rethrow_exception(thrown_);
      if (failure_) return *failure_;
      if (code != 0) return failure_or("not RDF/XML");
      if (size == 0) return {};
    }
  }

 private:
  static constexpr std::string_view no_base = "no-base://document/";

  base::Error failure_or(std::string message) const {
    return failure_ ? *failure_ : base::Error{base::ErrorKind::InvalidInput, std::move(message), position()};
  }

  base::Position position() const {
    const auto number = [](int place) { return static_cast<uint64_t>(std::max(place, 1)); };
    raptor_locator* locator = raptor_parser_get_locator(parser_.get());
    return {number(raptor_locator_line(locator)), number(raptor_locator_column(locator))};
  }

  void fail(base::Error error) {
    if (failure_) return;
    if (!error.position) error.position = position();
    failure_ = std::move(error);
    raptor_parser_parse_abort(parser_.get());
  }

  // For callbacks. What is thrown may not pass through frames of C: it comes out of read(), and parsing ends.
  template <typename Work>
  void guard(const Work& work) noexcept {
    if (thrown_) return;
    try {
      work();
    } catch (...) {
      thrown_ = std::current_exception();
      if (parser_) raptor_parser_parse_abort(parser_.get());
    }
  }

  // Warnings are about style (an old syntax, an unusual IRI). But what Raptor passes over would be lost.
  static void on_message(void* self, raptor_log_message* message) {
    const bool is_lost = std::string_view(message->text).find("skipping") != std::string_view::npos;
    if (message->level < RAPTOR_LOG_LEVEL_ERROR && !is_lost) return;
    auto& reader = *static_cast<RdfXmlReader*>(self);
    if (!reader.parser_) return;
    reader.guard([&] {
      reader.fail({base::ErrorKind::InvalidInput, fmt::format("not RDF/XML: {}", message->text), {}});
    });
  }

  // Labels that the document gives, and names for nodes that it gives none, must never meet. Raptor checks the result
  // as a name of XML, so a label that is none must stay none. Freed by Raptor.
  static unsigned char* name_blank_node(void* self, unsigned char* given) {
    unsigned char* copy = nullptr;
    static_cast<RdfXmlReader*>(self)->guard([&] { copy = static_cast<RdfXmlReader*>(self)->blank_node_name(given); });
    if (given) raptor_free_memory(given);
    return copy;
  }

  unsigned char* blank_node_name(const unsigned char* given) {
    const std::string name = given ? fmt::format("{}-given", reinterpret_cast<const char*>(given))
                                   : fmt::format("made-{}", made_blank_nodes_++);
    auto* copy = static_cast<unsigned char*>(raptor_alloc_memory(name.size() + 1));
    if (copy) std::memcpy(copy, name.c_str(), name.size() + 1);
    return copy;
  }

  static void on_statement(void* self, raptor_statement* statement) {
    auto& reader = *static_cast<RdfXmlReader*>(self);
    if (reader.failure_) return;
    reader.guard([&] {
      const auto added = reader.add(*statement);
      if (!added.ok()) reader.fail(added.error());
    });
  }

  base::Result<void> add(const raptor_statement& statement) {
    QUADRILLE_ASSIGN(const model::Term subject, term_of(*statement.subject));
    QUADRILLE_ASSIGN(const model::Term predicate, term_of(*statement.predicate));
    QUADRILLE_ASSIGN(const model::Term object, term_of(*statement.object));
    model::TermQuadView quad{view_of(subject, subject_qualifier_), view_of(predicate, predicate_qualifier_),
                             view_of(object, object_qualifier_), std::nullopt};
    if (options_.graph) quad.graph = view_of(*options_.graph, graph_qualifier_);
    return sink_.add(quad, position().line);
  }

  base::Result<model::Term> term_of(const raptor_term& term) {
    switch (term.type) {
      case RAPTOR_TERM_TYPE_URI: {
        QUADRILLE_ASSIGN(std::string iri, iri_of(term.value.uri));
        return model::Term::iri(std::move(iri));
      }
      case RAPTOR_TERM_TYPE_BLANK:
        return blank_nodes_.node_for(text_of(term.value.blank.string, term.value.blank.string_len));
      case RAPTOR_TERM_TYPE_LITERAL: return literal_of(term.value.literal);
      case RAPTOR_TERM_TYPE_UNKNOWN: break;
    }
    return base::Error{base::ErrorKind::InvalidInput, "a statement has a term of no kind", {}};
  }

  base::Result<std::string> iri_of(raptor_uri* uri) const {
    std::string iri(text_of(uri));
    if (options_.base_iri.empty() && iri.starts_with(no_base)) {
      return base::Error{
          base::ErrorKind::InvalidInput, "a relative IRI in a document without a base; expected an absolute one", {}};
    }
    if (const auto checked = model::check_iri(iri); !checked.ok()) {
      return base::Error{checked.error().kind, fmt::format("<{}>: {}", iri, checked.error().message), {}};
    }
    return iri;
  }

  base::Result<model::Term> literal_of(const raptor_term_literal_value& literal) const {
    std::string text(text_of(literal.string, literal.string_len));
    if (literal.language && *literal.language != 0) {  // its length is not always set
      std::string tag(reinterpret_cast<const char*>(literal.language));
      return model::Term::language_literal(std::move(text), std::move(tag));
    }
    if (!literal.datatype) return model::Term::literal(std::move(text));
    QUADRILLE_ASSIGN(std::string datatype, iri_of(literal.datatype));
    return model::Term::typed_literal(std::move(text), std::move(datatype));
  }

  static model::TermView view_of(const model::Term& term, std::string& qualifier) {
    qualifier.clear();
    if (term.is_iri()) return {model::TermKind::Iri, term.text(), {}};
    if (term.is_blank_node()) return {model::TermKind::BlankNode, term.text(), {}};
    if (!term.language().empty()) {
      qualifier = fmt::format("@{}", term.language());
    } else if (!term.is_plain_string()) {
      qualifier = term.datatype();
    }
    return {model::TermKind::Literal, term.text(), qualifier};
  }

  const ParseOptions& options_;
  model::BlankNodeScope& blank_nodes_;
  QuadSink& sink_;
  std::optional<base::Error> failure_;
  std::exception_ptr thrown_;
  uint64_t made_blank_nodes_ = 0;
  std::string subject_qualifier_, predicate_qualifier_, object_qualifier_, graph_qualifier_;
  std::unique_ptr<raptor_world, FreeRaptor> world_;
  std::unique_ptr<raptor_parser, FreeRaptor> parser_;
};

}  // namespace

bool reads_rdf_xml() noexcept { return true; }

base::Result<void> parse_rdf_xml(InputStream& input, const ParseOptions& options, model::BlankNodeScope& blank_nodes,
                                 QuadSink& sink) {
  return RdfXmlReader(options, blank_nodes, sink).read(input);
}

}  // namespace quadrille::io

#else

namespace quadrille::io {

bool reads_rdf_xml() noexcept { return false; }

base::Result<void> parse_rdf_xml(InputStream&, const ParseOptions&, model::BlankNodeScope&, QuadSink&) {
  return base::Error{base::ErrorKind::Unsupported,
                     "RDF/XML is not read by this build, which was made without Raptor; expected N-Triples, N-Quads, "
                     "Turtle or TriG",
                     {}};
}

}  // namespace quadrille::io

#endif
