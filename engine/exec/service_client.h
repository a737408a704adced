// Who asks other endpoints: SERVICE. Handed in by whoever runs the query, for the engine knows no network.
// https://www.w3.org/TR/sparql11-federated-query/
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "engine/base/result.h"
#include "engine/model/term.h"

namespace quadrille::exec {

struct ServiceRequest {
  std::string endpoint;                               // an absolute IRI
  std::string query;                                  // a SELECT, whole
  std::optional<int64_t> deadline_us = std::nullopt;  // by the steady clock of the run
  const std::atomic<bool>* cancelled = nullptr;       // true: nobody wants the answer any more
};

// What an answer is told to, a solution at a time, in its order.
class ServiceSolutions {
 public:
  using Solution = std::span<const std::pair<std::string, model::Term>>;  // variables without '?', and their values
  virtual ~ServiceSolutions() = default;
  // An error ends the answer, and is what ask() returns. Blank nodes are those of the answer. May throw as operators
  // do.
  virtual base::Result<void> add(Solution solution) = 0;
};

// Callable from any thread, by several at once.
class ServiceClient {
 public:
  virtual ~ServiceClient() = default;

  // Asks and waits for the answer: until the deadline at most, after which it is an error (Timeout); soon after
  // `cancelled` too (Unavailable). What it reads is bounded, and terms are checked: an answer is the word of a
  // stranger. Errors name the endpoint.
  virtual base::Result<void> ask(const ServiceRequest& request, ServiceSolutions& solutions) = 0;

  // False: it knows the answers to patterns as they are written, and takes no VALUES behind them.
  virtual bool takes_values() const noexcept { return true; }
};

}  // namespace quadrille::exec
