// Sites in one process, for tests: each a real SiteStore in a directory of its own, without waiting for the disk.
#pragma once

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "engine/base/clock.h"
#include "engine/base/temporary_file.h"
#include "engine/store/store.h"
#include "policies/built_in.h"
#include "reconcile/local_graphs.h"
#include "reconcile/site_store.h"
#include "reconcile/stability.h"
#include "reconcile/store_copy.h"

namespace quadrille::test {

struct SetClock final : base::WallClock {
  int64_t now = 1'000'000;
  int64_t now_ms() const override { return now; }
};

struct CountingRandom final : base::RandomSource {
  uint64_t state = 1;
  uint64_t next() override { return state++; }
};

class TemporaryDirectory {
 public:
  TemporaryDirectory() {
    std::string pattern = (std::filesystem::temp_directory_path() / "quadrille-test-XXXXXX").string();
    QUADRILLE_CHECK(mkdtemp(pattern.data()), "a temporary directory is needed");
    path_ = pattern;
  }
  ~TemporaryDirectory() { std::filesystem::remove_all(path_); }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

// A statement in the default graph about <http://e/...>; an object of digits is an integer, of letters an IRI.
inline model::Term term_of(const std::string& word) {
  const bool is_number = !word.empty() && word.find_first_not_of("-0123456789") == std::string::npos;
  if (is_number) return model::Term::typed_literal(word, "http://www.w3.org/2001/XMLSchema#integer");
  if (word.starts_with('"')) return model::Term::literal(word.substr(1));
  return model::Term::iri("http://e/" + word);
}
struct Triple {
  std::string subject;
  std::string property;
  std::string object;
  std::string graph = {};  // empty: the default graph
};
inline model::Quad ids_of(model::QuadTarget& target, const Triple& triple) {
  return {target.intern(term_of(triple.subject)), target.intern(term_of(triple.property)),
          target.intern(term_of(triple.object)),
          triple.graph.empty() ? model::TermId::default_graph() : target.intern(term_of(triple.graph))};
}

// Quads as sorted lines, without local graphs.
inline std::string dump(const model::QuadSource& source) {
  const auto hidden = source.find_term(reconcile::local_graphs().front());
  std::set<std::string> lines;
  std::array<model::TermId, 4 * 64> ids;
  model::ScanBatch batch;
  for (size_t i = 0; i < 4; ++i) batch.columns[i] = &ids[i * 64];
  batch.capacity = 64;
  const auto scan = source.scan(model::QuadOrder::Spog, {}, model::ColumnSet::all());
  while (const size_t count = scan->next(batch)) {
    for (size_t row = 0; row < count; ++row) {
      const model::TermId graph = batch.columns[3][row];
      if (hidden && graph == *hidden) continue;
      std::string line;
      for (size_t i = 0; i < 3; ++i) line += to_ntriples(source.get_term(batch.columns[i][row])) + " ";
      if (graph != model::TermId::default_graph()) line += to_ntriples(source.get_term(graph)) + " ";
      lines.insert(line + ".\n");
    }
  }
  std::string text;
  for (const std::string& line : lines) text += line;
  return text;
}

struct World {
  CountingRandom random;
  std::function<reconcile::PolicyRegistry()> make_policies = policies::built_in;
  reconcile::Assignment assignment;
  std::vector<std::string> members;
};

class TestSite {
 public:
  TestSite(World& world, std::string name)
      : policies_(world.make_policies()), random_(world.random), name_(std::move(name)) {
    const reconcile::SiteIdentity identity{{name_, 1}, "test", world.members, world.assignment};
    const auto made = reconcile::SiteStore::create(directory_.path() / "site", identity, policies_, options());
    QUADRILLE_CHECK(made.ok(), "a site cannot be made");
    open();
    stability =
        std::make_unique<reconcile::Stability>(id(), std::set<std::string>(world.members.begin(), world.members.end()));
  }

  // Made of a copy of that site's store, as one that joins.
  TestSite(World& world, std::string name, uint64_t incarnation, const TestSite& source)
      : policies_(world.make_policies()), random_(world.random), name_(std::move(name)), incarnation_(incarnation) {
    adopt(source, reconcile::CopyUse::Join);
  }
  // Makes this site one of that name again, of a copy of `source`, which may be itself in an earlier life.
  void adopt(const TestSite& source, reconcile::CopyUse use) {
    base::TemporaryFile copy(directory_.path(), "copy");
    if (!source.store->write_copy(copy).ok()) throw std::runtime_error("a store cannot be copied");
    std::vector<char> bytes(copy.size());
    copy.read(0, bytes);
    store.reset();
    std::filesystem::remove_all(directory_.path() / "site");
    std::filesystem::create_directory(directory_.path() / "site");
    std::ofstream(directory_.path() / "site" / "data.mdb", std::ios::binary)
        .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    const auto adopted = reconcile::adopt_copy(directory_.path() / "site", id(), use, options());
    if (!adopted.ok()) throw std::runtime_error(adopted.error().message);
    clock.now = source.clock.now;
    open();
    stability = std::make_unique<reconcile::Stability>(id(), std::set<std::string>());
    look_at_members();
  }
  // What the sync node does when the membership has changed.
  void look_at_members() {
    const auto names = store->membership().names();
    stability->set_members({names.begin(), names.end()});
  }
  // A changeset of this site that is not an update.
  base::Result<reconcile::CommitReceipt> change(
      const std::function<base::Result<reconcile::CommitReceipt>(reconcile::WriteGroup&)>& work) {
    auto group = store->begin().value();
    auto receipt = work(*group);
    if (!receipt.ok()) return receipt;
    if (const auto committed = group->commit(); !committed.ok()) return committed.error();
    if (receipt->header.id.seq > 0) stability->on_changeset(receipt->header);
    look_at_members();
    return receipt;
  }
  base::Result<reconcile::CommitReceipt> add(const TestSite& joiner) {
    return change([&](reconcile::WriteGroup& group) {
      return group.add_member(joiner.id(), joiner.store->snapshot()->version_vector());
    });
  }
  base::Result<reconcile::CommitReceipt> evict(const std::string& name) {
    return change([&](reconcile::WriteGroup& group) { return group.evict_member(name); });
  }
  reconcile::CommitReceipt settle_membership() {
    return change([](reconcile::WriteGroup& group) { return group.settle_membership(); }).value();
  }
  void keep_log() {
    auto group = store->begin().value();
    group->keep_log_until(clock.now + 3'600'000);
    if (!group->commit().ok()) throw std::runtime_error("a log cannot be kept");
  }

  void open() {
    reconcile::SiteStoreOptions opening = options();
    opening.large_changeset_min = large_changeset_min;
    opening.conflict_bounds = conflict_bounds;
    auto opened = reconcile::SiteStore::open(directory_.path() / "site", {policies_, clock, random_}, opening);
    if (!opened.ok()) throw std::runtime_error(opened.error().message);
    store = std::move(opened).value();
  }
  void reopen() {
    store.reset();
    open();
  }
  // Changes the tables behind the site's back.
  void damage(const std::function<void(store::Store&, store::Transaction&)>& change) {
    store.reset();
    {
      store::StoreOptions raw;
      raw.environment.map_bytes = options().map_bytes;
      raw.environment.flush = false;
      auto opened = store::Store::open(directory_.path() / "site", raw);
      QUADRILLE_CHECK(opened.ok(), "a site's store is a store");
      for (const char* table : {"log.window", "log.headers", "log.operations", "log.bulk", "log.positions"})
        (*opened)->open_table(table);
      auto transaction = (*opened)->begin();
      change(**opened, *transaction);
      QUADRILLE_CHECK(transaction->commit().ok(), "a change can be committed");
    }
    open();
  }
  // Of these tables together, without the tidying up of an opening. Opens the site again.
  uint64_t rows_as_they_lie(const std::vector<std::string>& names) {
    store.reset();
    uint64_t rows = 0;
    {
      store::Environment environment(directory_.path() / "site", {.map_bytes = options().map_bytes, .flush = false});
      for (const std::string& name : names) {
        const store::Table table = environment.open_table(name);
        rows += store::ReadTransaction(environment).row_count(table);
      }
    }
    open();
    return rows;
  }
  static reconcile::SiteStoreOptions options() {
    return {.flush = false, .map_bytes = uint64_t{1} << 28, .conflict_bounds = {}};
  }
  // From now on.
  void set_large_changeset_min(uint64_t operations) {
    large_changeset_min = operations;
    reopen();
  }
  log::SiteId id() const { return {name_, incarnation_}; }

  using Work = std::function<base::Result<void>(model::QuadTarget&)>;
  base::Result<reconcile::CommitReceipt> try_update(const Work& work) {
    auto group = store->begin().value();
    auto receipt = group->update(work);
    if (!receipt.ok()) return receipt;
    const auto committed = group->commit();
    if (!committed.ok()) return committed.error();
    if (receipt->header.id.seq > 0) stability->on_changeset(receipt->header);
    return receipt;
  }
  reconcile::CommitReceipt update(const Work& work) { return try_update(work).value(); }
  reconcile::CommitReceipt insert(const std::vector<Triple>& triples) {
    return update([&](model::QuadTarget& target) -> base::Result<void> {
      for (const Triple& triple : triples) target.insert(ids_of(target, triple));
      return {};
    });
  }
  reconcile::CommitReceipt erase(const std::vector<Triple>& triples) {
    return update([&](model::QuadTarget& target) -> base::Result<void> {
      for (const Triple& triple : triples) target.erase(ids_of(target, triple));
      return {};
    });
  }
  reconcile::CommitReceipt assign(const reconcile::Assignment& assignment) {
    auto group = store->begin().value();
    auto receipt = group->assign(assignment);
    if (!receipt.ok()) throw std::runtime_error(receipt.error().message);
    if (const auto committed = group->commit(); !committed.ok()) throw std::runtime_error(committed.error().message);
    stability->on_changeset(receipt->header);
    return std::move(receipt).value();
  }
  reconcile::CommitReceipt insert(const Triple& triple) { return insert(std::vector<Triple>{triple}); }
  reconcile::CommitReceipt erase(const Triple& triple) { return erase(std::vector<Triple>{triple}); }

  bool has(const Triple& triple) const {
    const auto snapshot = store->snapshot();
    return dump(*snapshot).find(line_of(triple)) != std::string::npos;
  }
  // The values of a property, as words of term_of for integers; sorted.
  std::vector<std::string> values(const std::string& subject, const std::string& property) const {
    const auto snapshot = store->snapshot();
    std::vector<std::string> found;
    const std::string start = to_ntriples(term_of(subject)) + " " + to_ntriples(term_of(property)) + " ";
    std::string text = dump(*snapshot);
    for (size_t at = 0; at < text.size();) {
      const size_t end = text.find('\n', at);
      const std::string line = text.substr(at, end - at);
      if (line.starts_with(start)) {
        std::string object = line.substr(start.size(), line.size() - start.size() - 2);
        if (object.starts_with('"')) object = object.substr(1, object.find('"', 1) - 1);
        found.push_back(object);
      }
      at = end + 1;
    }
    return found;
  }
  std::string text() const { return dump(*store->snapshot()); }

  // What `other` wrote or took in and this site lacks, at most `count` changesets.
  reconcile::ApplyReport pull(const TestSite& other, size_t count = SIZE_MAX) {
    const auto theirs = other.store->snapshot();
    const log::VersionVector have = store->snapshot()->version_vector();
    std::vector<log::ShippedChangeset> batch;
    for (uint64_t at = theirs->first_missing(have); at <= theirs->last_position() && batch.size() < count; ++at) {
      auto changeset = theirs->changeset_at(at);
      if (!changeset.ok() && have.covers(theirs->folded_vector())) continue;  // let go: everybody has it
      if (!changeset.ok()) throw std::runtime_error(changeset.error().message);
      batch.push_back(std::move(changeset).value());
    }
    return apply(batch);
  }
  reconcile::ApplyReport apply(const std::vector<log::ShippedChangeset>& batch) {
    auto group = store->begin().value();
    auto report = group->apply(batch);
    if (!report.ok()) throw std::runtime_error(report.error().message);
    if (const auto committed = group->commit(); !committed.ok()) throw std::runtime_error(committed.error().message);
    for (const auto& header : report->applied) stability->on_changeset(header);
    look_at_members();
    return std::move(report).value();
  }
  // True: it is in.
  bool take_step(reconcile::StagedChangeset& staged) {
    const auto is_in = try_take_step(staged);
    if (!is_in.ok()) throw std::runtime_error(is_in.error().message);
    return *is_in;
  }
  base::Result<bool> try_take_step(reconcile::StagedChangeset& staged) {
    auto group = store->begin().value();
    auto report = group->apply_step(staged);
    if (!report.ok()) return report.error();
    if (const auto committed = group->commit(); !committed.ok()) throw std::runtime_error(committed.error().message);
    if (!*report) return false;
    for (const auto& header : (*report)->applied) stability->on_changeset(header);
    return true;
  }
  log::ShippedChangeset last_changeset() const {
    const auto snapshot = store->snapshot();
    return snapshot->changeset_at(snapshot->last_position()).value();
  }

  reconcile::Heartbeat heartbeat() {
    auto group = store->begin().value();
    const reconcile::Heartbeat beat{id(), ++beats_, group->tick(), group->version_vector()};
    if (const auto committed = group->commit(); !committed.ok()) throw std::runtime_error(committed.error().message);
    return beat;
  }
  void hear(const reconcile::Heartbeat& beat) { stability->on_heartbeat(beat, store->snapshot()->version_vector()); }
  reconcile::FoldReport fold(uint64_t cell_limit = 1'000'000) {
    auto group = store->begin().value();
    auto report = group->fold({stability->stable(group->version_vector()), stability->settled()}, cell_limit);
    if (!report.ok()) throw std::runtime_error(report.error().message);
    if (const auto committed = group->commit(); !committed.ok()) throw std::runtime_error(committed.error().message);
    return std::move(report).value();
  }
  // To the end of what there is to do.
  void compact() {
    while (store->compact(10'000).value()) {
    }
  }
  std::vector<reconcile::ConflictRecord> conflicts() const { return store->snapshot()->conflicts(); }

  static std::string line_of(const Triple& triple) {
    std::string line = to_ntriples(term_of(triple.subject)) + " " + to_ntriples(term_of(triple.property)) + " " +
                       to_ntriples(term_of(triple.object)) + " ";
    if (!triple.graph.empty()) line += to_ntriples(term_of(triple.graph)) + " ";
    return line + ".\n";
  }

  SetClock clock;  // this site's own: it may be wrong
  uint64_t large_changeset_min = reconcile::SiteStoreOptions().large_changeset_min;
  reconcile::ConflictBounds conflict_bounds;
  std::unique_ptr<reconcile::SiteStore> store;
  std::unique_ptr<reconcile::Stability> stability;

 private:
  reconcile::PolicyRegistry policies_;  // of its own: a wrong policy may remember things
  base::RandomSource& random_;
  std::string name_;
  uint64_t incarnation_ = 1;
  TemporaryDirectory directory_;
  uint64_t beats_ = 0;
};

// The sites ams, nyc, sgp, ... of one cluster.
class Cluster {
 public:
  explicit Cluster(size_t count, std::vector<reconcile::AssignmentRule> rules = {}, std::string quads = "add-wins")
      : Cluster(count, std::move(rules), std::move(quads), policies::built_in) {}
  Cluster(size_t count, std::vector<reconcile::AssignmentRule> rules, std::string quads,
          std::function<reconcile::PolicyRegistry()> make_policies)
      : Cluster(count, reconcile::Assignment{std::move(rules), std::move(quads)}, std::move(make_policies)) {}
  Cluster(size_t count, reconcile::Assignment assignment, std::function<reconcile::PolicyRegistry()> make_policies) {
    const std::vector<std::string> names = {"ams", "nyc", "sgp", "tyo"};
    world.make_policies = std::move(make_policies);
    world.members.assign(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(count));
    world.assignment = std::move(assignment);
    for (const std::string& name : world.members) sites.push_back(std::make_unique<TestSite>(world, name));
  }
  TestSite& operator[](size_t index) { return *sites[index]; }
  size_t size() const { return sites.size(); }

  // Everybody gets everything.
  void exchange() {
    for (size_t round = 0; round < sites.size(); ++round) {
      for (auto& to : sites) {
        for (auto& from : sites) {
          if (to != from) to->pull(*from);
        }
      }
    }
  }
  // Everybody gets everything, knows that everybody has it, folds, and removes what is of no more use.
  void quiet() {
    exchange();
    for (auto& from : sites) {
      const reconcile::Heartbeat beat = from->heartbeat();
      for (auto& to : sites) to->hear(beat);
    }
    for (auto& site : sites) {
      while (!site->fold(3).is_done) {
      }
      site->compact();
    }
  }

  World world;
  std::vector<std::unique_ptr<TestSite>> sites;
};

// Everybody gets everything, and holds the same.
inline void meet(Cluster& cluster) {
  cluster.exchange();
  for (size_t i = 1; i < cluster.size(); ++i) CHECK(cluster[i].text() == cluster[0].text());
}

// Quiet, with nothing left over, and the same on all sites; the cells hold what they held before folding.
inline void settle(Cluster& cluster) {
  const std::string before = cluster[0].text();
  cluster.quiet();
  for (auto& site : cluster.sites) {
    CHECK(site->text() == before);
    CHECK(site->store->snapshot()->window_cell_count() == 0);
    CHECK(site->conflicts() == cluster[0].conflicts());
    CHECK(site->store->verify().empty());
  }
}

inline reconcile::AssignmentRule single_value(const std::string& property, const std::string& policy) {
  return {{"*"}, {"http://e/" + property}, log::CellKind::Value, "", policy};
}

// Subjects with four properties each.
inline std::vector<Triple> many_triples(int count, int from = 0) {
  std::vector<Triple> many;
  for (int i = from; i < from + count; ++i) {
    many.push_back({"s" + std::to_string(i / 4), "p" + std::to_string(i % 4), "\"" + std::to_string(i % 100)});
  }
  return many;
}

// Of a table of the site's store, by its name.
inline uint64_t rows_of(TestSite& site, const char* name) {
  uint64_t rows = 0;
  site.damage([&](store::Store&, store::Transaction& quads) {
    rows = quads.tables().row_count(quads.tables().open_table(name));
  });
  return rows;
}

}  // namespace quadrille::test
