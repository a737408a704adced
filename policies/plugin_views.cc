#include "policies/plugin_views.h"

#include "policies/policy_failure.h"

namespace quadrille::policies {
namespace {

using model::TermKind;

size_t statement_count(const reconcile::Conflict& conflict) {
  size_t count = conflict.base.size();
  for (const auto& version : conflict.versions) count += version.saw.size() + version.left.size();
  return count;
}

uint32_t kind_of(TermKind kind) {
  switch (kind) {
    case TermKind::Iri: return QUADRILLE_IRI;
    case TermKind::BlankNode: return QUADRILLE_BLANK_NODE;
    case TermKind::Literal: return QUADRILLE_LITERAL;
  }
  return QUADRILLE_ABSENT;
}

quadrille_version make_version(const log::SiteId& site, uint64_t seq, log::Stamp stamp, bool is_maximal) {
  quadrille_version version{};
  version.struct_size = sizeof(version);
  version.site = as_text(site.name);
  version.incarnation = site.incarnation;
  version.seq = seq;
  version.stamp_ms = stamp.physical_ms;
  version.stamp_counter = stamp.counter;
  version.is_maximal = is_maximal;
  return version;
}

std::vector<const quadrille_version*> places_of(const std::vector<quadrille_version>& versions) {
  std::vector<const quadrille_version*> places;
  places.reserve(versions.size());
  for (const quadrille_version& version : versions) places.push_back(&version);
  return places;
}

std::optional<model::Term> pattern_term(const quadrille_term& term) {
  if (term.kind == QUADRILLE_ABSENT) return std::nullopt;
  auto checked = check_term(parts_of(term));
  if (!checked) throw PolicyFailure("it asked its context for " + checked.error().message);
  return std::move(checked).value();
}

reconcile::QuadPattern pattern_of(const quadrille_pattern& pattern) {
  reconcile::QuadPattern asked{pattern_term(pattern.graph), pattern_term(pattern.subject),
                               pattern_term(pattern.property), pattern_term(pattern.object),
                               pattern.default_graph_only != 0};
  if (asked.graph && asked.default_graph_only) {
    throw PolicyFailure("it asked its context for the default graph alone and for a named one");
  }
  return asked;
}

}  // namespace

quadrille_text as_text(std::string_view text) noexcept { return {text.data(), text.size()}; }

quadrille_term as_term(const model::Term& term) noexcept {
  return {kind_of(term.kind()), as_text(term.text()), as_text(term.datatype()), as_text(term.language())};
}

quadrille_term as_term(const std::optional<model::Term>& term) noexcept {
  return term ? as_term(*term) : quadrille_term{};
}

quadrille_cell as_cell(const reconcile::CellName& cell) noexcept {
  return {sizeof(quadrille_cell), static_cast<uint32_t>(cell.kind), as_term(cell.graph),
          as_term(cell.subject),  as_term(cell.property),           as_term(cell.object)};
}

std::string_view text_of(const quadrille_text& text) {
  if (!text.data && text.size > 0) throw PolicyFailure("it gave a text without data");
  return text.data ? std::string_view(text.data, text.size) : std::string_view();
}

TermParts parts_of(const quadrille_term& term) {
  TermParts parts{TermKind::Literal, text_of(term.text), {}, {}};
  switch (term.kind) {
    case QUADRILLE_IRI: parts.kind = TermKind::Iri; break;
    case QUADRILLE_BLANK_NODE: parts.kind = TermKind::BlankNode; break;
    case QUADRILLE_LITERAL:
      parts.datatype = text_of(term.datatype);
      parts.language = text_of(term.language);
      break;
    default: throw PolicyFailure("it gave a term of no kind");
  }
  return parts;
}

quadrille_content ContentViews::add(const reconcile::Content& content) {
  const size_t first = statements_.size();
  for (const auto& [property, object] : content) statements_.push_back({as_term(property), as_term(object)});
  return {statements_.data() + first, content.size()};
}

ContextView::ContextView(const reconcile::Context& context) : context_(context), view_{} {
  view_.struct_size = sizeof(view_);
  view_.host = this;
  view_.match = [](const quadrille_context* self, const quadrille_pattern* pattern, Receive receive,
                   void* receiver) -> int32_t {
    auto* const host = static_cast<ContextView*>(self->host);
    try {
      return host->match(*pattern, receive, receiver);
    } catch (...) {
      if (!host->fault_) host->fault_ = std::current_exception();
      return QUADRILLE_FAILED;
    }
  };
}

int32_t ContextView::match(const quadrille_pattern& pattern, Receive receive, void* receiver) const {
  for (const model::TermQuad& quad : context_.match(pattern_of(pattern))) {
    const quadrille_quad shown{as_term(quad.graph), as_term(quad.subject), as_term(quad.predicate),
                               as_term(quad.object)};
    if (const int32_t status = receive(receiver, &shown); status != QUADRILLE_OK) return status;
  }
  return QUADRILLE_OK;
}

ConflictView::ConflictView(const reconcile::Conflict& conflict, bool with_context)
    : cell_(as_cell(conflict.cell)), contents_(statement_count(conflict)), view_{} {
  const size_t count = conflict.versions.size();
  versions_.reserve(count);
  for (const reconcile::Version& version : conflict.versions) {
    quadrille_version shown = make_version(version.id.origin, version.id.seq, version.stamp, version.is_maximal);
    shown.left_nothing = version.left.empty();
    shown.saw = contents_.add(version.saw);
    shown.left = contents_.add(version.left);
    versions_.push_back(shown);
  }
  places_ = places_of(versions_);
  has_seen_.reserve(count * count);
  for (const auto& row : conflict.seen) has_seen_.insert(has_seen_.end(), row.begin(), row.end());
  if (with_context && conflict.context) context_ = std::make_unique<ContextView>(*conflict.context);
  view_.struct_size = sizeof(view_);
  view_.cell = &cell_;
  view_.base = contents_.add(conflict.base);
  view_.versions = places_.data();
  view_.version_count = count;
  view_.has_seen = has_seen_.data();
  view_.argument = as_text(conflict.argument);
  view_.context = context_ ? context_->get() : nullptr;
}

OutlineView::OutlineView(const reconcile::Outline& outline) : view_{} {
  versions_.reserve(outline.versions.size());
  for (const reconcile::VersionOutline& version : outline.versions) {
    quadrille_version shown = make_version(*version.site, 0, version.stamp, version.is_maximal);
    shown.left_nothing = version.left_nothing;
    versions_.push_back(shown);
  }
  places_ = places_of(versions_);
  view_.struct_size = sizeof(view_);
  view_.versions = places_.data();
  view_.version_count = places_.size();
  view_.argument = as_text(outline.argument);
}

LocalChangeView::LocalChangeView(const reconcile::LocalChange& change)
    : cell_(as_cell(change.cell)), contents_(change.saw.size() + change.left.size()), view_{} {
  view_.struct_size = sizeof(view_);
  view_.cell = &cell_;
  view_.saw = contents_.add(change.saw);
  view_.left = contents_.add(change.left);
  view_.argument = as_text(change.argument);
}

}  // namespace quadrille::policies
