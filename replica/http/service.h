// The site's HTTP interface: which path is answered by whom, and on which thread.
//
//   /sparql   /data   /status   /digest   /conflicts   /metrics   /policy   /members   /copies   /comparisons
//   /health
//
// A request to any but /health may name the version that it wants (version_request.h): it is parked until the site has
// that, and takes no thread meanwhile.
#pragma once

#include <memory>

#include "replica/http/endpoint_context.h"
#include "replica/http/message.h"
#include "replica/http/metrics.h"
#include "replica/http/worker_pool.h"

namespace quadrille::http {

class Service {
 public:
  explicit Service(EndpointContext context);

  // Callable from any thread; returns at once. The exchange is answered later; 503 at once if too many requests wait.
  void handle(std::shared_ptr<Exchange> exchange);

 private:
  bool let_in(Exchange& exchange) const;
  // The request is answered by any state from now on.
  void dispatch(std::shared_ptr<Exchange> exchange);
  static void run_on(WorkerPool& workers, const std::shared_ptr<Exchange>& exchange, std::function<void()> task);

  EndpointContext context_;
  std::shared_ptr<Metrics> metrics_ = std::make_shared<Metrics>();  // of exchanges too, which may live longer
  WorkerPool long_workers_;   // queries and dumps: a few of them may keep all these threads for a minute
  WorkerPool load_workers_;   // loads: they may wait for the writer for as long as an update holds it
  WorkerPool short_workers_;  // all else, so that updates and the site's status never wait for a query. Ends first
};

}  // namespace quadrille::http
