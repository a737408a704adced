// Cells of properties whose cells are changing. DESIGN section 4: "Where cells change, versions made under the older
// cells are resolved first, in those, the newer over the result."
//
//   1. Looked at together: all that the window has of one subject's properties in transition, in one graph. Its rows
//      are of cells that may share quads: a quad cell and the value cell that took its place. All that a changeset
//      writes of a subject is added before it is evaluated, once.
//   2. The bases of all rows say the same of a quad that several of them cover: whether it existed before all versions.
//      A new row takes from the other rows what they cover, and else what is visible, as that has no history.
//   3. A version belongs to the run of assignments under which its cells are what they were when it was written
//      (AssignmentHistory::cells_since). The versions of a run and a cell form components, as ever. Runs are resolved
//      in the order of their numbers, each over what the one before left. Numbers agree with causality, so this order
//      does too, and it is the same at every site that has the same changesets.
//   4. Leading components fold as ever, but none of a run while an earlier run of the subject has any left. A stable
//      version's assignment is stable too, and who has it writes under no older one: so no earlier run can grow then.
//   5. An assignment may come in late, below those that are here, and split a run: then all is looked at again.
//   6. What the range of a large changeset says of such quads gets rows first.
// No version leaves a component here before it folds.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>

#include "log/bulk_table.h"
#include "log/window_ranges.h"
#include "reconcile/cell_evaluator.h"
#include "reconcile/conflict_table.h"
#include "reconcile/window.h"
#include "reconcile/writing.h"

namespace quadrille::reconcile {

struct MixedVersion {
  log::Cell cell;
  log::WindowVersion version;
  log::CellContent before;  // of a local one: what the cell held
};

struct SubjectInGraph {
  model::TermId graph;
  model::TermId subject;
  friend auto operator<=>(const SubjectInGraph&, const SubjectInGraph&) = default;
};

// What one changeset wrote in cells in transition.
class MixedVersions {
 public:
  void add(const log::Cell& cell, log::WindowVersion version, log::CellContent before = {}) {
    subjects_[{cell.graph, cell.subject}].push_back({cell, std::move(version), std::move(before)});
  }
  const std::map<SubjectInGraph, std::vector<MixedVersion>>& subjects() const noexcept { return subjects_; }

 private:
  std::map<SubjectInGraph, std::vector<MixedVersion>> subjects_;
};

// What was decided of a cell's components.
struct CellOutcomes {
  std::string key;
  std::vector<ContextOutcome> outcomes;
};

class MixedCells {
 public:
  MixedCells(Writing& writing, ConflictTableWriter& conflicts, CellEvaluator& evaluator)
      : writing_(writing), conflicts_(conflicts), evaluator_(evaluator) {}

  // Versions come in from elsewhere: what the quads are after them is written. `seen`: by their changeset.
  void take(const MixedVersions& versions, const log::SeenVector& seen, Window& window);
  // Local ones, whose quads are written: they have seen everything.
  void add_local(const MixedVersions& versions, Window& window);
  // An assignment has come in between those that are here: what the subject's versions leave may be something else.
  void look_again(const SubjectInGraph& subject);

  // What the subject held of these properties when the changesets that `replayed` covers had come in, and no others.
  std::set<log::Statement> as_of(const SubjectInGraph& subject, const log::SeenVector& replayed);
  // A changeset is replayed, which wrote such cells of the subject (replay.h): what policies that read other cells
  // decide now. Also of other components, where those now find something else below them: what is in transition here,
  // as later assignments are known already, must make no difference. `before`: without it; `replayed`: with it.
  std::vector<CellOutcomes> replay(log::ChangesetKey changeset, const SubjectInGraph& subject,
                                   const log::SeenVector& before, const log::SeenVector& replayed,
                                   const Context& context);
  // Outcomes are others now.
  void show(const SubjectInGraph& subject);

  // The walk of a stable changeset comes by its versions of these cells, all of one subject.
  void fold(log::ChangesetKey changeset, const std::set<log::Cell>& cells, const log::SeenVector& stable);

 private:
  struct Row {
    log::Cell cell;
    std::string key;
    log::CellHistory history;
    std::vector<uint64_t> bulks;  // in whose ranges it lay until now
    bool has_changed = false;
  };
  // The versions of one row that belong to one run.
  struct Group {
    log::AssignmentNumber since;
    size_t row = 0;
    std::vector<log::HistoryComponent> components;
  };
  using Statements = std::set<log::Statement>;
  struct Evaluated {
    Statements content;
    std::vector<std::vector<StoredConflict>> records;  // by row
    std::vector<bool> awaiting;                        // by row: a fallback has decided
  };
  using Bases = std::map<std::pair<size_t, std::vector<log::ChangesetKey>>, log::CellContent>;  // by row, maximal ones
  // What to do with a component; empty: the evaluator resolves it.
  using Resolve = std::function<ResolvedComponent(const Group&, const log::CellContent& part,
                                                  const log::HistoryComponent& component)>;

  void load(const SubjectInGraph& subject, bool with_ranges);
  void load_ranges();
  void add_range_quad(const model::Quad& quad, log::WindowRanges& ranges);
  void make_groups();
  void add_groups_of(size_t row);
  NumberedRules& rules_of(const log::WindowVersion& version);
  Statements visible();
  // What was before all versions. Of local versions, which are not in the rows yet, what their cells held counts in
  // place of what is visible.
  Statements base_before(const std::vector<MixedVersion>* local);
  Statements covered_by(const Row& row, const Statements& statements);
  Statements covered_by_rows(const Statements& statements);
  Statements part_of(const Statements& statements, const log::Cell& cell, NumberedRules& rules);
  void replace_part(Statements& statements, const log::Cell& cell, NumberedRules& rules,
                    const log::CellContent& content);

  void add_all(const std::vector<MixedVersion>& versions, const log::SeenVector& seen, const Statements& base);
  size_t row_for(const MixedVersion& version, const Statements& base);
  void add_version(size_t row, const log::WindowVersion& version, const log::SeenVector& seen);
  void gather_components();
  void write_changed_rows(Window& window);
  void write_quads(const Statements& content);
  Evaluated evaluate(Statements base, const Resolve& resolve = {});
  Bases bases_of_conflicts(const Statements& base);
  void write_outcome(const Evaluated& evaluated);
  log::SeenVector everything() const;
  bool fold_leading(Group& group, const log::SeenVector& stable, Statements& base);
  void write_folded_row(Row& row, const Statements& base, log::ChangesetKey changeset,
                        const std::set<log::Cell>& cells);

  Writing& writing_;
  ConflictTableWriter& conflicts_;
  CellEvaluator& evaluator_;
  SubjectInGraph subject_;
  std::vector<Row> rows_;
  std::vector<Group> groups_;            // by run, then cell
  std::optional<log::SeenVector> only_;  // versions that this does not cover are left out of the groups
};

}  // namespace quadrille::reconcile
