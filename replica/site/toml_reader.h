// Reads TOML files so that every trouble is one line: file, line, and what was expected. Shared by the site's
// configuration and the simulator's scenarios.
#pragma once

#include <toml++/toml.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"

namespace quadrille::replica {

// NotFound if there is no such file, InvalidInput if it is no TOML.
base::Result<toml::table> read_toml_file(const std::filesystem::path& file);
base::Result<toml::table> parse_toml(std::string_view text, const std::string& file);

// One table of a file. Asking for a key makes it known; when all were asked for, check_all_known() refuses the others
// and names the nearest known one. The table must outlive this.
class TomlReader {
 public:
  // `name` as a person would write it: "[site]", or "" for the top of the file.
  TomlReader(const toml::table& table, std::string file, std::string name);

  bool has(std::string_view key);
  // Absent: nothing. Of another type or out of bounds: an error.
  base::Result<std::optional<std::string>> text(std::string_view key);
  base::Result<std::optional<int64_t>> integer(std::string_view key, int64_t min, int64_t max);
  base::Result<std::optional<double>> number(std::string_view key);
  base::Result<std::optional<bool>> boolean(std::string_view key);
  base::Result<std::optional<std::vector<std::string>>> texts(std::string_view key);
  base::Result<std::optional<std::vector<double>>> numbers(std::string_view key);
  // A table, or an array of tables; absent: none.
  base::Result<std::optional<TomlReader>> table(std::string_view key);
  base::Result<std::vector<TomlReader>> tables(std::string_view key);

  base::Result<void> check_all_known() const;

  // An error at that key's line (the table's, if the key is absent): "site.toml:12: [site] name: <what>".
  base::Error error(std::string_view key, const std::string& what) const;
  const std::string& file() const noexcept { return file_; }

 private:
  const toml::node* find(std::string_view key);

  const toml::table* table_;
  std::string file_;
  std::string name_;
  std::vector<std::string> known_;
};

// The candidate with the fewest changed letters; empty if all are far off. The first of several.
std::string nearest_name(std::string_view name, std::span<const std::string> candidates);

}  // namespace quadrille::replica
