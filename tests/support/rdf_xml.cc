#include "tests/support/rdf_xml.h"

#include <optional>
#include <utility>

#include "engine/model/iri.h"
#include "engine/model/vocabulary.h"
#include "tests/support/xml_events.h"

namespace quadrille::test {
namespace {

using model::Term;

std::string in_rdf(std::string_view name) { return std::string(model::vocabulary::rdf).append(name); }

// Elements alternate: a node, its properties, the nodes that are their values ...
class RdfXmlReader {
 public:
  RdfXmlReader(std::string base_iri, model::BlankNodeScope& blank_nodes)
      : base_iri_(std::move(base_iri)), blank_nodes_(blank_nodes) {}

  void start(const std::string& name, const XmlAttributes& attributes) {
    if (open_.empty() && name == in_rdf("RDF")) {
      open_.push_back({Kind::Document, {}, {}, {}, {}, {}});
    } else if (open_.empty() || open_.back().kind != Kind::Node) {
      start_node(name, attributes);
    } else {
      start_property(name, attributes);
    }
  }

  void end() {
    const Element element = std::move(open_.back());
    open_.pop_back();
    if (!element.property) return;
    const Term value = element.value               ? *element.value
                       : !element.language.empty() ? Term::language_literal(element.text, element.language)
                       : !element.datatype.empty() ? Term::typed_literal(element.text, element.datatype)
                                                   : Term::literal(element.text);
    add(*open_.back().value, *element.property, value);
  }

  void text(std::string_view text) {
    if (!open_.empty()) open_.back().text += text;
  }

  std::vector<model::TermQuad> take() { return std::move(quads_); }

 private:
  enum class Kind { Document, Node, Property };
  struct Element {
    Kind kind;
    std::optional<Term> property;  // of a property element
    std::optional<Term> value;     // the node, or the value of the property as far as it is known
    std::string text;
    std::string language;
    std::string datatype;
  };

  void start_node(const std::string& name, const XmlAttributes& attributes) {
    Term node = node_of(attributes, "about").value_or(blank_nodes_.fresh());
    if (name != in_rdf("Description")) add(node, Term::iri(in_rdf("type")), Term::iri(name));
    if (!open_.empty() && open_.back().kind == Kind::Property) open_.back().value = node;
    open_.push_back({Kind::Node, {}, std::move(node), {}, {}, {}});
  }

  void start_property(const std::string& name, const XmlAttributes& attributes) {
    Element element{Kind::Property, Term::iri(name), node_of(attributes, "resource"), {}, {}, {}};
    const auto of = [&](const std::string& key) {
      const auto found = attributes.find(key);
      return found == attributes.end() ? std::string() : found->second;
    };
    element.language = of(std::string(xml_lang));
    element.datatype = of(in_rdf("datatype"));
    if (of(in_rdf("parseType")) == "Resource") {
      element.kind = Kind::Node;  // its content is properties of a new node
      element.value = blank_nodes_.fresh();
    }
    open_.push_back(std::move(element));
  }

  std::optional<Term> node_of(const XmlAttributes& attributes, std::string_view iri_attribute) {
    if (const auto iri = attributes.find(in_rdf(iri_attribute)); iri != attributes.end()) {
      return Term::iri(model::resolve_iri(base_iri_, iri->second));
    }
    if (const auto label = attributes.find(in_rdf("nodeID")); label != attributes.end()) {
      return blank_nodes_.node_for(label->second);
    }
    return std::nullopt;
  }

  void add(const Term& subject, const Term& predicate, const Term& object) {
    quads_.push_back({subject, predicate, object, std::nullopt});
  }

  std::string base_iri_;
  model::BlankNodeScope& blank_nodes_;
  std::vector<Element> open_;
  std::vector<model::TermQuad> quads_;
};

}  // namespace

base::Result<std::vector<model::TermQuad>> read_rdf_xml(std::string_view document, const std::string& base_iri,
                                                        model::BlankNodeScope& blank_nodes) {
  RdfXmlReader reader(base_iri, blank_nodes);
  const XmlEvents events{
      [&](const std::string& name, const XmlAttributes& attributes) { reader.start(name, attributes); },
      [&](const std::string&) { reader.end(); }, [&](std::string_view text) { reader.text(text); }};
  QUADRILLE_TRY(read_xml(document, events));
  return reader.take();
}

}  // namespace quadrille::test
