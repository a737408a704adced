// Fills the templates of CONSTRUCT, INSERT and DELETE with solutions.
#pragma once

#include <optional>
#include <unordered_map>
#include <vector>

#include "engine/exec/prepared.h"
#include "engine/model/quad.h"
#include "engine/sparql/algebra.h"

namespace quadrille::exec {

// The variables that the templates read; those of blank nodes are left out.
std::vector<sparql::Variable> variables_of(const std::vector<sparql::QuadTemplate>& templates);

class TemplateFiller {
 public:
  // `default_graph`: of templates that name none. Ids are those of the prepared run (lasting ones).
  TemplateFiller(const std::vector<sparql::QuadTemplate>& templates, model::TermId default_graph,
                 const Prepared& prepared);

  // Appends the quads of one row: those that have all their places bound, by terms that may stand there. The blank
  // nodes of the templates are new in each row.
  void fill(const Batch& batch, size_t row, std::vector<model::Quad>& quads);

 private:
  struct Place {
    model::TermId constant;
    size_t column = SIZE_MAX;
    size_t blank = SIZE_MAX;  // the number of a blank node of the templates
  };
  struct Filled {
    Place subject, predicate, object, graph;
  };
  Place place_of(const sparql::PatternTerm& term, const Prepared& prepared);
  model::TermId value(const Place& place, const Batch& batch, size_t row);
  bool is_resource(model::TermId id, bool blank_allowed) const;

  RunState& run_;
  std::vector<Filled> templates_;
  std::unordered_map<std::string, size_t> blanks_;
  std::vector<model::TermId> fresh_;  // the blank nodes of this row
};

}  // namespace quadrille::exec
