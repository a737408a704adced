// Colour refinement: blank nodes get the same colour as long as nothing tells them apart. Where several nodes keep one
// colour, a mapping is tried; if it fails, one node of a is paired with each of b in turn, and the rest is refined
// again.
#include "tests/support/isomorphism.h"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace quadrille::test {
namespace {

using model::Term;
using model::TermQuad;
using Colour = size_t;
using Colours = std::map<std::string, Colour>;  // by blank node label

std::vector<const Term*> places(const TermQuad& quad) {
  std::vector<const Term*> out = {&quad.subject, &quad.predicate, &quad.object};
  if (quad.graph) out.push_back(&*quad.graph);
  return out;
}

std::set<TermQuad> as_set(std::span<const TermQuad> quads) { return {quads.begin(), quads.end()}; }

Colours uncoloured(const std::set<TermQuad>& quads) {
  Colours colours;
  for (const TermQuad& quad : quads) {
    for (const Term* term : places(quad)) {
      if (term->is_blank_node()) colours[term->text()] = 1;
    }
  }
  return colours;
}

size_t mix(size_t seed, size_t value) { return (seed ^ value) * 0x9E3779B97F4A7C15u + (seed >> 29); }

size_t colour_of(const Term& term, const Colours& colours) {
  if (term.is_blank_node()) return colours.at(term.text());
  return std::hash<std::string>()(model::to_ntriples(term));
}

Colours refine_once(const std::set<TermQuad>& quads, const Colours& colours) {
  Colours refined;
  for (const auto& [label, colour] : colours) refined[label] = mix(colour, 17);
  for (const TermQuad& quad : quads) {
    const auto terms = places(quad);
    for (size_t own = 0; own < terms.size(); ++own) {
      if (!terms[own]->is_blank_node()) continue;
      size_t seen = own + terms.size() * 8;
      for (size_t i = 0; i < terms.size(); ++i) {
        const bool is_self = terms[i]->is_blank_node() && terms[i]->text() == terms[own]->text();
        seen = mix(seen, is_self ? 3 : colour_of(*terms[i], colours));
      }
      refined[terms[own]->text()] += seen * (seen | 1);  // a sum: the order of quads does not matter
    }
  }
  return refined;
}

size_t count_colours(const Colours& colours) {
  std::set<Colour> distinct;
  for (const auto& entry : colours) distinct.insert(entry.second);
  return distinct.size();
}

Colours refine(const std::set<TermQuad>& quads, Colours colours) {
  for (size_t count = 0, before = 1; count != before;) {
    before = count_colours(colours);
    colours = refine_once(quads, colours);
    count = count_colours(colours);
  }
  return refine_once(quads, colours);
}

using Classes = std::map<Colour, std::vector<std::string>>;

Classes classes_of(const Colours& colours) {
  Classes classes;
  for (const auto& [label, colour] : colours) classes[colour].push_back(label);
  return classes;
}

bool fit(const Classes& a, const Classes& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& x, const auto& y) {
    return x.first == y.first && x.second.size() == y.second.size();
  });
}

bool is_mapping(const std::set<TermQuad>& a, const std::set<TermQuad>& b, const Classes& of_a, const Classes& of_b) {
  std::map<std::string, std::string> mapping;
  for (const auto& [colour, labels] : of_a) {
    for (size_t i = 0; i < labels.size(); ++i) mapping[labels[i]] = of_b.at(colour)[i];
  }
  const auto mapped = [&](const Term& term) {
    return term.is_blank_node() ? Term::blank_node(mapping.at(term.text())) : term;
  };
  return std::all_of(a.begin(), a.end(), [&](const TermQuad& quad) {
    TermQuad image{mapped(quad.subject), mapped(quad.predicate), mapped(quad.object), std::nullopt};
    if (quad.graph) image.graph = mapped(*quad.graph);
    return b.contains(image);
  });
}

bool search(const std::set<TermQuad>& a, const std::set<TermQuad>& b, const Colours& colours_a,
            const Colours& colours_b) {
  const Colours refined_a = refine(a, colours_a);
  const Colours refined_b = refine(b, colours_b);
  const Classes of_a = classes_of(refined_a);
  const Classes of_b = classes_of(refined_b);
  if (!fit(of_a, of_b)) return false;
  if (is_mapping(a, b, of_a, of_b)) return true;
  for (const auto& [colour, labels] : of_a) {
    if (labels.size() == 1) continue;
    Colours marked_a = refined_a;
    marked_a[labels.front()] = 0;
    for (const std::string& candidate : of_b.at(colour)) {
      Colours marked_b = refined_b;
      marked_b[candidate] = 0;
      if (search(a, b, marked_a, marked_b)) return true;
    }
    return false;
  }
  return false;
}

// Each row a blank node of its own, each value a quad.
std::vector<TermQuad> as_quads(const io::ResultSet& results, bool ordered) {
  std::vector<TermQuad> quads;
  for (size_t number = 0; number < results.rows.size(); ++number) {
    const Term row = Term::blank_node(" row " + std::to_string(number));  // no label has a space
    quads.push_back({row, Term::iri("urn:row"), Term::literal(ordered ? std::to_string(number) : ""), std::nullopt});
    for (size_t i = 0; i < results.variables.size(); ++i) {
      const auto& value = results.rows[number][i];
      if (value) quads.push_back({row, Term::iri("urn:var:" + results.variables[i]), *value, std::nullopt});
    }
  }
  return quads;
}

}  // namespace

bool are_isomorphic(std::span<const TermQuad> a, std::span<const TermQuad> b) {
  const std::set<TermQuad> set_a = as_set(a);
  const std::set<TermQuad> set_b = as_set(b);
  return set_a.size() == set_b.size() && search(set_a, set_b, uncoloured(set_a), uncoloured(set_b));
}

bool are_same_results(const io::ResultSet& a, const io::ResultSet& b, bool ordered) {
  if (a.boolean != b.boolean || a.rows.size() != b.rows.size()) return false;
  const std::multiset<std::string> names_a(a.variables.begin(), a.variables.end());
  const std::multiset<std::string> names_b(b.variables.begin(), b.variables.end());
  return names_a == names_b && are_isomorphic(as_quads(a, ordered), as_quads(b, ordered));
}

}  // namespace quadrille::test
