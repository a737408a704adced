#include "replica/cli/local_store.h"

#include <fmt/format.h>

#include <utility>

#include "policies/watched_policy.h"
#include "replica/cli/trouble.h"
#include "replica/site/conflict_bounds.h"
#include "replica/site/site_policies.h"

namespace quadrille::cli {
namespace {

// Nobody waits for this writer.
constexpr uint64_t rows_per_compaction = 200'000;

// A store can be moved away from the policies that it was made with; the store itself cannot say where policies are
// named.
base::Error explain_missing_policy(base::Error error, const std::filesystem::path& config) {
  if (error.message.find("there is no policy '") == std::string::npos) return error;
  error.message += fmt::format("; one of your own is loaded by [policies] load = [\"FILE.so\"] in {}", config.string());
  return error;
}

}  // namespace

LocalStore::LocalStore(const std::filesystem::path& directory, const reconcile::PolicyRegistry& policies)
    : directory_(directory),
      scratch_(directory, "query"),
      policies_(policies::watch_loaded(policies, {steady_clock_, policy_troubles_, print_notice})) {}

base::Result<std::unique_ptr<LocalStore>> LocalStore::open(const std::filesystem::path& directory,
                                                           const std::filesystem::path& config) {
  const auto file = config.empty() ? directory / "site.toml" : config;
  QUADRILLE_ASSIGN(const auto policies, replica::load_site_policies(file));
  std::unique_ptr<LocalStore> local(new LocalStore(directory, policies));
  reconcile::SiteStoreOptions opening;
  QUADRILLE_ASSIGN(opening.conflict_bounds, replica::load_conflict_bounds(file));
  auto store = reconcile::SiteStore::open(directory, {local->policies_, local->wall_clock_, local->random_}, opening);
  if (!store) return explain_missing_policy(std::move(store).error(), file);
  local->store_ = std::move(store).value();
  if (local->store_->snapshot()->unpublished_conflict_count() > 0) local->compact();
  return local;
}

base::Result<void> LocalStore::read_federation() {
  const auto file = directory_ / "site.toml";
  if (!std::filesystem::exists(file)) return {};
  QUADRILLE_ASSIGN(const auto config, replica::read_site_config(file, policies_));
  federation_ = std::make_unique<web::WebFederation>(config.federation, steady_clock_);
  return {};
}

base::Result<reconcile::CommitReceipt> LocalStore::write(const replica::Site::Work& work) {
  QUADRILLE_ASSIGN(auto group, store_->begin());
  QUADRILLE_ASSIGN(auto receipt, group->update(work));
  QUADRILLE_TRY(group->commit());
  group.reset();
  compact();
  return receipt;
}

base::Result<reconcile::CommitReceipt> LocalStore::assign(const reconcile::Assignment& assignment) {
  QUADRILLE_ASSIGN(auto group, store_->begin());
  QUADRILLE_ASSIGN(auto receipt, group->assign(assignment));
  QUADRILLE_TRY(group->commit());
  return receipt;
}

base::Result<std::string> LocalStore::token_text(const reconcile::CommitReceipt& receipt) const {
  return base::catch_storage_error([&]() -> base::Result<std::string> {
    return replica::to_string(receipt.header.id.seq != 0 ? replica::token_of(receipt.header)
                                                         : replica::token_of(*store_->snapshot()));
  });
}

// What was written is durable already: a failure here only leaves work for later.
void LocalStore::compact() {
  bool has_more = true;
  while (has_more) {
    const auto step = store_->compact(rows_per_compaction);
    has_more = step.ok() && *step;
  }
}

base::Result<reconcile::CommitReceipt> LocalStore::load(std::vector<load::Document> documents, base::TaskRunner& runner,
                                                        const load::LoadOptions& options) {
  replica::DirectLoadWriter writer(*store_);
  QUADRILLE_ASSIGN(auto outcome, replica::bulk_load(std::move(documents), {*store_, writer, runner, random_}, options));
  compact();
  return outcome;
}

}  // namespace quadrille::cli
