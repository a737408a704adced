#include "replica/site/toml_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <utility>

namespace quadrille::replica {
namespace {

base::Error at_line(const std::string& file, uint64_t line, const std::string& what) {
  return {base::ErrorKind::InvalidInput, fmt::format("{}:{}: {}", file, line, what), {}};
}

// Levenshtein distance: insertions, deletions and changes of letters.
size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = std::exchange(row[0], i);
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t change = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = std::exchange(row[j], std::min({row[j] + 1, row[j - 1] + 1, change}));
    }
  }
  return row[b.size()];
}

}  // namespace

std::string nearest_name(std::string_view name, std::span<const std::string> candidates) {
  std::string nearest;
  size_t best = std::max<size_t>(3, name.size() / 2 + 1);  // further off is no slip of the pen
  for (const auto& candidate : candidates) {
    const size_t distance = edit_distance(name, candidate);
    if (distance < best) {
      best = distance;
      nearest = candidate;
    }
  }
  return nearest;
}

base::Result<toml::table> parse_toml(std::string_view text, const std::string& file) {
  try {
    return toml::parse(text, file);
  } catch (const toml::parse_error& error) {
    std::string what(error.description());
    std::replace(what.begin(), what.end(), '\n', ' ');
    return at_line(file, error.source().begin.line, fmt::format("{}; expected TOML", what));
  }
}

base::Result<toml::table> read_toml_file(const std::filesystem::path& file) {
  std::error_code error;
  if (std::filesystem::is_directory(file, error)) {  // which opens, and reads as empty
    return base::Error{base::ErrorKind::IoFailure,
                       fmt::format("cannot read {}: expected a file, found a directory", file.string()),
                       {}};
  }
  std::ifstream in(file, std::ios::binary);
  if (!in) {
    return base::Error{base::ErrorKind::NotFound, fmt::format("{}: no such file, or not readable", file.string()), {}};
  }
  std::ostringstream text;
  text << in.rdbuf();
  return parse_toml(text.str(), file.string());
}

TomlReader::TomlReader(const toml::table& table, std::string file, std::string name)
    : table_(&table), file_(std::move(file)), name_(std::move(name)) {}

const toml::node* TomlReader::find(std::string_view key) {
  if (std::find(known_.begin(), known_.end(), key) == known_.end()) known_.emplace_back(key);
  return table_->get(key);
}

bool TomlReader::has(std::string_view key) { return find(key) != nullptr; }

base::Error TomlReader::error(std::string_view key, const std::string& what) const {
  const toml::node* node = table_->get(key);
  const auto line = node ? node->source().begin.line : table_->source().begin.line;
  return at_line(file_, std::max<uint64_t>(line, 1),
                 fmt::format("{}{}{}: {}", name_, name_.empty() || key.empty() ? "" : " ", key, what));
}

base::Result<std::optional<std::string>> TomlReader::text(std::string_view key) {
  const toml::node* node = find(key);
  if (!node) return std::optional<std::string>();
  const auto* value = node->as_string();
  if (!value) return error(key, "expected a string in quotes");
  return std::optional<std::string>(value->get());
}

base::Result<std::optional<int64_t>> TomlReader::integer(std::string_view key, int64_t min, int64_t max) {
  const toml::node* node = find(key);
  if (!node) return std::optional<int64_t>();
  const auto* value = node->as_integer();
  if (!value || value->get() < min || value->get() > max) {
    return error(key, fmt::format("expected a whole number from {} to {}", min, max));
  }
  return std::optional<int64_t>(value->get());
}

base::Result<std::optional<double>> TomlReader::number(std::string_view key) {
  const toml::node* node = find(key);
  if (!node) return std::optional<double>();
  if (const auto* whole = node->as_integer()) return std::optional<double>(static_cast<double>(whole->get()));
  if (const auto* value = node->as_floating_point()) return std::optional<double>(value->get());
  return error(key, "expected a number");
}

base::Result<std::optional<bool>> TomlReader::boolean(std::string_view key) {
  const toml::node* node = find(key);
  if (!node) return std::optional<bool>();
  const auto* value = node->as_boolean();
  if (!value) return error(key, "expected true or false");
  return std::optional<bool>(value->get());
}

base::Result<std::optional<std::vector<std::string>>> TomlReader::texts(std::string_view key) {
  const toml::node* node = find(key);
  if (!node) return std::optional<std::vector<std::string>>();
  const auto* array = node->as_array();
  if (!array) return error(key, "expected an array of strings, as in [\"a\", \"b\"]");
  std::vector<std::string> found;
  for (const toml::node& item : *array) {
    const auto* value = item.as_string();
    if (!value) return error(key, "expected an array of strings, as in [\"a\", \"b\"]");
    found.push_back(value->get());
  }
  return std::optional<std::vector<std::string>>(std::move(found));
}

base::Result<std::optional<std::vector<double>>> TomlReader::numbers(std::string_view key) {
  const toml::node* node = find(key);
  if (!node) return std::optional<std::vector<double>>();
  const auto* array = node->as_array();
  if (!array) return error(key, "expected an array of numbers, as in [1, 2.5]");
  std::vector<double> found;
  for (const toml::node& item : *array) {
    const auto value = item.value<double>();
    if (!value || !item.is_number()) return error(key, "expected an array of numbers, as in [1, 2.5]");
    found.push_back(*value);
  }
  return std::optional<std::vector<double>>(std::move(found));
}

base::Result<std::optional<TomlReader>> TomlReader::table(std::string_view key) {
  const toml::node* node = find(key);
  if (!node) return std::optional<TomlReader>();
  const auto* found = node->as_table();
  const auto within = name_.empty() ? std::string() : name_.substr(1, name_.size() - 2) + ".";  // of "[workload]"
  auto name = fmt::format("[{}{}]", within, key);
  if (!found) return error(key, fmt::format("expected a table, written {}", name));
  return std::optional<TomlReader>(TomlReader(*found, file_, std::move(name)));
}

base::Result<std::vector<TomlReader>> TomlReader::tables(std::string_view key) {
  std::vector<TomlReader> found;
  const toml::node* node = find(key);
  if (!node) return found;
  const auto* array = node->as_array();
  if (!array) return error(key, fmt::format("expected an array of tables, each written [[{}]]", key));
  for (const toml::node& item : *array) {
    const auto* entry = item.as_table();
    if (!entry) return error(key, fmt::format("expected an array of tables, each written [[{}]]", key));
    found.emplace_back(*entry, file_, fmt::format("[[{}]]", key));
  }
  return found;
}

base::Result<void> TomlReader::check_all_known() const {
  for (const auto& [key, node] : *table_) {
    if (std::find(known_.begin(), known_.end(), key.str()) != known_.end()) continue;
    const auto nearest = nearest_name(key.str(), known_);
    const auto known = nearest.empty() ? fmt::format("expected one of {}", fmt::join(known_, ", "))
                                       : fmt::format("did you mean {}?", nearest);
    return at_line(file_, node.source().begin.line,
                   fmt::format("unknown key {}{}{}; {}", name_, name_.empty() ? "" : " ", key.str(), known));
  }
  return {};
}

}  // namespace quadrille::replica
