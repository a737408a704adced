#include "replica/cli/local_store.h"

#include <utility>

#include "policies/built_in.h"

namespace quadrille::cli {
namespace {

// Nobody waits for this writer.
constexpr uint64_t rows_per_compaction = 200'000;

}  // namespace

LocalStore::LocalStore(const std::filesystem::path& directory)
    : scratch_(directory, "query"), policies_(policies::built_in()) {}

base::Result<std::unique_ptr<LocalStore>> LocalStore::open(const std::filesystem::path& directory) {
  std::unique_ptr<LocalStore> local(new LocalStore(directory));
  local->directory_ = directory;
  QUADRILLE_ASSIGN(local->store_,
                   reconcile::SiteStore::open(directory, {local->policies_, local->wall_clock_, local->random_}, {}));
  return local;
}

base::Result<void> LocalStore::read_federation() {
  const auto file = directory_ / "site.toml";
  if (!std::filesystem::exists(file)) return {};
  QUADRILLE_ASSIGN(const auto config, replica::read_site_config(file, policies_));
  federation_ = std::make_unique<web::WebFederation>(config.federation, steady_clock_);
  return {};
}

base::Result<replica::UpdateOutcome> LocalStore::write(const replica::Site::Work& work) {
  QUADRILLE_ASSIGN(auto group, store_->begin());
  QUADRILLE_ASSIGN(auto receipt, group->update(work));
  auto version = group->version_vector();
  QUADRILLE_TRY(group->commit());
  group.reset();
  compact();
  return replica::UpdateOutcome{std::move(receipt), std::move(version)};
}

// What was written is durable already: a failure here only leaves work for later.
void LocalStore::compact() {
  bool has_more = true;
  while (has_more) {
    const auto step = store_->compact(rows_per_compaction);
    has_more = step.ok() && *step;
  }
}

base::Result<replica::UpdateOutcome> LocalStore::load(std::vector<load::Document> documents, base::TaskRunner& runner,
                                                      const load::LoadOptions& options) {
  replica::DirectLoadWriter writer(*store_);
  QUADRILLE_ASSIGN(auto outcome, replica::bulk_load(std::move(documents), {*store_, writer, runner, random_}, options));
  compact();
  return outcome;
}

}  // namespace quadrille::cli
