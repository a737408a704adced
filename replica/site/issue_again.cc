#include "replica/site/issue_again.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <new>
#include <optional>

#include "log/changeset_codec.h"
#include "reconcile/assignment.h"
#include "reconcile/cell_text.h"
#include "reconcile/policy.h"
#include "reconcile/writing.h"

namespace quadrille::replica {
namespace {

base::Error refused(std::string message) { return {base::ErrorKind::Refused, std::move(message), {}}; }

// One transaction at the new site.
class Again {
 public:
  struct Parts {
    log::SiteId earlier;
    std::vector<std::string> writers;  // who may have written what is here
    reconcile::Assignment assignment;  // in force here
    const reconcile::PolicyRegistry& policies;
  };
  Again(model::QuadTarget& target, const Parts& parts, IssuedAgain& report)
      : target_(target), parts_(parts), report_(report) {}

  base::Result<void> take(std::string_view chunk) {
    QUADRILLE_ASSIGN(const log::DecodedChunk decoded, log::decode_chunk(chunk));
    std::vector<model::TermId> ids;
    for (const model::Term& term : decoded.terms) ids.push_back(target_.intern(term));
    QUADRILLE_ASSIGN(const log::Operations operations, log::with_ids(decoded, ids));
    for (const log::QuadOperation& operation : operations.quads) {
      operation.exists ? target_.insert(operation.quad) : target_.erase(operation.quad);
    }
    report_.operations += operations.quads.size();
    for (const log::CellOperation& operation : operations.cells) take(operation);
    report_.announcements += operations.announcements.size();
    return {};
  }

 private:
  void take(const log::CellOperation& operation) {
    log::CellContent left = sorted(operation.left);
    const log::CellContent now = content_of(operation.cell);
    if (now == left) return;
    if (now != sorted(operation.saw)) {
      auto decided = decide(operation, now);
      if (!decided) return leave(operation, now);
      left = std::move(*decided);
    }
    for (const log::Statement& statement : now) {
      if (!std::binary_search(left.begin(), left.end(), statement)) target_.erase(quad_of(operation.cell, statement));
    }
    for (const log::Statement& statement : left) {
      if (!std::binary_search(now.begin(), now.end(), statement)) target_.insert(quad_of(operation.cell, statement));
    }
    ++report_.operations;
  }

  static log::CellContent sorted(log::CellContent content) {
    std::sort(content.begin(), content.end());
    return content;
  }

  std::string text_of(model::TermId term) const {
    return term == model::TermId::default_graph() ? std::string() : std::string(target_.get_term(term).text());
  }

  reconcile::CellRule rule_of(const log::Cell& cell, model::TermId property) const {
    return reconcile::find_rule(parts_.assignment, parts_.policies, text_of(cell.graph), text_of(property));
  }

  // What the policy makes of both, whoever came first. Nothing: that matters, or the cell is another one by now.
  std::optional<log::CellContent> decide(const log::CellOperation& operation, const log::CellContent& now) {
    const log::CellContent& some = operation.left.empty() ? operation.saw : operation.left;
    if (some.empty()) return std::nullopt;
    const reconcile::CellRule rule = rule_of(operation.cell, some.front().property);
    if (rule.kind != operation.cell.kind) return std::nullopt;
    const reconcile::NamedPolicy& decides = rule.fallback ? *rule.fallback : rule.decided_by;
    std::optional<log::CellContent> answer;
    for (const std::string& writer : parts_.writers) {
      for (const bool is_here_first : {true, false}) {
        const auto content = ask(*decides.policy, conflict_of(operation, now, writer, is_here_first, decides.argument));
        if (!content || (answer && *answer != *content)) return std::nullopt;
        answer = content;
      }
    }
    return answer;
  }

  // Nothing: it fails.
  std::optional<log::CellContent> ask(const reconcile::Policy& policy, const reconcile::Conflict& conflict) {
    try {
      return reconcile::to_ids(policy.resolve(conflict).content, target_);
    } catch (const std::bad_alloc&) {
      throw;
    } catch (const std::exception&) {
      return std::nullopt;
    }
  }

  reconcile::Conflict conflict_of(const log::CellOperation& operation, const log::CellContent& now,
                                  const std::string& writer, bool is_here_first, const std::string& argument) const {
    const auto saw = reconcile::to_text(operation.saw, target_);
    reconcile::Version here{{{writer, 0}, 1}, {is_here_first ? 1 : 2, 0}, saw, reconcile::to_text(now, target_), true};
    reconcile::Version again{
        {parts_.earlier, 1}, {is_here_first ? 2 : 1, 0}, saw, reconcile::to_text(operation.left, target_), true};
    reconcile::Conflict conflict{
        reconcile::cell_name(operation.cell, target_), saw, {}, {{false, false}, {false, false}}, argument};
    conflict.versions.push_back(is_here_first ? here : again);
    conflict.versions.push_back(is_here_first ? again : here);
    return conflict;
  }

  // By the assignment that is in force here, whatever it was then.
  log::CellContent content_of(const log::Cell& cell) const {
    if (cell.kind == log::CellKind::Value) {
      return reconcile::statements_of(target_, cell.graph, cell.subject, cell.property);
    }
    const model::Term group = target_.get_term(cell.property);
    log::CellContent content = reconcile::statements_of(target_, cell.graph, cell.subject);
    std::erase_if(content,
                  [&](const log::Statement& statement) { return rule_of(cell, statement.property).group != group; });
    return content;
  }

  std::string text(const log::CellContent& content) const {
    std::string text;
    for (const log::Statement& statement : content) {
      text += (text.empty() ? "" : ", ") + to_ntriples(target_.get_term(statement.object));
    }
    return text.empty() ? "nothing" : text;
  }

  void leave(const log::CellOperation& operation, const log::CellContent& now) {
    constexpr size_t shown_max = 100;
    ++report_.cells_left;
    if (report_.left.size() == shown_max) return;
    report_.left.push_back(fmt::format(
        "{} {}: was {}, became {}, is {} here", to_ntriples(target_.get_term(operation.cell.subject)),
        to_ntriples(target_.get_term(operation.cell.property)), text(operation.saw), text(operation.left), text(now)));
  }

  model::QuadTarget& target_;
  const Parts& parts_;
  IssuedAgain& report_;
};

base::Result<void> check(const reconcile::SiteIdentity& earlier, const reconcile::SiteStore& site) {
  const reconcile::SiteIdentity& own = site.identity();
  if (earlier.cluster != own.cluster) {
    return refused(fmt::format("{} is of cluster '{}', {} of '{}'", to_string(earlier.site), earlier.cluster,
                               to_string(own.site), own.cluster));
  }
  if (earlier.site == own.site) return refused("the two directories are of one site");
  if (!site.membership().is_evicted(earlier.site)) {
    return refused(
        fmt::format("{} was not evicted, as {} knows: what it wrote may still come by itself; expected "
                    "`quadrille member evict` first",
                    to_string(earlier.site), to_string(own.site)));
  }
  return {};
}

}  // namespace

base::Result<IssuedAgain> issue_again(const reconcile::SiteStore& earlier, reconcile::SiteStore& site,
                                      const reconcile::PolicyRegistry& policies) {
  const log::SiteId& origin = earlier.identity().site;
  QUADRILLE_TRY(check(earlier.identity(), site));
  const auto log = earlier.snapshot();
  const auto own = site.snapshot();
  const log::VersionVector has = own->version_vector();
  const Again::Parts parts{origin, site.membership().names(), own->assignment().assignment, policies};
  IssuedAgain report;
  QUADRILLE_ASSIGN(auto group, site.begin());
  QUADRILLE_ASSIGN(report.receipt, group->update([&](model::QuadTarget& target) -> base::Result<void> {
    Again again(target, parts, report);
    for (uint64_t position = log->first_missing(has); position <= log->last_position(); ++position) {
      QUADRILLE_ASSIGN(const log::ChangesetHeader header, log->header_at(position));
      if (header.id.origin != origin || has.covers(origin, header.id.seq)) continue;
      for (uint32_t chunk = 0; chunk < header.chunk_count; ++chunk) {
        QUADRILLE_ASSIGN(const std::string bytes, log->chunk_at(position, chunk));
        QUADRILLE_TRY(again.take(bytes));
      }
      ++report.changesets;
    }
    return {};
  }));
  QUADRILLE_TRY(group->commit());
  return report;
}

}  // namespace quadrille::replica
