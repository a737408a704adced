// Property paths. Links, inverses and sequences become triple patterns, alternatives become unions
// (https://www.w3.org/TR/sparql11-query/#sparqlTranslatePathExpressions); what is left runs as a path operator.
#include <algorithm>
#include <utility>

#include "engine/plan/planning.h"

namespace quadrille::plan {

using sparql::Path;
using sparql::PathKind;
using sparql::PatternTerm;

void Planning::collect_path(const PatternTerm& subject, const Path& path, const PatternTerm& object,
                            const Around& around, JoinGroup& group) {
  switch (path.kind) {
    case PathKind::Link: collect_triple({subject, *path.link, object}, around, group); return;
    case PathKind::Inverse: collect_path(object, path.parts.front(), subject, around, group); return;
    case PathKind::Sequence: {
      PatternTerm from = subject;
      for (size_t i = 0; i < path.parts.size(); ++i) {
        const bool last = i + 1 == path.parts.size();
        PatternTerm to = object;
        if (!last) {
          const sparql::Variable between{".path" + std::to_string(query_.variables.size())};
          name_counts_[between.name] = 2;
          around.scope->id_of(between);
          to = between;
        }
        collect_path(from, path.parts[i], to, around, group);
        from = to;
      }
      return;
    }
    case PathKind::Alternative:
      collect_plan(plan_path_alternative(subject, path, object, around), nullptr, around, group);
      return;
    default: break;
  }
  JoinItem item;
  item.path = &path;
  item.graph = around.graph;
  const auto end = [&](const PatternTerm& term) {
    PathEnd made;
    if (const auto* variable = std::get_if<sparql::Variable>(&term)) {
      made.variable = around.scope->id_of(*variable);
    } else {
      made.term = std::get<model::Term>(term);
    }
    return made;
  };
  item.path_subject = end(subject);
  item.path_object = end(object);
  group.items.push_back(std::move(item));
}

PlanPointer Planning::plan_path_alternative(const PatternTerm& subject, const Path& path, const PatternTerm& object,
                                            const Around& around) {
  std::vector<PlanPointer> branches;
  for (const Path& part : path.parts) {
    JoinGroup group;
    collect_path(subject, part, object, around, group);
    VariableSet own;
    for (const PatternTerm* term : {&subject, &object}) {
      const auto* variable = std::get_if<sparql::Variable>(term);
      if (variable != nullptr && is_read_elsewhere(variable->name)) own.add(around.scope->id_of(*variable));
    }
    if (++depth_ > 2000) stop(base::ErrorKind::ResourceExhausted, "a property path is nested too deeply");
    branches.push_back(group.impossible ? nothing(own, around) : join_all(std::move(group), around));
    --depth_;
  }
  return union_of(std::move(branches));
}

PlanPointer Planning::join_path(PlanPointer current, JoinItem item) {
  auto made = std::make_unique<Plan>();
  made->kind = PlanKind::Path;
  if (!current) current = one_row(Around{});
  made->path = item.path;
  made->path_subject = std::move(item.path_subject);
  made->path_object = std::move(item.path_object);
  made->access.graph = item.graph;
  std::vector<VariableId> ends;
  for (const PathEnd* end : {&made->path_subject, &made->path_object}) {
    if (end->variable != no_variable) ends.push_back(end->variable);
  }
  made->columns = joined_columns(*current, ends);
  made->certain = current->certain;
  for (VariableId id : ends) made->certain.add(id);
  made->rows = current->rows * 10;
  made->children.push_back(std::move(current));
  return made;
}

}  // namespace quadrille::plan
