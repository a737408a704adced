// Blocks and delta together against a plain set of quads, while the fold moves rows from one to the other.
#include <algorithm>
#include <catch2/catch.hpp>
#include <functional>
#include <map>
#include <numeric>
#include <random>
#include <set>

#include "engine/store/quad_row.h"
#include "engine/store/run.h"
#include "tests/engine/store/store_fixture.h"

using namespace quadrille::store;
using namespace quadrille::store::testing;
using quadrille::model::ColumnSet;
using quadrille::model::Quad;
using quadrille::model::QuadOrder;
using quadrille::model::QuadSource;
using quadrille::model::TermId;
using quadrille::model::TermTag;

namespace {

std::vector<Quad> in_order(QuadOrder order, const std::set<Quad>& quads) {
  std::vector<Quad> sorted(quads.begin(), quads.end());
  std::sort(sorted.begin(), sorted.end(),
            [order](const Quad& a, const Quad& b) { return to_row(order, a) < to_row(order, b); });
  return sorted;
}

class Playground {
 public:
  explicit Playground(unsigned seed) : random_(seed) {
    const auto transaction = store_->begin();
    for (int i = 0; i < 8; ++i) predicates_.push_back(transaction->intern(iri(i)));
    commit(*transaction);
    // Wide ids, so that a few thousand quads are many blocks.
    std::uniform_int_distribution<uint64_t> number(0, uint64_t{1} << 50);
    for (int i = 0; i < 600; ++i) objects_.push_back(TermId(TermTag::Integer, number(random_)));
  }

  void play(int rounds, bool reopens) {
    for (int round = 0; round < rounds; ++round) {
      change();
      if (below(3) == 0) fold(below(6000));
      if (below(5) == 0) load_run();
      if (reopens && below(25) == 0) reopen();
      if (below(4) == 0) check(*store_->snapshot());
    }
    fold_all();
    check(*store_->snapshot());
    check_sound();
  }

  void fold_all() {
    for (bool has_more = true; has_more;) {
      const auto transaction = store_->begin();
      has_more = transaction->fold_delta(2000).delta_rows_left > 0;
      has_more = transaction->merge_runs(2000) || has_more;
      commit(*transaction);
    }
  }

  void check_sound() const { CHECK(sound(*store_).quads == quads_.size()); }

  void check(const QuadSource& source) {
    for (QuadOrder order : quadrille::model::all_quad_orders) {
      const auto expected = in_order(order, quads_);
      REQUIRE(rows_of(*source.scan(order, {}, ColumnSet::all()), 1 + below(700)) == expected);
      for (int i = 0; i < 10; ++i) check_prefix(source, order, expected);
    }
    for (int i = 0; i < 20; ++i) {
      const Quad quad = some_quad();
      REQUIRE(source.contains(quad) == quads_.contains(quad));
    }
  }

  const std::set<Quad>& quads() const { return quads_; }
  Store& store() { return *store_; }

 private:
  size_t below(size_t limit) { return random_() % limit; }

  // Every few terms are met again and again.
  TermId some_of(const std::vector<TermId>& terms) { return terms[below(below(2) == 0 ? terms.size() : 5)]; }
  Quad some_quad() {
    return {predicates_[below(8)], some_of(predicates_), some_of(objects_),
            below(3) == 0 ? predicates_[below(2)] : TermId::default_graph()};
  }

  void change() {
    const auto transaction = store_->begin();
    std::set<Quad> after = quads_;
    if (below(6) == 0) {
      std::vector<Quad> many;
      for (size_t i = below(900); i > 0; --i) many.push_back(some_quad());
      std::set<Quad> grown = after;
      grown.insert(many.begin(), many.end());
      REQUIRE(transaction->insert_all(many) == grown.size() - after.size());
      after = std::move(grown);
    }
    for (size_t i = below(120); i > 0; --i) {
      const Quad quad = some_quad();
      if (below(5) < 3) {
        REQUIRE(transaction->insert(quad) == after.insert(quad).second);
      } else {
        REQUIRE(transaction->erase(quad) == (after.erase(quad) == 1));
      }
    }
    if (below(10) == 0) transaction->fold_delta(below(3000));
    if (below(10) == 0) transaction->merge_runs(below(3000));
    if (below(8) == 0) return;  // rolled back, the fold too
    if (below(8) == 0) check_uncommitted(*transaction, after);
    commit(*transaction);
    quads_ = std::move(after);
  }

  void check_uncommitted(const QuadSource& transaction, const std::set<Quad>& after) {
    std::set<Quad> before = std::exchange(quads_, after);
    check(transaction);
    quads_ = std::move(before);
  }

  void fold(uint64_t limit) {
    const auto snapshot = store_->snapshot();
    const auto transaction = store_->begin();
    if (below(2) == 0) {
      transaction->fold_delta(limit);
    } else {
      transaction->merge_runs(limit);
    }
    if (below(4) == 0) check(*transaction);
    commit(*transaction);
    if (below(4) == 0) check(*snapshot);
  }

  // A load: built aside while others write, and switched in if nothing of it has come meanwhile.
  void load_run() {
    std::set<Quad> load;
    for (size_t i = below(2) == 0 ? below(100) : below(4000); i > 0; --i) {
      const Quad quad = some_quad();
      if (!quads_.contains(quad)) load.insert(quad);
    }
    const auto watch = store_->watch_changes(1000);
    const RunNumber run = build_run(load, [&] {
      if (below(3) == 0) change();
      if (below(6) == 0) fold(below(4000));
    });
    const bool has_clash = std::any_of(load.begin(), load.end(), [&](const Quad& q) { return quads_.contains(q); });
    if (!watch->has_too_many()) {
      std::map<Quad, bool> latest;
      for (const QuadChange& change : watch->changes()) latest[change.quad] = change.came;
      for (const auto& [quad, came] : latest) REQUIRE(quads_.contains(quad) == came);
      if (has_clash) {
        REQUIRE(std::any_of(load.begin(), load.end(), [&](const Quad& q) { return latest.contains(q); }));
      }
    }
    const auto transaction = store_->begin();
    if (has_clash || below(6) == 0) {
      transaction->drop_run(run, 300);  // the rest when the store is opened next, or never
    } else {
      StatisticsChange counts;
      for (const Quad& quad : load) counts.add(quad, 1, transaction->hasher().hash(quad));
      Transaction child(*transaction);
      child.activate_run(run, counts);
      std::set<Quad> after = quads_;
      after.insert(load.begin(), load.end());
      if (below(3) == 0) check_uncommitted(child, after);
      commit(child);
      quads_ = std::move(after);
    }
    commit(*transaction);
    REQUIRE(store_->snapshot()->quad_count() == quads_.size());
  }

  RunNumber build_run(const std::set<Quad>& load, const std::function<void()>& meanwhile) {
    RunNumber run = 0;
    {
      const auto transaction = store_->begin();
      run = transaction->start_run();
      commit(*transaction);
    }
    for (QuadOrder order : quadrille::model::all_quad_orders) {
      std::vector<QuadRow> rows;
      for (const Quad& quad : in_order(order, load)) rows.push_back(to_row(order, quad));
      RunEncoder encoder(order);
      std::vector<EncodedBlock> blocks;
      const size_t middle = below(rows.size() + 1);
      encoder.add(std::span(rows).first(middle), blocks);
      encoder.add(std::span(rows).subspan(middle), blocks);
      encoder.finish(blocks);
      meanwhile();
      const auto transaction = store_->begin();
      const size_t half = below(blocks.size() + 1);
      transaction->append_run(run, order, std::span(blocks).first(half));
      transaction->append_run(run, order, std::span(blocks).subspan(half));
      commit(*transaction);
      if (below(4) == 0) check(*store_->snapshot());
    }
    return run;
  }

  void reopen() {
    store_.reset();
    store_ = open_store(directory_.path());
  }

  void check_prefix(const QuadSource& source, QuadOrder order, const std::vector<Quad>& expected) {
    const QuadRow row =
        to_row(order, below(2) == 0 && !expected.empty() ? expected[below(expected.size())] : some_quad());
    const std::span<const TermId> prefix(row.data(), below(5));
    std::vector<Quad> matching;
    std::copy_if(expected.begin(), expected.end(), std::back_inserter(matching), [&](const Quad& quad) {
      const QuadRow other = to_row(order, quad);
      return std::equal(prefix.begin(), prefix.end(), other.begin());
    });
    REQUIRE(rows_of(*source.scan(order, prefix, ColumnSet::all()), 1 + below(50)) == matching);
    const uint64_t estimate = source.estimate_count(order, prefix);
    if (matching.empty()) {
      CHECK(estimate <= 1);
    } else {
      CHECK(estimate > 0);
      CHECK(estimate <= matching.size() + 1500);
    }
    check_skipping(source, order, prefix, matching);
  }

  void check_skipping(const QuadSource& source, QuadOrder order, std::span<const TermId> prefix,
                      const std::vector<Quad>& matching) {
    const auto scan = source.scan(order, prefix, ColumnSet::all());
    TermId ids[4];
    quadrille::model::ScanBatch batch;
    for (size_t i = 0; i < 4; ++i) batch.columns[i] = &ids[i];
    batch.capacity = 1;
    size_t at = 0;
    std::vector<TermId> only;  // the key whose rows alone are given
    for (int step = 0; step < 30; ++step) {
      if (below(2) == 0) {
        const bool is_near = at < matching.size() && below(2) == 0;
        const QuadRow target =
            to_row(order, is_near ? matching[std::min(matching.size() - 1, at + below(9))] : some_quad());
        const size_t length = below(5 - prefix.size());
        const std::span<const TermId> key(target.data() + prefix.size(), length);
        only.clear();
        if (below(2) == 0) {
          scan->skip_to(key);
        } else {
          scan->skip_to_rows_of(key);
          only.assign(key.begin(), key.end());
        }
        while (at < matching.size()) {
          const QuadRow row = to_row(order, matching[at]);
          const auto rest = row.begin() + static_cast<ptrdiff_t>(prefix.size());
          if (!std::lexicographical_compare(rest, rest + static_cast<ptrdiff_t>(length), key.begin(), key.end())) break;
          ++at;
        }
      }
      const size_t count = scan->next(batch);
      const auto is_wanted = [&](const Quad& quad) {
        const QuadRow row = to_row(order, quad);
        return std::equal(only.begin(), only.end(), row.begin() + static_cast<ptrdiff_t>(prefix.size()));
      };
      REQUIRE(count == (at < matching.size() && is_wanted(matching[at]) ? 1 : 0));
      if (count == 1) REQUIRE(Quad{ids[0], ids[1], ids[2], ids[3]} == matching[at++]);
    }
  }

  TemporaryDirectory directory_;
  std::unique_ptr<Store> store_ = make_store(directory_.path());
  std::mt19937_64 random_;
  std::vector<TermId> predicates_;
  std::vector<TermId> objects_;
  std::set<Quad> quads_;
};

}  // namespace

TEST_CASE("random writes, loads, folds, merges, rollbacks and reopenings leave what a plain set of quads would hold") {
  for (unsigned seed = 1; seed <= 3; ++seed) {
    INFO("seed " << seed);
    Playground(seed).play(80, true);
  }
}

TEST_CASE("a run that was not switched in is gone when the store is opened next") {
  TemporaryDirectory directory;
  auto store = make_store(directory.path());
  std::vector<EncodedBlock> blocks;
  std::vector<QuadRow> rows;
  for (uint64_t i = 1; i < 3000; ++i) rows.push_back({TermId(i * 977), TermId(7), TermId(i * i * 977), TermId(1)});
  RunEncoder encoder(QuadOrder::Spog);
  encoder.add(rows, blocks);
  encoder.finish(blocks);
  CHECK(std::accumulate(blocks.begin(), blocks.end(), size_t{0},
                        [](size_t sum, const EncodedBlock& block) { return sum + block.rows; }) == rows.size());
  {
    const auto transaction = store->begin();
    const RunNumber run = transaction->start_run();
    transaction->append_run(run, QuadOrder::Spog, blocks);
    commit(*transaction);
    const auto second = store->begin();
    CHECK_FALSE(second->drop_run(run, 600));
    commit(*second);
  }
  CHECK(all_rows(*store->snapshot()).empty());
  const auto block_count = [&] {
    return store->snapshot()->tables().row_count(store->format().quads.blocks_of(QuadOrder::Spog));
  };
  CHECK(block_count() > 0);
  CHECK(block_count() < blocks.size());
  store.reset();
  store = open_store(directory.path());
  CHECK(block_count() == 0);
}

TEST_CASE("a run switched in to an empty store is its base, and small runs are merged when there are several") {
  TemporaryDirectory directory;
  const auto store = make_store(directory.path());
  uint64_t quads = 0;
  const auto load = [&](uint64_t first, uint64_t count) {
    const auto transaction = store->begin();
    const TermId subject = transaction->intern(iri(1)), predicate = transaction->intern(iri(2));
    const RunNumber run = transaction->start_run();
    StatisticsChange counts;
    std::array<std::vector<QuadRow>, 4> rows;
    for (uint64_t i = first; i < first + count; ++i) {
      const Quad quad{subject, predicate, TermId(TermTag::Integer, i), TermId::default_graph()};
      counts.add(quad, 1, transaction->hasher().hash(quad));
      for (QuadOrder order : quadrille::model::all_quad_orders) {
        rows[static_cast<size_t>(order)].push_back(to_row(order, quad));
      }
    }
    for (QuadOrder order : quadrille::model::all_quad_orders) {
      std::vector<EncodedBlock> blocks;
      RunEncoder encoder(order);
      encoder.add(rows[static_cast<size_t>(order)], blocks);
      encoder.finish(blocks);
      transaction->append_run(run, order, blocks);
    }
    transaction->activate_run(run, counts);
    commit(*transaction);
    quads += count;
    CHECK(all_rows(*store->snapshot()).size() == quads);
  };
  load(0, 50'000);
  CHECK_FALSE(store->begin()->wants_merge());
  for (uint64_t i = 0; i < 4; ++i) load(1'000'000 * (i + 1), 100 + i);
  CHECK_FALSE(store->begin()->wants_merge());
  load(9'000'000, 50);
  CHECK(store->begin()->wants_merge());
  int steps = 0;
  for (bool has_more = true; has_more; ++steps) {
    const auto transaction = store->begin();
    has_more = transaction->compact(400);
    commit(*transaction);
    CHECK(all_rows(*store->snapshot()).size() == quads);
  }
  CHECK(steps > 1);
  CHECK(steps < 10);  // the base was left alone
  load(20'000'000, 20'000);
  steps = 0;
  for (bool has_more = true; has_more; ++steps) {
    const auto transaction = store->begin();
    has_more = transaction->compact(10'000);
    commit(*transaction);
  }
  CHECK(all_rows(*store->snapshot()).size() == quads);
  CHECK(verify(*store).value().findings == std::vector<std::string>{});
}

TEST_CASE("the folds of terms and of quads take turns while both have work") {
  TemporaryDirectory directory;
  const auto store = make_store(directory.path());
  {
    const auto transaction = store->begin();
    std::vector<Quad> quads;
    const TermId predicate = transaction->intern(iri(0));
    for (int i = 0; i < 40'000; ++i) {
      const TermId subject = transaction->intern(iri(i));
      quads.push_back({subject, predicate, subject, TermId::default_graph()});
    }
    transaction->insert(quads.front());  // so that the others are not the first of a new store
    transaction->insert_all(std::move(quads));
    commit(*transaction);
  }
  const auto& format = store->format();
  const auto new_terms = [&] { return store->snapshot()->tables().row_count(format.dictionary.new_terms); };
  const auto new_pairs = [&] { return store->snapshot()->tables().row_count(format.dictionary.new_hashes); };
  const uint64_t terms_before = new_terms() + new_pairs();
  const uint64_t rows_before = store->begin()->delta_rows();
  for (int step = 0; step < 2; ++step) {
    const auto transaction = store->begin();
    REQUIRE(transaction->wants_term_fold());
    REQUIRE(transaction->wants_fold());
    transaction->compact(4096);
    commit(*transaction);
  }
  CHECK(new_terms() + new_pairs() < terms_before);
  CHECK(store->begin()->delta_rows() < rows_before);
}

TEST_CASE("a reader that stays open across folds sees its quads unchanged") {
  Playground playground(7);
  playground.play(10, false);
  const auto before = playground.store().snapshot();
  const std::vector<Quad> quads = all_rows(*before, QuadOrder::Ospg);
  const auto scan = before->scan(QuadOrder::Ospg, {}, ColumnSet::all());
  playground.play(30, false);
  CHECK(rows_of(*scan) == quads);
  CHECK(all_rows(*before, QuadOrder::Ospg) == quads);
}

TEST_CASE("a scan that is open across a fold goes on where it was") {
  TemporaryDirectory directory;
  const auto store = make_store(directory.path());
  const auto transaction = store->begin();
  for (int i = 0; i < 500; ++i) transaction->insert(quad(*transaction, i, 1000 + i % 7, i * 31));
  const auto expected = all_rows(*transaction);
  const auto scan = transaction->scan(QuadOrder::Spog, {}, ColumnSet::all());
  std::vector<TermId> column(100);
  quadrille::model::ScanBatch batch;
  for (auto& out : batch.columns) out = column.data();
  batch.capacity = 100;
  CHECK(scan->next(batch) == 100);
  transaction->fold_delta(100'000);
  CHECK(transaction->delta_rows() == 0);
  CHECK(rows_of(*scan) == std::vector<Quad>(expected.begin() + 100, expected.end()));
}

TEST_CASE("a fold is made in steps, and blocks that were emptied or split do not linger") {
  TemporaryDirectory directory;
  const auto store = make_store(directory.path());
  const auto transaction = store->begin();
  const auto number = [](uint64_t i) { return TermId(TermTag::Integer, i * 0x9E3779B97F4A7C15u >> 14); };
  const TermId predicate = transaction->intern(iri(1)), subject = transaction->intern(iri(2));
  std::vector<Quad> quads;
  for (uint64_t i = 0; i < 20'000; ++i) quads.push_back({subject, predicate, number(i), TermId::default_graph()});
  transaction->insert_all(quads);
  CHECK(transaction->delta_rows() == 0);  // into an empty store blocks are written at once
  const auto blocks = [&] { return transaction->tables().row_count(store->format().quads.blocks_of(QuadOrder::Spog)); };
  const uint64_t full = blocks();
  CHECK(full > 30);
  for (size_t i = 0; i < quads.size(); ++i) {
    if (i % 20 != 0) transaction->erase(quads[i]);
  }
  int steps = 0;
  while (transaction->delta_rows() > 0) {
    const FoldProgress progress = transaction->fold_delta(4000);
    CHECK(progress.rows_written < 8000);
    ++steps;
  }
  CHECK(steps > 2);
  CHECK(blocks() < full / 5);
  CHECK(all_rows(*transaction).size() == 1000);
  for (const Quad& q : quads) transaction->erase(q);
  while (transaction->delta_rows() > 0) transaction->fold_delta(4000);
  CHECK(blocks() == 0);
  CHECK(all_rows(*transaction).empty());
}

TEST_CASE("a fold that rewrites block after block leaves full pages") {
  TemporaryDirectory directory;
  const auto store = make_store(directory.path());
  const auto transaction = store->begin();
  const auto number = [](uint64_t i) { return TermId(TermTag::Integer, i * 0x9E3779B97F4A7C15u >> 14); };
  const TermId predicate = transaction->intern(iri(1)), subject = transaction->intern(iri(2));
  for (uint64_t i = 0; i < 40'000; ++i) transaction->insert({subject, predicate, number(i), TermId::default_graph()});
  while (transaction->delta_rows() > 0) transaction->fold_delta(2400);
  const auto& table = store->format().quads.blocks_of(QuadOrder::Spog);
  const uint64_t pages = transaction->tables().byte_count(table) / 4096;
  CHECK(transaction->tables().row_count(table) > 100);
  CHECK(static_cast<double>(transaction->tables().row_count(table)) / static_cast<double>(pages) > 3.5);  // of 4
}

TEST_CASE("a damaged block is named by verify and refused by scans") {
  TemporaryDirectory directory;
  const auto store = make_store(directory.path());
  {
    const auto transaction = store->begin();
    for (int i = 0; i < 500; ++i) transaction->insert(quad(*transaction, i, 1000 + i % 7, i * 31));
    transaction->fold_delta(100'000);
    commit(*transaction);
  }
  for (QuadOrder order : quadrille::model::all_quad_orders) {
    const Table& table = store->format().quads.blocks_of(order);
    const auto transaction = store->begin();
    std::string key, value;
    {
      Cursor cursor(transaction->tables(), table);
      REQUIRE(cursor.first());
      key = cursor.key();
      value = cursor.value();
    }
    std::string damaged = value;
    damaged[damaged.size() / 2] = static_cast<char>(damaged[damaged.size() / 2] ^ 4);
    transaction->tables().put(table, key, damaged);
    CHECK_THROWS_AS(all_rows(*transaction, order), quadrille::base::StorageError);
    commit(*transaction);
    const auto result = verify(*store);
    REQUIRE(result.ok());
    REQUIRE(result.value().findings.size() == 1);
    CHECK(result.value().findings[0].find("table " + table.name() + ": the block 0") == 0);
    const auto repair = store->begin();
    repair->tables().put(table, key, value);
    commit(*repair);
  }
  CHECK(verify(*store).value().is_sound());
}
