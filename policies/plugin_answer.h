// Gathers what a plugin answers through the C interface.
#pragma once

#include <cstdint>
#include <exception>
#include <optional>
#include <string>
#include <string_view>

#include "policies/answered_terms.h"
#include "policies/plugin/quadrille_policy.h"
#include "reconcile/policy.h"

namespace quadrille::policies {

// One call's answer. Which of the functions the plugin may call depends on what it was asked.
class PluginAnswer {
 public:
  enum class Question : uint8_t { Resolve, Check, Other };
  explicit PluginAnswer(Question question);
  PluginAnswer(const PluginAnswer&) = delete;
  PluginAnswer& operator=(const PluginAnswer&) = delete;

  quadrille_answer* get() noexcept { return &view_; }

  // To be called once, with what the plugin's function returned. `note`: what is being decided, for PolicyOutOfMemory.
  // Throws PolicyFailure if the plugin failed or answered nonsense.
  void finish(int32_t status, const char* note);

  reconcile::Content take_content() { return content_.take(); }
  reconcile::LocalDecision take_local_decision();

 private:
  template <class Take>
  static int32_t guarded(quadrille_answer* answer, Take&& take) noexcept;
  void note_failure(std::string_view why);
  void add_statement(const quadrille_statement& statement);
  void refuse(std::string_view why);
  void complete();

  Question question_;
  AnsweredContent content_;
  std::optional<std::string> failure_;  // the first
  std::optional<std::string> refused_;
  bool is_completed_ = false;
  std::exception_ptr fault_;  // of ours
  quadrille_answer view_;
};

}  // namespace quadrille::policies
