#include "sim/checks/story.h"

#include <fmt/format.h>

#include <algorithm>

namespace quadrille::checks {
namespace {

constexpr size_t writers_shown_max = 12;

// What this changeset did to the cell.
std::string deed(const RecordedChangeset& changeset, const reconcile::CellName& cell) {
  for (const auto& each : changeset.cells) {
    if (cell_text(each.cell) == cell_text(cell)) {
      return fmt::format("saw {} and left {}", text_of(each.saw), text_of(each.left));
    }
  }
  for (const auto& each : changeset.quads) {
    if (each.quad.subject == cell.subject && each.quad.predicate == cell.property && each.quad.object == cell.object &&
        each.quad.graph == cell.graph) {
      return each.exists ? "inserted it" : "deleted it";
    }
  }
  return "did not write it";
}

std::string seen_by(const RecordedChangeset& changeset, const OracleCell& cell) {
  std::string text;
  for (const auto* other : cell.writers) {
    if (other == &changeset || !changeset.header.has_seen(other->header.id)) continue;
    text += (text.empty() ? "" : ", ") + text_of(other->header.id);
  }
  return text.empty() ? "none of the others" : text;
}

}  // namespace

std::string text_of(const model::TermQuad& quad) {
  std::string text = fmt::format("{} {} {}", model::to_ntriples(quad.subject), model::to_ntriples(quad.predicate),
                                 model::to_ntriples(quad.object));
  if (quad.graph) text += " " + model::to_ntriples(*quad.graph);
  return text;
}

std::string text_of(const reconcile::Content& content) {
  std::string text;
  for (const auto& statement : content) {
    text += (text.empty() ? "" : ", ") + model::to_ntriples(statement.object);
  }
  return text.empty() ? "nothing" : text;
}

std::string text_of(const log::ChangesetId& id) { return fmt::format("{}:{}", id.origin.name, id.seq); }

std::string story_of(const OracleCell& cell) {
  std::string story =
      fmt::format("  cell {} {}{}\n", model::to_ntriples(cell.name.subject), model::to_ntriples(cell.name.property),
                  cell.name.object ? " " + model::to_ntriples(*cell.name.object) : "");
  const size_t first = cell.writers.size() - std::min(cell.writers.size(), writers_shown_max);
  if (first > 0) story += fmt::format("    ({} earlier versions)\n", first);
  for (size_t i = first; i < cell.writers.size(); ++i) {
    const auto& writer = *cell.writers[i];
    story += fmt::format("    {:.3f} s  {} {}; had seen {}\n", static_cast<double>(writer.at_us) / 1e6,
                         text_of(writer.header.id), deed(writer, cell.name), seen_by(writer, cell));
  }
  story += fmt::format("    in the end: {}", text_of(cell.content));
  for (const auto& conflict : cell.conflicts) {
    story += fmt::format("\n    {} decided {} between {} versions", conflict.policy, text_of(conflict.chosen),
                         conflict.candidates.size());
  }
  return story;
}

std::string story_of(const model::TermQuad& quad, const Oracle& oracle) {
  const auto* cell = oracle.cell_of(quad);
  return cell ? story_of(*cell) : fmt::format("  nobody ever wrote the cell of {}", text_of(quad));
}

}  // namespace quadrille::checks
