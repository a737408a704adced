// Variables as small numbers, sets of them, and the scopes in which their names are looked up.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "engine/sparql/expression.h"

namespace quadrille::plan {

using VariableId = uint32_t;
inline constexpr VariableId no_variable = UINT32_MAX;

// A set of variables. The first 64 need no memory of their own.
class VariableSet {
 public:
  bool has(VariableId id) const noexcept {
    if (id < 64) return (first_ >> id & 1) != 0;
    const size_t word = id / 64 - 1;
    return word < more_.size() && (more_[word] >> (id % 64) & 1) != 0;
  }
  void add(VariableId id) {
    if (id >= 64 && more_.size() < id / 64) more_.resize(id / 64);
    word(id) |= uint64_t{1} << (id % 64);
  }
  void remove(VariableId id) noexcept {
    if (id / 64 <= more_.size()) word(id) &= ~(uint64_t{1} << (id % 64));
  }
  void add_all(const VariableSet& other) {
    first_ |= other.first_;
    if (more_.size() < other.more_.size()) more_.resize(other.more_.size());
    for (size_t i = 0; i < other.more_.size(); ++i) more_[i] |= other.more_[i];
  }
  void keep_only(const VariableSet& other) {
    first_ &= other.first_;
    for (size_t i = 0; i < more_.size(); ++i) more_[i] &= other.more_at(i);
  }
  bool covers(const VariableSet& other) const noexcept {
    if ((other.first_ & ~first_) != 0) return false;
    for (size_t i = 0; i < other.more_.size(); ++i) {
      if ((other.more_[i] & ~more_at(i)) != 0) return false;
    }
    return true;
  }
  bool meets(const VariableSet& other) const noexcept {
    if ((first_ & other.first_) != 0) return true;
    for (size_t i = 0; i < more_.size(); ++i) {
      if ((more_[i] & other.more_at(i)) != 0) return true;
    }
    return false;
  }
  // The members in ascending order.
  std::vector<VariableId> members() const {
    std::vector<VariableId> found;
    for (size_t i = 0; i <= more_.size(); ++i) {
      for (uint64_t bits = i == 0 ? first_ : more_[i - 1]; bits != 0; bits &= bits - 1) {
        found.push_back(static_cast<VariableId>(i * 64 + static_cast<size_t>(std::countr_zero(bits))));
      }
    }
    return found;
  }

 private:
  uint64_t& word(VariableId id) noexcept { return id < 64 ? first_ : more_[id / 64 - 1]; }
  uint64_t more_at(size_t index) const noexcept { return index < more_.size() ? more_[index] : 0; }

  uint64_t first_ = 0;
  std::vector<uint64_t> more_;
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
