#include "replica/site/conflict_bounds.h"

#include <system_error>

namespace quadrille::replica {
namespace {

constexpr int64_t day_ms = int64_t{24} * 3600 * 1000;

}  // namespace

base::Result<reconcile::ConflictBounds> read_conflict_bounds(TomlReader& top) {
  reconcile::ConflictBounds bounds;
  QUADRILLE_ASSIGN(auto table, top.table("conflicts"));
  if (!table) return bounds;
  QUADRILLE_ASSIGN(const auto count, table->integer("keep_max", 0, 1'000'000'000));
  QUADRILLE_ASSIGN(const auto days, table->integer("keep_days", 1, 36'500));
  QUADRILLE_TRY(table->check_all_known());
  if (count) bounds.count_max = static_cast<uint64_t>(*count);
  if (days) bounds.age_ms_max = *days * day_ms;
  return bounds;
}

base::Result<reconcile::ConflictBounds> load_conflict_bounds(const std::filesystem::path& site_toml) {
  std::error_code ignored;
  if (!std::filesystem::exists(site_toml, ignored)) return reconcile::ConflictBounds();
  QUADRILLE_ASSIGN(const auto root, read_toml_file(site_toml));
  TomlReader top(root, site_toml.string(), "");
  return read_conflict_bounds(top);
}

int64_t days_kept(const reconcile::ConflictBounds& bounds) { return bounds.age_ms_max / day_ms; }

}  // namespace quadrille::replica
