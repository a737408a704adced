#include "policies/plugin_answer.h"

#include <fmt/format.h>

#include "policies/plugin_views.h"
#include "policies/policy_failure.h"

namespace quadrille::policies {

// Nothing may be thrown into the plugin. What it did wrong counts as its failure, what went wrong here is kept.
template <class Take>
int32_t PluginAnswer::guarded(quadrille_answer* answer, Take&& take) noexcept {
  auto* const self = static_cast<PluginAnswer*>(answer->host);
  try {
    take(*self);
    return self->failure_ ? QUADRILLE_FAILED : QUADRILLE_OK;
  } catch (const PolicyFailure& failure) {
    self->note_failure(failure.what());
    return QUADRILLE_FAILED;
  } catch (...) {
    self->fault_ = std::current_exception();
    return QUADRILLE_NO_MEMORY;
  }
}

PluginAnswer::PluginAnswer(Question question) : question_(question), view_{} {
  view_.struct_size = sizeof(view_);
  view_.host = this;
  view_.add_statement = [](quadrille_answer* answer, const quadrille_statement* statement) {
    return guarded(answer, [&](PluginAnswer& self) { self.add_statement(*statement); });
  };
  view_.fail = [](quadrille_answer* answer, quadrille_text why) {
    return guarded(answer, [&](PluginAnswer& self) { self.note_failure(text_of(why)); });
  };
  view_.refuse = [](quadrille_answer* answer, quadrille_text why) {
    return guarded(answer, [&](PluginAnswer& self) { self.refuse(text_of(why)); });
  };
  view_.complete = [](quadrille_answer* answer) {
    return guarded(answer, [&](PluginAnswer& self) { self.complete(); });
  };
}

void PluginAnswer::note_failure(std::string_view why) {
  if (!failure_) failure_ = one_line(why);
}

void PluginAnswer::add_statement(const quadrille_statement& statement) {
  const bool may_add = question_ == Question::Resolve || (question_ == Question::Check && is_completed_);
  if (!may_add) throw PolicyFailure("it answered a statement where none was asked for");
  const auto added = content_.add(parts_of(statement.property), parts_of(statement.object));
  if (!added) throw PolicyFailure("it answered " + added.error().message);
}

void PluginAnswer::refuse(std::string_view why) {
  if (question_ != Question::Check) throw PolicyFailure("it refused what was no local update");
  if (!refused_) refused_ = one_line(why);
}

void PluginAnswer::complete() {
  if (question_ != Question::Check) throw PolicyFailure("it completed what was no local update");
  is_completed_ = true;
}

void PluginAnswer::finish(int32_t status, const char* note) {
  if (status == QUADRILLE_NO_MEMORY || fault_) throw PolicyOutOfMemory(fmt::format("no memory for {}", note));
  if (failure_) throw PolicyFailure(*failure_);
  if (status == QUADRILLE_FAILED) throw PolicyFailure("it failed without saying why");
  if (status != QUADRILLE_OK) throw PolicyFailure(fmt::format("it returned {}, which means nothing", status));
}

reconcile::LocalDecision PluginAnswer::take_local_decision() {
  reconcile::LocalDecision decision;
  decision.refused = std::move(refused_);
  if (is_completed_) decision.completed = content_.take();
  return decision;
}

}  // namespace quadrille::policies
