#include "reconcile/site_verification.h"

#include <fmt/format.h>

#include "engine/store/verify.h"
#include "log/bulk_table.h"
#include "log/changeset_codec.h"
#include "log/history_window.h"
#include "log/window_ranges.h"
#include "reconcile/assignment_table.h"
#include "reconcile/cell_evaluator.h"
#include "reconcile/lmdb_site_snapshot.h"
#include "reconcile/read_only_terms.h"

namespace quadrille::reconcile {
namespace {

class Verification {
 public:
  Verification(const LmdbSiteSnapshot& snapshot, const SiteTables& tables, const PolicyRegistry& policies)
      : snapshot_(snapshot),
        tables_(tables),
        assignments_(policies),
        terms_(snapshot.quads()),
        evaluator_(terms_, snapshot.log(), snapshot.state(), facts_, assignments_,
                   {snapshot.quads().tables(), tables.context}),
        bulks_(snapshot.quads().tables(), tables.log.bulk),
        ranges_(snapshot.quads().tables(), tables.log.bulk, snapshot.state()) {
    read_assignments(snapshot.quads().tables(), tables.assignments, assignments_);
  }

  std::vector<std::string> run() {
    for (size_t origin = 0; origin < snapshot_.state().origins.size(); ++origin) {
      check_origin(static_cast<log::OriginNumber>(origin));
    }
    check_window();
    check_ranges();
    return std::move(findings_);
  }

 private:
  template <class... Values>
  void find(fmt::format_string<Values...> text, Values&&... values) {
    findings_.push_back(fmt::format(text, std::forward<Values>(values)...));
  }

  // The log keeps each changeset that it should, and each follows from the one before.
  void check_origin(log::OriginNumber number) {
    const log::OriginState& origin = snapshot_.state().origins[number];
    const std::string name = to_string(origin.site);
    if (origin.walked_seq > origin.seq || origin.trimmed_seq > origin.walked_seq) {
      find("log: of {} {} changesets are here, {} are folded, {} are trimmed", name, origin.seq, origin.walked_seq,
           origin.trimmed_seq);
    }
    std::optional<log::ChangesetHash> previous;
    if (origin.trimmed_seq == 0) previous.emplace();
    for (uint64_t seq = origin.trimmed_seq + 1; seq <= origin.seq; ++seq) {
      const log::ChangesetKey key{number, seq};
      const auto header = snapshot_.log().find_header(key);
      const auto position = snapshot_.log().find_position(key);
      if (!header || !position || snapshot_.log().find_at(*position) != key) {
        find("log: changeset {}:{} is missing", name, seq);
        previous.reset();
        continue;
      }
      if (previous && hash_of(key, *header, *previous) != header->hash) {
        find("log: changeset {}:{} does not follow from its origin's hash chain", name, seq);
      }
      previous = header->hash;
    }
    if (previous && origin.seq > 0 && *previous != origin.hash) {
      find("log: the hash of {}:{} is not the one remembered", name, origin.seq);
    }
  }

  log::ChangesetHash hash_of(log::ChangesetKey key, const log::ChangesetHeader& header,
                             const log::ChangesetHash& previous) const {
    log::ChangesetHasher hasher;
    for (const std::string& chunk : ship(snapshot_.log(), key, header, snapshot_.quads()).chunks) {
      hasher.add_chunk(chunk);
    }
    return hasher.finish(previous, header);
  }

  // What each cell's history evaluates to is what the cell holds.
  void check_window() {
    store::Cursor cursor(snapshot_.quads().tables(), tables_.log.window);
    for (bool has_row = cursor.first(); has_row; has_row = cursor.next()) {
      const log::Cell cell = log::cell_of_key(cursor.key());
      const log::CellHistory history = log::decode_history(cell, cursor.value());
      if (!check_versions(cell, history)) continue;
      check_listed(cell, cursor.key(), history);
      check_content(cell, history);
    }
  }

  void check_content(const log::Cell& cell, const log::CellHistory& history) {
    if (assignments_.is_in_transition(cell, snapshot_.quads())) return;  // what is above it counts too
    log::CellContent content = history.base;
    for (const log::HistoryComponent& component : history.components) {
      content = evaluator_.resolve(cell, content, component).content;
    }
    if (content != visible_content(snapshot_.quads(), cell, assignments_.in_force().rules)) {
      find("window: {} holds other quads than its history evaluates to", describe(cell));
    }
  }

  // The walk of a large changeset comes by those of its cells only that its bulk lists.
  void check_listed(const log::Cell& cell, std::string_view key, const log::CellHistory& history) {
    for (const log::WindowVersion& version : versions_of(history)) {
      if (version.seq <= snapshot_.state().origins[version.origin].walked_seq) continue;
      const uint64_t bulk = snapshot_.log().bulk_of({version.origin, version.seq});
      if (bulk != 0 && !bulks_.has_cell(bulk, key)) {
        find("window: {} has a version that bulk {} does not list", describe(cell), bulk);
      }
    }
  }

  void check_ranges() {
    for (const log::BulkState& bulk : snapshot_.state().bulks) {
      if (bulk.stage == log::BulkStage::Trimmed || bulk.stage == log::BulkStage::Staged) continue;
      if (snapshot_.log().bulk_of({bulk.origin, bulk.seq}) != bulk.number) {
        find("log: bulk {} is of a changeset that the log does not know", bulk.number);
      } else if (bulk.stage == log::BulkStage::Open) {
        for (size_t set = 0; set < log::range_sets; ++set) check_range(bulk, log::RangeSet::of_number(set));
      }
    }
  }

  void check_range(const log::BulkState& bulk, log::RangeSet set) {
    constexpr size_t at_a_time = 10'000;
    uint64_t rows = 0;
    store::QuadRow next{};
    while (true) {
      const std::vector<model::Quad> quads = bulks_.read_range(bulk.number, set, next, at_a_time);
      const size_t from = rows > 0 && !quads.empty() ? 1 : 0;  // the first was the last of those before
      for (size_t i = from; i < quads.size(); ++i) check_range_quad(quads[i]);
      rows += quads.size() - from;
      if (quads.size() < at_a_time) break;
      next = store::to_row(model::QuadOrder::Gspo, quads.back());
    }
    if (rows != bulk.rows[set.number()]) {
      find("window: the range of bulk {} has {} quads of set {}; expected {}", bulk.number, rows, set.number(),
           bulk.rows[set.number()]);
    }
  }

  void check_range_quad(const model::Quad& quad) {
    const log::Cell cell = log::quad_cell(quad);
    if (snapshot_.quads().tables().contains(tables_.log.window, log::cell_key(cell))) return;
    auto history = ranges_.find(quad, true);
    if (!history) history = ranges_.find(quad, false);
    if (history) {
      check_content(cell, log::decode_history(cell, history->row));
    } else {
      find("window: {} is not found in the range that holds it", describe(cell));
    }
  }

  bool check_versions(const log::Cell& cell, const log::CellHistory& history) {
    const std::vector<log::WindowVersion> versions = versions_of(history);
    if (versions.empty()) find("window: {} has a history without versions", describe(cell));
    for (const log::WindowVersion& version : versions) {
      if (version.origin < snapshot_.state().origins.size() &&
          snapshot_.log().find_position({version.origin, version.seq})) {
        continue;
      }
      find("window: {} names a changeset that the log does not know", describe(cell));
      return false;
    }
    return !versions.empty();
  }

  static std::vector<log::WindowVersion> versions_of(const log::CellHistory& history) {
    std::vector<log::WindowVersion> versions;
    for (const log::HistoryComponent& component : history.components) {
      versions.insert(versions.end(), component.versions.begin(), component.versions.end());
    }
    return versions;
  }

  std::string describe(const log::Cell& cell) const {
    const model::QuadSource& terms = snapshot_.quads();
    std::string text = fmt::format("the cell of {} {}", to_ntriples(terms.get_term(cell.subject)),
                                   to_ntriples(terms.get_term(cell.property)));
    if (cell.kind == log::CellKind::Quad) text += " " + to_ntriples(terms.get_term(cell.object));
    return text;
  }

  const LmdbSiteSnapshot& snapshot_;
  const SiteTables& tables_;
  AssignmentHistory assignments_;
  ReadOnlyTerms terms_;
  ChangesetFactsCache facts_;
  CellEvaluator evaluator_;
  log::BulkTable bulks_;
  log::WindowRanges ranges_;
  std::vector<std::string> findings_;
};

}  // namespace

std::vector<std::string> verify_site(const store::Store& store, const SiteTables& tables,
                                     const PolicyRegistry& policies, model::TermId conflicts_graph) {
  const base::Result<store::Verification> of_quads = store::verify(store);
  if (!of_quads.ok()) return {of_quads.error().message};
  // Log and window are read through the dictionary and the orders: they say nothing where those are damaged.
  if (!of_quads->is_sound()) return of_quads->findings;
  try {
    const LmdbSiteSnapshot snapshot(store, tables, conflicts_graph);
    return Verification(snapshot, tables, policies).run();
  } catch (const base::StorageError& failure) {
    return {failure.error().message};
  }
}

}  // namespace quadrille::reconcile
