// What the endpoints of one site share.
#pragma once

#include <atomic>
#include <functional>
#include <memory>

#include "engine/base/task_runner.h"
#include "policies/policy_troubles.h"
#include "replica/http/access.h"
#include "replica/http/message.h"
#include "replica/http/metrics.h"
#include "replica/http/server.h"
#include "replica/site/comparisons.h"
#include "replica/site/query.h"
#include "replica/site/site.h"
#include "replica/site/site_config.h"
#include "replica/site/status.h"
#include "replica/site/store_copies.h"
#include "replica/site/writer_times.h"

namespace quadrille::http {

struct EndpointContext {
  using RunTask = std::function<void(const std::shared_ptr<Exchange>&, std::function<void()>)>;

  replica::Site& site;
  const reconcile::PolicyRegistry& policies;  // that the site knows
  replica::SiteLimits limits;
  replica::Federation federation;
  // Runs a task on the event loop's thread: only there may the site's sync node be asked.
  std::function<void(std::function<void()>)> post_to_loop;
  const std::atomic<bool>* stopping = nullptr;  // true: updates give up
  // Runs what may take as long as the client likes, on a thread for that; or answers that too much waits.
  RunTask run_at_length;
  RunTask run_load;  // the same, for loads, which never take a query's thread

  std::function<std::shared_ptr<const AccessRules>()> access;  // in force; from any thread
  const Metrics* metrics = nullptr;
  std::function<ServerCounts()> server_counts;  // from any thread

  replica::StoreCopies* copies = nullptr;
  replica::Comparisons* comparisons = nullptr;
  std::string sync_address;  // where the site listens for other sites

  // How long the writer was held. From any thread.
  std::function<replica::WriterTimes()> writer_times;
  const policies::PolicyTroubleBook& policy_troubles;
  // On the loop's thread.
  std::function<replica::ProcessStatus()> process_status;

  // The threads on which loads do their work, beside the one that runs them.
  base::TaskRunner* load_runner = nullptr;
  // Those that long queries share, beside the one of each.
  base::TaskRunner* query_runner = nullptr;

  uint64_t answer_bytes_max() const {
    return limits.answer_mb == 0 ? ~uint64_t{0} : static_cast<uint64_t>(limits.answer_mb) << 20;
  }
  // By the steady clock: when an answer that begins now must be sent whole.
  int64_t answer_deadline_us() const { return site.steady_clock().now_us() + limits.reader_age_ms * 1000; }
  replica::RunParts run_parts() const {
    replica::RunParts parts = site.run_parts();
    parts.federation = federation;
    parts.tasks = query_runner;
    return parts;
  }
};

}  // namespace quadrille::http
