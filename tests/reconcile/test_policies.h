// Policies that no user would want, for tests.
#pragma once

#include <xxhash.h>

#include <set>

#include "engine/model/term.h"
#include "log/bytes.h"
#include "policies/built_in.h"
#include "reconcile/assignment.h"
#include "reconcile/policy.h"

namespace quadrille::test {

class TestPolicy : public reconcile::Policy {
 public:
  uint32_t version() const override { return 1; }
  bool decides(log::CellKind) const override { return true; }
};

// Stands for any deterministic policy whatever: its answer is a hash of all that it is shown.
class HistoryHash : public TestPolicy {
 public:
  std::string_view name() const override { return "history-hash"; }
  reconcile::Decision resolve(const reconcile::Conflict& conflict) const override {
    const uint64_t hash = hash_of(conflict);
    if (conflict.cell.kind == log::CellKind::Record) return {conflict.versions[hash % conflict.versions.size()].left};
    if (conflict.cell.kind == log::CellKind::Quad) {
      return hash % 2 == 0 ? reconcile::Decision{}
                           : reconcile::Decision{{{conflict.cell.property, *conflict.cell.object}}};
    }
    if (hash % 7 == 0) return {};
    return {{{conflict.cell.property, model::Term::literal(std::to_string(hash % 1000))}}};
  }

 private:
  virtual void add_context(const reconcile::Conflict&, log::ByteWriter&) const {}
  uint64_t hash_of(const reconcile::Conflict& conflict) const {
    std::string bytes;
    log::ByteWriter writer(bytes);
    add_context(conflict, writer);
    const auto add = [&](const reconcile::Content& content) {
      writer.varint(content.size());
      for (const auto& statement : content)
        writer.sized(to_ntriples(statement.property) + to_ntriples(statement.object));
    };
    writer.sized(to_ntriples(conflict.cell.subject) + to_ntriples(conflict.cell.property));
    add(conflict.base);
    for (size_t i = 0; i < conflict.versions.size(); ++i) {
      const reconcile::Version& version = conflict.versions[i];
      writer.sized(to_string(version.id.origin));
      writer.varint(version.id.seq);
      writer.sized(to_string(version.stamp));
      add(version.saw);
      add(version.left);
      writer.byte(version.is_maximal ? 1 : 0);
      for (const bool seen : conflict.seen[i]) writer.byte(seen ? 1 : 0);
    }
    return XXH3_64bits(bytes.data(), bytes.size());
  }
};

// The same for policies that read other quads: all quads of all graphs are shown to it. What it is told of one subject,
// or of one property, must be a part of that.
class ContextHash final : public HistoryHash {
 public:
  std::string_view name() const override { return "context-hash"; }
  bool reads_context() const override { return true; }
  std::string_view fallback() const override { return "history-hash"; }

 private:
  void add_context(const reconcile::Conflict& conflict, log::ByteWriter& writer) const override {
    QUADRILLE_CHECK(conflict.context, "a policy that reads other quads is not shown them");
    const std::vector<model::TermQuad> all = conflict.context->match({});
    writer.varint(all.size());
    for (const model::TermQuad& quad : all) {
      writer.sized(to_ntriples(quad.subject) + to_ntriples(quad.predicate) + to_ntriples(quad.object) +
                   (quad.graph ? to_ntriples(*quad.graph) : ""));
    }
    reconcile::QuadPattern subject{conflict.cell.graph, conflict.cell.subject, {}, {}, !conflict.cell.graph};
    check(all, conflict, subject);
    check(all, conflict, {{}, {}, conflict.cell.property, {}, false});
  }
  static void check(const std::vector<model::TermQuad>& all, const reconcile::Conflict& conflict,
                    const reconcile::QuadPattern& pattern) {
    std::vector<model::TermQuad> wanted;
    for (const model::TermQuad& quad : all) {
      const bool is_graph = pattern.default_graph_only ? !quad.graph : !pattern.graph || pattern.graph == quad.graph;
      if (is_graph && (!pattern.subject || *pattern.subject == quad.subject) &&
          (!pattern.property || *pattern.property == quad.predicate)) {
        wanted.push_back(quad);
      }
    }
    QUADRILLE_CHECK(conflict.context->match(pattern) == wanted, "a part of the settled state is not a part of it");
  }
};

// Wrong: takes what it had not met before, that is, what arrived here last.
class LastArrivalWins final : public TestPolicy {
 public:
  std::string_view name() const override { return "last-arrival-wins"; }
  reconcile::Decision resolve(const reconcile::Conflict& conflict) const override {
    const reconcile::Version* newest = &conflict.versions.front();
    for (const reconcile::Version& version : conflict.versions) {
      if (met_.insert(version.id).second) newest = &version;
    }
    return {newest->left};
  }

 private:
  mutable std::set<log::ChangesetId> met_;
};

class Throwing final : public TestPolicy {
 public:
  std::string_view name() const override { return "throwing"; }
  reconcile::Decision resolve(const reconcile::Conflict&) const override { throw std::runtime_error("no idea"); }
};

class AnswersAnotherCell final : public TestPolicy {
 public:
  std::string_view name() const override { return "answers-another-cell"; }
  reconcile::Decision resolve(const reconcile::Conflict& conflict) const override {
    return {{{model::Term::iri("http://e/elsewhere"), conflict.cell.property}}};
  }
};

class SeveralValues final : public TestPolicy {
 public:
  std::string_view name() const override { return "several-values"; }
  bool accepts_several_values() const override { return true; }
  reconcile::Decision resolve(const reconcile::Conflict& conflict) const override {
    reconcile::Decision all;
    for (const auto& version : conflict.versions) {
      if (!version.is_maximal) continue;
      all.content.insert(all.content.end(), version.left.begin(), version.left.end());
    }
    return all;
  }
};

// The built-in ones, and those above that every site decides alike by.
inline reconcile::PolicyRegistry sound_policies() {
  reconcile::PolicyRegistry registry = policies::built_in();
  const auto add = [&](std::shared_ptr<const reconcile::Policy> policy) {
    QUADRILLE_CHECK(registry.add(std::move(policy)).ok(), "two policies of one name");
  };
  add(std::make_shared<HistoryHash>());
  add(std::make_shared<ContextHash>());
  add(std::make_shared<Throwing>());
  add(std::make_shared<AnswersAnotherCell>());
  add(std::make_shared<SeveralValues>());
  return registry;
}

// The built-in ones, and ContextHash with its fallback.
inline reconcile::PolicyRegistry context_policies() {
  reconcile::PolicyRegistry registry = policies::built_in();
  const bool is_new =
      registry.add(std::make_shared<HistoryHash>()).ok() && registry.add(std::make_shared<ContextHash>()).ok();
  QUADRILLE_CHECK(is_new, "two policies of one name");
  return registry;
}

inline reconcile::PolicyRegistry all_policies() {
  reconcile::PolicyRegistry registry = sound_policies();
  const bool is_new = registry.add(std::make_shared<LastArrivalWins>()).ok();
  QUADRILLE_CHECK(is_new, "two policies of one name");
  return registry;
}

}  // namespace quadrille::test
