#include "reconcile/assignments_in.h"

#include <fmt/format.h>

#include <set>

#include "engine/model/vocabulary.h"
#include "engine/store/key.h"
#include "log/history_window.h"
#include "reconcile/assignment_table.h"
#include "reconcile/conflict_vocabulary.h"
#include "reconcile/mixed_cells.h"

namespace quadrille::reconcile {
namespace {

using model::Term;

// What stands for the assignment in a conflict record.
log::Statement statement_of(Writing& writing, const StoredAssignment& stored) {
  const Term property = Term::iri(std::string(conflict_vocabulary) + "assignment");
  return {writing.quads.intern(property), writing.quads.intern(Term::literal(summary(stored.assignment)))};
}

StoredCandidate candidate_of(Writing& writing, const StoredAssignment& stored) {
  StoredCandidate candidate;
  candidate.origin = writing.state.number_of(stored.number.origin);
  candidate.seq = stored.seq;
  candidate.stamp = stored.number.stamp;
  candidate.left = {statement_of(writing, stored)};
  return candidate;
}

void note_concurrent(Writing& writing, ConflictTableWriter& conflicts, const StoredAssignment& lower,
                     const StoredAssignment& higher) {
  StoredConflict record;
  record.time = higher.number.stamp;
  record.cell = {log::CellKind::Value,
                 model::TermId::default_graph(),
                 writing.quads.intern(Term::iri("urn:quadrille:assignment")),
                 statement_of(writing, higher).property,
                 {}};
  record.candidates = {candidate_of(writing, lower), candidate_of(writing, higher)};
  record.chosen = record.candidates.back().left;
  record.policy = "highest-number";
  conflicts.finish(log::cell_key(record.cell), std::move(record));
}

// All cells that are in transition now.
void look_again(Writing& writing, ConflictTableWriter& conflicts) {
  std::set<SubjectInGraph> subjects;
  {
    store::Cursor cursor(writing.quads.tables(), writing.tables.log.window);
    for (bool has_row = cursor.first(); has_row; has_row = cursor.next()) {
      const log::Cell cell = log::cell_of_key(cursor.key());
      if (writing.memory.assignments.is_in_transition(cell, writing.quads)) {
        subjects.insert({cell.graph, cell.subject});
      }
    }
  }
  const log::ChangeLogWriter log = writing.log();
  CellEvaluator evaluator(writing.quads, log, writing.state, writing.memory.facts, writing.memory.assignments,
                          writing.outcomes());
  MixedCells cells(writing, conflicts, evaluator);
  for (const SubjectInGraph& subject : subjects) cells.look_again(subject);
}

// Whether a version that was written before `vector` was reached still waits in the window.
bool is_any_waiting(const Writing& writing, const log::SeenVector& vector) {
  for (log::OriginNumber origin = 0; origin < writing.state.origins.size(); ++origin) {
    std::string key;
    store::append_big_endian(key, origin);
    store::Cursor cursor(writing.quads.tables(), writing.tables.log.waiting);
    if (!cursor.seek(key) || !cursor.key().starts_with(key)) continue;
    if (store::big_endian_at(cursor.key(), 8) <= vector.at(origin)) return true;
  }
  return false;
}

}  // namespace

base::Result<void> take_assignment(Writing& writing, ConflictTableWriter& conflicts, const log::ChangesetHeader& header,
                                   std::string_view bytes) {
  QUADRILLE_ASSIGN(Assignment assignment, decode_assignment(bytes));
  if (const std::string unknown = assignment.find_unknown_policy(writing.memory.policies); !unknown.empty()) {
    return base::Error{
        base::ErrorKind::Unavailable,
        fmt::format("there is no policy '{}' here: nothing past it is taken until the site has it", unknown),
        {}};
  }
  QUADRILLE_TRY(assignment.check(writing.memory.policies));
  StoredAssignment stored{{header.stamp, header.id.origin}, header.id.seq, std::nullopt, std::move(assignment)};
  store::WriteTransaction& tables = writing.quads.tables();
  for (const StoredAssignment& other : read_assignments(tables, writing.tables.assignments)) {
    if (other.number == stored.number) {
      return base::Error{base::ErrorKind::InvalidInput,
                         fmt::format("a second policy assignment of the number {}; expected one a changeset",
                                     to_string(stored.number)),
                         {}};
    }
    if (other.number.is_initial() || header.has_seen({other.number.origin, other.seq})) continue;
    if (other.number < stored.number) {
      note_concurrent(writing, conflicts, other, stored);
    } else {
      note_concurrent(writing, conflicts, stored, other);
    }
  }
  intern_groups(stored.assignment, writing.quads);
  put_assignment(tables, writing.tables.assignments, stored);
  writing.memory.has_new_assignment = true;
  const bool is_late = stored.number < writing.memory.assignments.in_force().number;
  writing.memory.assignments.add(stored.number, stored.seq, std::move(stored.assignment));
  if (is_late) look_again(writing, conflicts);
  return {};
}

void forget_old_assignments(Writing& writing) {
  AssignmentHistory& history = writing.memory.assignments;
  if (history.size() == 1) return;
  store::WriteTransaction& tables = writing.quads.tables();
  std::vector<StoredAssignment> all = read_assignments(tables, writing.tables.assignments);
  const log::VersionVector walked = writing.state.walked_vector();
  size_t first = 0;  // that still counts
  for (size_t i = 1; i < all.size(); ++i) {
    StoredAssignment& stored = all[i];
    if (!walked.covers(stored.number.origin, stored.seq)) continue;
    if (!stored.known_to_all_at) {
      stored.known_to_all_at = writing.state.version_vector();
      put_assignment(tables, writing.tables.assignments, stored);
      writing.memory.has_new_assignment = true;  // if the group fails, what is said here never was
      history.find(stored.number)->is_known_to_all = true;
    }
    const bool is_past =
        walked.covers(*stored.known_to_all_at) && !is_any_waiting(writing, {*stored.known_to_all_at, writing.state});
    if (is_past) first = i;
  }
  if (first == 0) return;
  for (size_t i = 0; i < first; ++i) erase_assignment(tables, writing.tables.assignments, all[i].number);
  writing.memory.has_new_assignment = true;
  writing.memory.facts.clear();  // which refers to what is forgotten
  history.remove_before(all[first].number);
}

}  // namespace quadrille::reconcile
