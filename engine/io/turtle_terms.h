// The terminals of Turtle and TriG: reads one term, name or run of white space at a time.
// https://www.w3.org/TR/turtle/#sec-grammar-grammar
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

#include "engine/base/result.h"
#include "engine/io/rdf_parser.h"
#include "engine/io/term_buffer.h"
#include "engine/io/text_reader.h"
#include "engine/model/blank_node_source.h"

namespace quadrille::io {

// Each read_… requires what its comment says about the next byte, and leaves the reader behind what it read.
class TurtleTerms {
 public:
  TurtleTerms(InputStream& input, const ParseOptions& options, model::BlankNodeScope& blank_nodes);

  TextReader& reader() noexcept { return reader_; }

  // White space and comments.
  void skip_space();
  // Passes over `c`, or fails: "expected `expected`".
  base::Result<void> expect(char c, std::string_view expected);

  // '<': an absolute IRI, resolved.
  base::Result<void> read_iri(std::string& iri);
  // The prefix of a name, without ':'; may be empty.
  base::Result<void> read_prefix(std::string& prefix);
  // ':' of a prefixed name whose prefix has been read.
  base::Result<void> read_local_name(const std::string& prefix, std::string& iri);
  // '<', ':' or the first letter of a prefix.
  base::Result<void> read_iri_or_name(std::string& iri, std::string_view expected);
  // '_'
  base::Result<void> read_blank_node(TermBuffer& term);
  // '"' or '\'', with its language or datatype.
  base::Result<void> read_literal(TermBuffer& term);
  // A digit, a sign or a dot.
  base::Result<void> read_number(TermBuffer& term);

  void make_blank_node(TermBuffer& term) { term.set_blank_node(blank_nodes_.fresh().text()); }
  void set_prefix(const std::string& prefix, std::string_view iri) { prefixes_[prefix] = iri; }
  void set_base(std::string_view iri) { base_iri_ = iri; }

  // Describes what is at the reader. Takes the reader's own failure instead, if the text ends with one.
  base::Error unexpected(std::string_view expected);
  base::Error error_here(std::string message);

 private:
  base::Result<void> read_iri_text(std::string& out);
  base::Result<void> read_iri_escape(std::string& out);
  base::Result<void> read_string(std::string& out);
  base::Result<void> read_string_escape(std::string& out);
  base::Result<void> read_language(std::string& qualifier);
  base::Result<void> read_datatype(std::string& qualifier);
  base::Result<void> read_local_name_escape(std::string& out);
  base::Result<void> read_percent(std::string& out);
  void read_name_characters(std::string& out);
  bool name_goes_on_behind_dot(bool is_local_name);
  void read_digits(std::string& out);
  base::Result<void> check_size(const std::string& text);

  TextReader reader_;
  model::BlankNodeScope& blank_nodes_;
  std::string base_iri_;
  size_t term_size_max_;
  std::unordered_map<std::string, std::string> prefixes_;
  std::string word_;
  std::string reference_;
};

}  // namespace quadrille::io
