// https://www.w3.org/TR/rdf-sparql-XMLres/
#include <expat.h>
#include <fmt/format.h>

#include <exception>
#include <memory>
#include <vector>

#include "engine/io/solution_reader.h"
#include "engine/io/solution_terms.h"

namespace quadrille::io {
namespace {

constexpr int depth_max = 64;
constexpr std::string_view space = "http://www.w3.org/2005/sparql-results#";
constexpr char name_separator = ' ';
constexpr int piece_bytes = 1 << 20;

struct ParserFree {
  void operator()(XML_Parser parser) const { XML_ParserFree(parser); }
};

// Expat's callbacks are C: what is thrown waits until they are left.
class XmlSolutions {
 public:
  explicit XmlSolutions(SolutionSink& sink) : sink_(sink), parser_(XML_ParserCreateNS(nullptr, name_separator)) {
    QUADRILLE_CHECK(parser_ != nullptr, "no memory for a parser");
    XML_SetUserData(parser_.get(), this);
    XML_SetElementHandler(parser_.get(), on_start, on_end);
    XML_SetCharacterDataHandler(parser_.get(), on_text);
    // No entities, so none that grow.
    XML_SetStartDoctypeDeclHandler(parser_.get(), on_doctype);
  }

  base::Result<void> read(std::string_view document) {
    while (true) {
      const auto piece = document.substr(0, piece_bytes);
      document.remove_prefix(piece.size());
      const auto status =
          XML_Parse(parser_.get(), piece.data(), static_cast<int>(piece.size()), document.empty() ? 1 : 0);
      if (thrown_) std::rethrow_exception(thrown_);
      if (error_) return *error_;
      if (status != XML_STATUS_OK) {
        return bad_solutions(fmt::format("line {}", XML_GetCurrentLineNumber(parser_.get())),
                             fmt::format("XML ({})", XML_ErrorString(XML_GetErrorCode(parser_.get()))));
      }
      if (document.empty()) break;
    }
    if (!has_results_) return bad_solutions("the answer", "an element results, as of a SELECT");
    return {};
  }

 private:
  static XmlSolutions& self(void* user) { return *static_cast<XmlSolutions*>(user); }

  static void on_start(void* user, const XML_Char* name, const XML_Char** attributes) {
    self(user).guard([&] { self(user).start(name, attributes); });
  }
  static void on_end(void* user, const XML_Char* name) {
    self(user).guard([&] { self(user).end(name); });
  }
  static void on_text(void* user, const XML_Char* text, int size) {
    self(user).guard([&] {
      if (self(user).in_term_) self(user).pieces_.text->append(text, static_cast<size_t>(size));
    });
  }
  static void on_doctype(void* user, const XML_Char*, const XML_Char*, const XML_Char*, int) {
    self(user).guard([&] { self(user).fail(bad_solutions("the answer", "XML without a document type")); });
  }

  template <class Work>
  void guard(const Work& work) noexcept {
    if (error_ || thrown_) return;
    try {
      work();
    } catch (...) {
      thrown_ = std::current_exception();
      XML_StopParser(parser_.get(), XML_FALSE);
    }
  }
  void fail(base::Error error) {
    error_ = std::move(error);
    XML_StopParser(parser_.get(), XML_FALSE);
  }

  // The local name, where it is of the results' vocabulary; empty else.
  static std::string_view local_name(std::string_view name) {
    const bool is_ours = name.starts_with(space) && name.size() > space.size() && name[space.size()] == name_separator;
    return is_ours ? name.substr(space.size() + 1) : std::string_view();
  }

  void start(std::string_view full_name, const XML_Char** attributes) {
    if (++depth_ > depth_max) return fail(bad_solutions("the answer", fmt::format("elements {} deep", depth_max)));
    const auto name = local_name(full_name);
    if (name == "results") has_results_ = true;
    if (name == "result") {
      ++number_;
      solution_.clear();
    }
    if (name == "binding") {
      pieces_ = {};
      pieces_.variable = attribute(attributes, "name");
      is_given_ = false;
    }
    if (name == "uri" || name == "bnode" || name == "literal") {
      if (is_given_) return fail(bad_solutions(fmt::format("solution {}", number_), "one term in a binding"));
      is_given_ = in_term_ = true;
      pieces_.type = name;
      pieces_.text = std::string();
      pieces_.language = attribute(attributes, "http://www.w3.org/XML/1998/namespace lang");
      pieces_.datatype = attribute(attributes, "datatype");
    }
  }

  void end(std::string_view full_name) {
    --depth_;
    const auto name = local_name(full_name);
    if (name == "uri" || name == "bnode" || name == "literal") in_term_ = false;
    if (name == "binding") {
      auto variable = pieces_.variable;
      auto term = make_term(std::move(pieces_), number_);
      pieces_ = {};
      if (!term.ok()) return fail(term.error());
      solution_.emplace_back(std::move(variable), std::move(term).value());
    }
    if (name == "result") {
      if (auto added = sink_.add(solution_); !added.ok()) fail(added.error());
    }
  }

  static std::string attribute(const XML_Char** attributes, std::string_view name) {
    for (; *attributes != nullptr; attributes += 2) {
      if (attributes[0] == name) return attributes[1];
    }
    return {};
  }

  SolutionSink& sink_;
  std::unique_ptr<std::remove_pointer_t<XML_Parser>, ParserFree> parser_;
  std::optional<base::Error> error_;
  std::exception_ptr thrown_;
  int depth_ = 0;
  bool has_results_ = false;
  bool in_term_ = false;
  bool is_given_ = false;  // the binding has its term
  size_t number_ = 0;
  TermPieces pieces_;
  std::vector<std::pair<std::string, model::Term>> solution_;
};

}  // namespace

base::Result<void> read_xml_solutions(std::string_view document, SolutionSink& sink) {
  return XmlSolutions(sink).read(document);
}

}  // namespace quadrille::io
