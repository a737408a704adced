// What a policy is shown, in the structs of the C interface. Views: they point into what they were made of, which must
// outlive them, unchanged.
#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <string_view>
#include <vector>

#include "policies/answered_terms.h"
#include "policies/plugin/quadrille_policy.h"
#include "reconcile/policy.h"

namespace quadrille::policies {

quadrille_text as_text(std::string_view text) noexcept;
quadrille_term as_term(const model::Term& term) noexcept;
quadrille_term as_term(const std::optional<model::Term>& term) noexcept;  // none: absent
quadrille_cell as_cell(const reconcile::CellName& cell) noexcept;

// Text of a plugin's. Throws PolicyFailure for a null pointer with a size.
std::string_view text_of(const quadrille_text& text);
// Throws PolicyFailure for a term that is absent or of no kind.
TermParts parts_of(const quadrille_term& term);

// Owns the statements of one or several contents.
class ContentViews {
 public:
  // `count`: of statements in all contents that will come.
  explicit ContentViews(size_t count) { statements_.reserve(count); }
  quadrille_content add(const reconcile::Content& content);

 private:
  std::vector<quadrille_statement> statements_;
};

// Lets a plugin ask the context of a conflict. A fault that the context throws may not cross the plugin: it is kept.
class ContextView {
 public:
  explicit ContextView(const reconcile::Context& context);
  ContextView(const ContextView&) = delete;
  ContextView& operator=(const ContextView&) = delete;
  const quadrille_context* get() const noexcept { return &view_; }
  // To be called when the plugin has returned.
  void rethrow_fault() const {
    if (fault_) std::rethrow_exception(fault_);
  }

 private:
  using Receive = int32_t (*)(void* receiver, const quadrille_quad* quad);
  int32_t match(const quadrille_pattern& pattern, Receive receive, void* receiver) const;

  const reconcile::Context& context_;
  std::exception_ptr fault_;
  quadrille_context view_;
};

class ConflictView {
 public:
  ConflictView(const reconcile::Conflict& conflict, bool with_context);
  ConflictView(const ConflictView&) = delete;
  ConflictView& operator=(const ConflictView&) = delete;
  const quadrille_conflict* get() const noexcept { return &view_; }
  void rethrow_fault() const {
    if (context_) context_->rethrow_fault();
  }

 private:
  quadrille_cell cell_;
  ContentViews contents_;
  std::vector<quadrille_version> versions_;
  std::vector<const quadrille_version*> places_;
  std::vector<unsigned char> has_seen_;
  std::unique_ptr<ContextView> context_;
  quadrille_conflict view_;
};

class OutlineView {
 public:
  explicit OutlineView(const reconcile::Outline& outline);
  OutlineView(const OutlineView&) = delete;
  OutlineView& operator=(const OutlineView&) = delete;
  const quadrille_outline* get() const noexcept { return &view_; }

 private:
  std::vector<quadrille_version> versions_;
  std::vector<const quadrille_version*> places_;
  quadrille_outline view_;
};

class LocalChangeView {
 public:
  explicit LocalChangeView(const reconcile::LocalChange& change);
  LocalChangeView(const LocalChangeView&) = delete;
  LocalChangeView& operator=(const LocalChangeView&) = delete;
  const quadrille_local_change* get() const noexcept { return &view_; }

 private:
  quadrille_cell cell_;
  ContentViews contents_;
  quadrille_local_change view_;
};

}  // namespace quadrille::policies
