// Other processes of this program that are asked what a policy answers: for `quadrille policy check`.
#pragma once

#include <memory>
#include <string>

#include "policies/check/questions.h"

namespace quadrille::cli {

// Starts `quadrille policy answer POLICY`. `policy`: a built-in's name, or the path of a file, absolute.
class PolicyProcesses final : public policies::check::Elsewhere {
 public:
  // A call that takes more than `limit_s` does not come to an end.
  PolicyProcesses(std::string policy, uint32_t limit_s) : policy_(std::move(policy)), limit_s_(limit_s) {}
  base::Result<std::vector<policies::check::Answer>> ask(std::string_view request,
                                                         bool other_surroundings) const override;

 private:
  std::string policy_;
  uint32_t limit_s_;
};

// The other side: reads a request from standard input and writes the answers to standard output. Not for people.
// `limit_s` ends the process by SIGALRM, or the fork that asks.
base::Result<void> answer_request(const reconcile::Policy& policy, uint32_t limit_s);

}  // namespace quadrille::cli
