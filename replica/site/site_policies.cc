#include "replica/site/site_policies.h"

#include <system_error>

#include "policies/built_in.h"
#include "policies/load_policy.h"

namespace quadrille::replica {

namespace fs = std::filesystem;

base::Result<std::vector<fs::path>> read_policy_files(TomlReader& top) {
  std::vector<fs::path> files;
  QUADRILLE_ASSIGN(auto table, top.table("policies"));
  if (!table) return files;
  QUADRILLE_ASSIGN(const auto texts, table->texts("load"));
  QUADRILLE_TRY(table->check_all_known());
  if (!texts) return files;
  const fs::path directory = fs::absolute(top.file()).parent_path();
  for (const auto& text : *texts) {
    if (text.empty()) return table->error("load", "an empty name; expected the file of a policy");
    files.push_back((directory / text).lexically_normal());
  }
  return files;
}

base::Result<reconcile::PolicyRegistry> load_site_policies(const fs::path& site_toml) {
  std::error_code ignored;
  if (!fs::exists(site_toml, ignored)) return policies::built_in();
  QUADRILLE_ASSIGN(const auto root, read_toml_file(site_toml));
  TomlReader top(root, site_toml.string(), "");
  QUADRILLE_ASSIGN(const auto files, read_policy_files(top));
  auto loaded = policies::built_in_and_loaded(files);
  if (loaded) return loaded;
  QUADRILLE_ASSIGN(const auto table, top.table("policies"));
  return table->error("load", loaded.error().message);
}

}  // namespace quadrille::replica
