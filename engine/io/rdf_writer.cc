#include "engine/io/rdf_writer.h"

#include <fmt/format.h>

#include <string_view>
#include <utility>

#include "engine/io/turtle_text.h"
#include "engine/model/vocabulary.h"

namespace quadrille::io {
namespace {

base::Error cannot_name_graphs(RdfFormat format, const model::Term& graph) {
  return {base::ErrorKind::Unsupported,
          fmt::format("found a statement in graph {}, but the format {} cannot name graphs; expected nq or trig",
                      model::to_ntriples(graph), name_of(format)),
          {}};
}

class LineWriter final : public RdfWriter {
 public:
  LineWriter(RdfFormat format, OutputSink& sink) : format_(format), out_(sink) {}

  base::Result<void> write(const model::TermQuad& quad) override {
    if (quad.graph && !carries_graphs(format_)) return cannot_name_graphs(format_, *quad.graph);
    std::string& text = out_.text();
    model::append_ntriples(text, quad.subject);
    text += ' ';
    model::append_ntriples(text, quad.predicate);
    text += ' ';
    model::append_ntriples(text, quad.object);
    if (quad.graph) {
      text += ' ';
      model::append_ntriples(text, *quad.graph);
    }
    text += " .\n";
    return out_.pass_on();
  }

  base::Result<void> finish() override { return out_.flush(); }

 private:
  RdfFormat format_;
  BufferedOutput out_;
};

// A local name that needs no escapes: a little less than the grammar allows.
bool is_plain_local_name(std::string_view name) noexcept {
  const auto is_plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  };
  if (name.empty()) return true;
  if (!is_plain(name.front()) || name.back() == '.') return false;
  for (const char c : name) {
    if (!is_plain(c) && c != '-' && c != '.') return false;
  }
  return true;
}

class TurtleWriter final : public RdfWriter {
 public:
  TurtleWriter(RdfFormat format, OutputSink& sink, std::vector<NamedPrefix> prefixes)
      : format_(format), out_(sink), prefixes_(std::move(prefixes)) {
    for (const NamedPrefix& prefix : prefixes_) {
      out_.text().append("@prefix ").append(prefix.name).append(": ");
      model::append_ntriples_iri(out_.text(), prefix.iri);
      out_.text() += " .\n";
    }
  }

  base::Result<void> write(const model::TermQuad& quad) override {
    if (quad.graph && !carries_graphs(format_)) return cannot_name_graphs(format_, *quad.graph);
    if (!last_ || last_->graph != quad.graph) {
      end_graph();
      start_graph(quad);
    }
    std::string& text = out_.text();
    if (!is_in_subject_ || last_->subject != quad.subject) {
      end_subject();
      start_subject(quad);
    } else if (last_->predicate != quad.predicate) {
      text += " ;\n    ";
      append_predicate(quad.predicate);
    } else {
      text += " ,\n        ";
      append_node(quad.object);
      last_ = quad;
      return out_.pass_on();
    }
    text += ' ';
    append_node(quad.object);
    last_ = quad;
    return out_.pass_on();
  }

  base::Result<void> finish() override {
    end_graph();
    last_.reset();
    return out_.flush();
  }

 private:
  void start_graph(const model::TermQuad& quad) {
    if (!quad.graph) return;
    if (!out_.text().empty() || last_) out_.text() += '\n';
    append_node(*quad.graph);
    out_.text() += " {\n";
  }
  void end_graph() {
    end_subject();
    if (last_ && last_->graph) out_.text() += "}\n";
  }

  void start_subject(const model::TermQuad& quad) {
    append_node(quad.subject);
    out_.text() += ' ';
    append_predicate(quad.predicate);
    is_in_subject_ = true;
  }
  void end_subject() {
    if (is_in_subject_) out_.text() += " .\n";
    is_in_subject_ = false;
  }

  void append_predicate(const model::Term& predicate) {
    if (predicate.text() == model::vocabulary::rdf_type) {
      out_.text() += 'a';
    } else {
      append_node(predicate);
    }
  }

  void append_node(const model::Term& term) {
    std::string& text = out_.text();
    if (term.is_iri()) return append_iri(term.text());
    if (term.is_blank_node() || term.is_plain_string() || !term.language().empty() || has_turtle_shorthand(term)) {
      return append_term(text, term, true);
    }
    model::append_ntriples_string(text, term.text());
    text += "^^";
    append_iri(term.datatype());
  }

  void append_iri(std::string_view iri) {
    const NamedPrefix* best = nullptr;
    for (const NamedPrefix& prefix : prefixes_) {
      if ((best == nullptr || prefix.iri.size() > best->iri.size()) && iri.starts_with(prefix.iri) &&
          is_plain_local_name(iri.substr(prefix.iri.size()))) {
        best = &prefix;
      }
    }
    if (best == nullptr) return model::append_ntriples_iri(out_.text(), iri);
    out_.text().append(best->name).append(":").append(iri.substr(best->iri.size()));
  }

  RdfFormat format_;
  BufferedOutput out_;
  std::vector<NamedPrefix> prefixes_;
  std::optional<model::TermQuad> last_;
  bool is_in_subject_ = false;
};

}  // namespace

std::unique_ptr<RdfWriter> make_rdf_writer(RdfFormat format, OutputSink& sink, std::vector<NamedPrefix> prefixes) {
  switch (format) {
    case RdfFormat::NTriples:
    case RdfFormat::NQuads: return std::make_unique<LineWriter>(format, sink);
    case RdfFormat::Turtle:
    case RdfFormat::TriG: break;
    case RdfFormat::RdfXml: QUADRILLE_CHECK(is_written(format), "RDF/XML is not written");
  }
  return std::make_unique<TurtleWriter>(format, sink, std::move(prefixes));
}

}  // namespace quadrille::io
