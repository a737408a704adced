// A site's store, opened by the command line itself: for sites that are not being served.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <vector>

#include "engine/base/result.h"
#include "engine/base/temporary_file.h"
#include "engine/plan/plan_memory.h"
#include "policies/policy_troubles.h"
#include "reconcile/site_store.h"
#include "replica/site/bulk_load.h"
#include "replica/site/query.h"
#include "replica/site/site.h"
#include "replica/system_clocks.h"
#include "replica/thread_task_runner.h"
#include "replica/web/web_federation.h"

namespace quadrille::cli {

class LocalStore {
 public:
  // `config`: the site's file; empty: DIR/site.toml. It says which policies are loaded, and which records are kept.
  static base::Result<std::unique_ptr<LocalStore>> open(const std::filesystem::path& directory,
                                                        const std::filesystem::path& config = {});

  reconcile::SiteStore& store() noexcept { return *store_; }
  // Who leaves this process what it made of the store: `serve` wires its site around it.
  std::unique_ptr<reconcile::SiteStore> take_store() noexcept { return std::move(store_); }
  replica::RunParts run_parts() noexcept {
    return {wall_clock_,
            steady_clock_,
            random_,
            &plan_memory_,
            federation_ ? federation_->federation() : replica::Federation(),
            &scratch_,
            &tasks_};
  }
  // Lets run_parts() reach what the site's own file, DIR/site.toml, allows. Without a file that is nothing.
  base::Result<void> read_federation();
  const reconcile::PolicyRegistry& policies() const noexcept { return policies_; }
  // What went wrong with those that were loaded.
  const policies::PolicyTroubleBook& policy_troubles() const noexcept { return policy_troubles_; }

  // One transaction, committed; then what came in is compacted.
  base::Result<reconcile::CommitReceipt> write(const replica::Site::Work& work);
  base::Result<reconcile::CommitReceipt> assign(const reconcile::Assignment& assignment);
  base::Result<reconcile::CommitReceipt> load(std::vector<load::Document> documents, base::TaskRunner& runner,
                                              const load::LoadOptions& options);
  // The version token of a state that includes it.
  base::Result<std::string> token_text(const reconcile::CommitReceipt& receipt) const;

 private:
  LocalStore(const std::filesystem::path& directory, const reconcile::PolicyRegistry& policies);
  void compact();

  std::filesystem::path directory_;
  replica::SystemWallClock wall_clock_;
  replica::SystemSteadyClock steady_clock_;
  replica::SystemRandom random_;
  plan::PlanMemory plan_memory_;
  std::unique_ptr<web::WebFederation> federation_;
  base::TemporaryFiles scratch_;
  replica::ThreadTaskRunner tasks_{replica::query_width()};
  policies::PolicyTroubleBook policy_troubles_{wall_clock_};
  reconcile::PolicyRegistry policies_;
  std::unique_ptr<reconcile::SiteStore> store_;
};

}  // namespace quadrille::cli
