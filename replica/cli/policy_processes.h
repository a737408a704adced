// Other processes of this program that are asked what a policy answers: for `quadrille policy check`.
#pragma once

#include <memory>
#include <string>

#include "policies/check/questions.h"

namespace quadrille::cli {

// Starts `quadrille policy answer POLICY`. `policy`: a built-in's name, or the path of a file, absolute.
class PolicyProcesses final : public policies::check::Elsewhere {
 public:
  explicit PolicyProcesses(std::string policy) : policy_(std::move(policy)) {}
  base::Result<std::vector<policies::check::Answer>> ask(std::string_view request,
                                                         bool other_surroundings) const override;

 private:
  std::string policy_;
};

// The other side: reads a request from standard input and writes the answers to standard output. Not for people.
base::Result<void> answer_request(const reconcile::Policy& policy);

}  // namespace quadrille::cli
