// Endpoints for SERVICE that are engines with data of their own, in this process.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "engine/exec/service_client.h"
#include "tests/engine/exec/engine_fixture.h"

namespace quadrille::test {

class LocalEndpoints final : public exec::ServiceClient {
 public:
  Engine& add(const std::string& endpoint, std::string_view trig = {}) {
    Engine& made = endpoints_.try_emplace(endpoint, trig).first->second;
    made.services = this;
    return made;
  }

  base::Result<void> ask(const exec::ServiceRequest& request, exec::ServiceSolutions& solutions) override {
    requests.push_back(request);
    const auto found = endpoints_.find(request.endpoint);
    if (found == endpoints_.end()) {
      return base::Error{base::ErrorKind::Unavailable, request.endpoint + ": nobody answers", {}};
    }
    QUADRILLE_ASSIGN(auto query, sparql::parse_query(request.query));
    QUADRILLE_ASSIGN(const auto answer, exec::run_select(std::move(query), found->second.context()));
    for (;;) {
      QUADRILLE_ASSIGN(const size_t rows, answer->next());
      if (rows == 0) return {};
      for (size_t row = 0; row < rows; ++row) {
        std::vector<std::pair<std::string, model::Term>> solution;
        for (size_t i = 0; i < answer->variables().size(); ++i) {
          if (const auto term = answer->term(row, i)) solution.emplace_back(answer->variables()[i], *term);
        }
        QUADRILLE_TRY(solutions.add(solution));
      }
    }
  }
  bool takes_values() const noexcept override { return takes_values_; }
  void take_no_values() { takes_values_ = false; }

  std::vector<exec::ServiceRequest> requests;

 private:
  std::map<std::string, Engine> endpoints_;
  bool takes_values_ = true;
};

}  // namespace quadrille::test
