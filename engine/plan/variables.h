// Variables as small numbers, sets of them, and the scopes in which their names are looked up.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "engine/sparql/expression.h"

namespace quadrille::plan {

using VariableId = uint32_t;
inline constexpr VariableId no_variable = UINT32_MAX;

class VariableSet {
 public:
  bool has(VariableId id) const noexcept { return id / 64 < words_.size() && (words_[id / 64] >> (id % 64) & 1) != 0; }
  void add(VariableId id) {
    if (words_.size() <= id / 64) words_.resize(id / 64 + 1);
    words_[id / 64] |= uint64_t{1} << (id % 64);
  }
  void remove(VariableId id) noexcept {
    if (id / 64 < words_.size()) words_[id / 64] &= ~(uint64_t{1} << (id % 64));
  }
  void add_all(const VariableSet& other) {
    if (words_.size() < other.words_.size()) words_.resize(other.words_.size());
    for (size_t i = 0; i < other.words_.size(); ++i) words_[i] |= other.words_[i];
  }
  void keep_only(const VariableSet& other) {
    for (size_t i = 0; i < words_.size(); ++i) words_[i] &= i < other.words_.size() ? other.words_[i] : 0;
  }
  bool covers(const VariableSet& other) const noexcept {
    for (size_t i = 0; i < other.words_.size(); ++i) {
      if ((other.words_[i] & ~(i < words_.size() ? words_[i] : 0)) != 0) return false;
    }
    return true;
  }
  bool meets(const VariableSet& other) const noexcept {
    for (size_t i = 0; i < words_.size() && i < other.words_.size(); ++i) {
      if ((words_[i] & other.words_[i]) != 0) return true;
    }
    return false;
  }
  // The members in ascending order.
  std::vector<VariableId> members() const {
    std::vector<VariableId> found;
    for (VariableId id = 0; id < words_.size() * 64; ++id) {
      if (has(id)) found.push_back(id);
    }
    return found;
  }

 private:
  std::vector<uint64_t> words_;
};

// All the variables of a query by number. Equal names of different scopes are different variables.
class VariableTable {
 public:
  VariableId add(std::string name) {
    names_.push_back(std::move(name));
    return static_cast<VariableId>(names_.size() - 1);
  }
  const std::string& name_of(VariableId id) const { return names_[id]; }
  size_t size() const noexcept { return names_.size(); }

 private:
  std::vector<std::string> names_;
};

// The names of one SELECT. A sub-query has a scope of its own that shares only what it projects.
class Scope {
 public:
  explicit Scope(VariableTable& table) : table_(&table) {}
  VariableId id_of(const std::string& name) {
    if (auto entry = ids_.find(name); entry != ids_.end()) return entry->second;
    const VariableId id = table_->add(name);
    ids_.emplace(name, id);
    return id;
  }
  VariableId id_of(const sparql::Variable& variable) { return id_of(variable.name); }
  // no_variable where the scope has never heard of it.
  VariableId find(const std::string& name) const {
    auto entry = ids_.find(name);
    return entry == ids_.end() ? no_variable : entry->second;
  }
  void share(const std::string& name, VariableId id) { ids_[name] = id; }

 private:
  VariableTable* table_;
  std::unordered_map<std::string, VariableId> ids_;
};

}  // namespace quadrille::plan
