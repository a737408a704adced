#include "engine/store/store.h"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <catch2/catch.hpp>
#include <fstream>
#include <thread>

#include "tests/engine/store/store_fixture.h"

using namespace quadrille::store;
using namespace quadrille::store::testing;
using quadrille::base::ErrorKind;
using quadrille::model::ColumnSet;
using quadrille::model::Quad;
using quadrille::model::QuadOrder;
using quadrille::model::Term;
using quadrille::model::TermId;

TEST_CASE("what is committed is there after opening again, what is not is not") {
  TemporaryDirectory directory;
  Quad kept, dropped;
  {
    auto store = make_store(directory.path());
    {
      auto transaction = store->begin();
      kept = quad(*transaction, 1, 2, 3);
      CHECK(transaction->insert(kept));
      CHECK_FALSE(transaction->insert(kept));
      transaction->set_metadata("site", "ams");
      commit(*transaction);
    }
    auto transaction = store->begin();
    dropped = quad(*transaction, 4, 5, 6);
    CHECK(transaction->insert(dropped));
  }
  auto store = open_store(directory.path());
  const auto snapshot = store->snapshot();
  CHECK(snapshot->contains(kept));
  CHECK_FALSE(snapshot->contains(dropped));
  CHECK(snapshot->find_term(iri(4)) == std::nullopt);
  CHECK(snapshot->get_term(kept.object) == iri(3));
  CHECK(snapshot->metadata("site") == "ams");
  CHECK(snapshot->metadata("other") == std::nullopt);
}

TEST_CASE("a snapshot stays as it was while others commit") {
  TemporaryDirectory directory;
  auto store = make_store(directory.path());
  Quad first, second;
  {
    auto transaction = store->begin();
    first = quad(*transaction, 1, 2, 3);
    transaction->insert(first);
    commit(*transaction);
  }
  const auto before = store->snapshot();
  {
    auto transaction = store->begin();
    second = quad(*transaction, 1, 2, 4);
    transaction->erase(first);
    transaction->insert(second);
    CHECK(transaction->contains(second));
    CHECK(before->contains(first));
    commit(*transaction);
  }
  CHECK(all_rows(*before) == std::vector<Quad>{first});
  CHECK(all_rows(*store->snapshot()) == std::vector<Quad>{second});
}

TEST_CASE("twins of a snapshot see its state on other threads, whatever is committed before and after") {
  TemporaryDirectory directory;
  auto store = make_store(directory.path());
  // Commits come without a pause while twins are made; each has one quad more.
  std::atomic<bool> stop{false};
  std::thread writer([&] {
    for (int number = 1; !stop; ++number) {
      auto transaction = store->begin();
      transaction->insert(quad(*transaction, number, 2, 3));
      if (!transaction->commit().ok()) return;
    }
  });
  size_t twins = 0;
  for (int round = 0; round < 200; ++round) {
    const auto snapshot = store->snapshot(3);
    const auto rows = all_rows(*snapshot);
    std::vector<std::unique_ptr<quadrille::model::QuadSource>> others;
    while (auto twin = snapshot->make_twin()) others.push_back(std::move(twin));
    CHECK(others.size() <= 2);
    twins += others.size();
    std::vector<std::vector<Quad>> seen(others.size());
    std::vector<std::thread> readers;
    for (size_t i = 0; i < others.size(); ++i) {
      readers.emplace_back([&, i] { seen[i] = all_rows(*others[i]); });
    }
    for (std::thread& reader : readers) reader.join();
    for (const auto& found : seen) CHECK((found == rows));
  }
  stop = true;
  writer.join();
  CHECK(twins > 0);
  CHECK(store->snapshot()->make_twin() == nullptr);
}

TEST_CASE("a child transaction is rolled back alone, and becomes part of its parent when committed") {
  TemporaryDirectory directory;
  auto store = make_store(directory.path());
  auto group = store->begin();
  const Quad first = quad(*group, 1, 2, 3);
  group->insert(first);
  Quad second, third;
  {
    Transaction child(*group);
    second = quad(child, 10, 20, 30);
    child.insert(second);
    CHECK(child.erase(first));
    CHECK(child.quad_count() == 1);
  }
  CHECK(group->contains(first));
  CHECK_FALSE(group->contains(second));
  {
    Transaction child(*group);
    third = quad(child, 11, 21, 31);
    child.insert(third);
    commit(child);
  }
  CHECK(group->quad_count() == 2);
  commit(*group);
  group.reset();
  const auto snapshot = store->snapshot();
  CHECK(snapshot->contains(third));
  CHECK(snapshot->find_term(iri(10)) == std::nullopt);
  CHECK(snapshot->quad_count() == 2);
  CHECK(third.subject != second.subject);  // an id that was rolled back is not given again
}

TEST_CASE("each order gives the same quads, in its own sequence") {
  TemporaryDirectory directory;
  auto store = make_store(directory.path());
  std::vector<Quad> expected;
  {
    auto transaction = store->begin();
    for (int i = 0; i < 300; ++i) {
      Quad q = quad(*transaction, i % 7, i % 5, i % 11);
      if (i % 3 == 0) q.graph = transaction->intern(iri(1000 + i % 2));
      if (transaction->insert(q)) expected.push_back(q);
    }
    commit(*transaction);
  }
  const auto snapshot = store->snapshot();
  for (QuadOrder order : quadrille::model::all_quad_orders) {
    std::sort(expected.begin(), expected.end(),
              [order](const Quad& a, const Quad& b) { return to_row(order, a) < to_row(order, b); });
    CHECK(all_rows(*snapshot, order) == expected);
    for (size_t length = 1; length <= 4; ++length) {
      const QuadRow row = to_row(order, expected[expected.size() / 2]);
      const std::span<const TermId> prefix(row.data(), length);
      std::vector<Quad> matching;
      std::copy_if(expected.begin(), expected.end(), std::back_inserter(matching), [&](const Quad& q) {
        const QuadRow other = to_row(order, q);
        return std::equal(prefix.begin(), prefix.end(), other.begin());
      });
      CHECK(rows_of(*snapshot->scan(order, prefix, ColumnSet::all())) == matching);
      CHECK(snapshot->estimate_count(order, prefix) == matching.size());
    }
  }
}

TEST_CASE("a scan skips forward and never back") {
  TemporaryDirectory directory;
  auto store = make_store(directory.path());
  const auto transaction = store->begin();
  const TermId subject = transaction->intern(Term::iri("http://e/s"));
  const TermId predicate = transaction->intern(Term::iri("http://e/p"));
  const auto object = [](uint64_t number) { return TermId(quadrille::model::TermTag::Integer, number); };
  for (uint64_t i = 0; i < 100; ++i) transaction->insert({subject, predicate, object(i * 2), TermId::default_graph()});
  const TermId prefix[] = {subject, predicate};
  const auto scan = transaction->scan(QuadOrder::Spog, prefix, ColumnSet().with(quadrille::model::Column::Object));
  TermId out;
  quadrille::model::ScanBatch batch;
  batch.columns[2] = &out;
  batch.capacity = 1;
  const auto next = [&] { return scan->next(batch) == 1 ? out.payload() : 9999; };
  const auto skip = [&](uint64_t number) {
    const TermId key[] = {object(number)};
    scan->skip_to(key);
  };
  CHECK(next() == 0);
  skip(3);
  CHECK(next() == 4);
  skip(2);
  CHECK(next() == 6);
  skip(151);
  CHECK(next() == 152);
  skip(1000);
  CHECK(next() == 9999);
  skip(0);
  CHECK(next() == 9999);
}

TEST_CASE("a scan that is open across writes goes on over the quads as they then are") {
  TemporaryDirectory directory;
  auto store = make_store(directory.path());
  auto transaction = store->begin();
  for (int i = 0; i < 100; ++i) transaction->insert(quad(*transaction, i, 1000, 1001));
  const std::vector<Quad> before = all_rows(*transaction);
  {
    const auto scan = transaction->scan(QuadOrder::Spog, {}, ColumnSet::all());
    std::vector<TermId> column(10);
    quadrille::model::ScanBatch batch;
    for (auto& out : batch.columns) out = column.data();
    batch.capacity = 10;
    CHECK(scan->next(batch) == 10);
    for (const Quad& q : before) {
      if (q != before[50]) transaction->erase(q);
    }
    CHECK(rows_of(*scan) == std::vector<Quad>{before[50]});
  }
  commit(*transaction);
}

TEST_CASE("inserting many at once is the same as one by one") {
  TemporaryDirectory directory;
  auto store = make_store(directory.path());
  {
    auto transaction = store->begin();
    const TermId predicate = transaction->intern(iri(1));
    const auto number = [](uint64_t i) { return TermId(quadrille::model::TermTag::Integer, i * 7919 % 5003); };
    std::vector<Quad> quads;
    for (uint64_t i = 0; i < 1000; ++i) quads.push_back({number(i), predicate, number(i + 1), TermId::default_graph()});
    quads.push_back(quads.front());
    CHECK(transaction->insert_all(quads) == 1000);
    for (uint64_t i = 1000; i < 3000; ++i) {
      quads.push_back({number(i), predicate, number(i + 1), TermId::default_graph()});
    }
    CHECK(transaction->insert_all(quads) == 2000);
    CHECK(transaction->quad_count() == 3000);
    commit(*transaction);
  }
  const auto snapshot = store->snapshot();
  for (QuadOrder order : quadrille::model::all_quad_orders) CHECK(all_rows(*snapshot, order).size() == 3000);
}

TEST_CASE("counts are exact by predicate and by graph, and estimates stay near the truth") {
  TemporaryDirectory directory;
  auto store = make_store(directory.path());
  auto transaction = store->begin();
  const TermId type = transaction->intern(iri(1)), common = transaction->intern(iri(2));
  std::vector<Quad> quads;
  for (int i = 0; i < 20'000; ++i) {
    const TermId subject = transaction->intern(iri(10'000 + i));
    quads.push_back({subject, type, common, TermId::default_graph()});
    quads.push_back({subject, transaction->intern(iri(3 + i % 2)), subject, TermId::default_graph()});
  }
  transaction->insert_all(quads);
  const TermId predicate[] = {type};
  CHECK(transaction->estimate_count(QuadOrder::Posg, predicate) == 20'000);
  const TermId graph[] = {TermId::default_graph()};
  CHECK(transaction->estimate_count(QuadOrder::Gspo, graph) == 40'000);
  CHECK(transaction->estimate_count(QuadOrder::Spog, {}) == 40'000);
  const TermId pair[] = {type, common};
  const uint64_t estimate = transaction->estimate_count(QuadOrder::Posg, pair);
  CHECK(estimate > 10'000);
  CHECK(estimate <= 20'000);
  const TermId missing[] = {common, common};
  CHECK(transaction->estimate_count(QuadOrder::Posg, missing) == 0);
  transaction->erase(quads[0]);
  CHECK(transaction->estimate_count(QuadOrder::Posg, predicate) == 19'999);
}

TEST_CASE("a second opening is refused, in this process and in another one") {
  TemporaryDirectory directory;
  const auto store = make_store(directory.path());
  const auto again = Store::open(directory.path(), quick_options());
  REQUIRE_FALSE(again.ok());
  CHECK(again.error().kind == ErrorKind::Busy);
  CHECK(again.error().message.find("in use by this process") != std::string::npos);
  const pid_t child = ::fork();
  if (child == 0) {
    const auto other = Store::open(directory.path(), quick_options());
    const bool named = !other.ok() && other.error().message.find(std::to_string(::getppid())) != std::string::npos;
    ::_exit(named && other.error().kind == ErrorKind::Busy ? 0 : 1);
  }
  int status = -1;
  ::waitpid(child, &status, 0);
  CHECK(status == 0);
}

TEST_CASE("what is no store, and a store of another format, is refused by name") {
  TemporaryDirectory directory;
  const auto kind_of = [](const auto& result) { return result.ok() ? ErrorKind::InvalidInput : result.error().kind; };
  CHECK(kind_of(Store::open(directory.path() / "absent", quick_options())) == ErrorKind::NotFound);
  CHECK(kind_of(Store::open(directory.path(), quick_options())) == ErrorKind::NotFound);
  std::ofstream(directory.path() / "data.mdb") << std::string(20'000, 'x');
  CHECK_FALSE(Store::open(directory.path(), quick_options()).ok());
  std::filesystem::remove(directory.path() / "data.mdb");
  {
    Environment environment(directory.path(), quick_options().environment);
    const Table metadata = environment.open_table("metadata");
    WriteTransaction transaction(environment);
    transaction.put(metadata, "format", "quadrille store 99");
    transaction.commit();
  }
  const auto other_version = Store::open(directory.path(), quick_options());
  CHECK(kind_of(other_version) == ErrorKind::Mismatch);
  CHECK(other_version.error().message.find("quadrille store 99") != std::string::npos);
  CHECK(kind_of(Store::create(directory.path(), quick_options())) == ErrorKind::Refused);
}

TEST_CASE("a creation that is cut off leaves no store, and can be repeated") {
  TemporaryDirectory directory;
  const auto failed = Store::create(directory.path(), quick_options(), [](Transaction& transaction) {
    transaction.insert(quad(transaction, 1, 2, 3));
    throw quadrille::base::StorageError({ErrorKind::IoFailure, "cut off", {}});
  });
  REQUIRE_FALSE(failed.ok());
  CHECK_FALSE(Store::open(directory.path(), quick_options()).ok());
  const auto created = Store::create(directory.path(), quick_options(), [](Transaction& transaction) {
    transaction.set_metadata("site", "ams");
    transaction.insert(quad(transaction, 1, 2, 3));
  });
  REQUIRE(created.ok());
  CHECK(created.value()->snapshot()->metadata("site") == "ams");
  CHECK(created.value()->snapshot()->quad_count() == 1);
}

TEST_CASE("a full store refuses a write with a clear error and goes on") {
  TemporaryDirectory directory;
  StoreOptions options = quick_options();
  options.environment.map_bytes = 1 << 20;
  auto store = make_store(directory.path(), options);
  const auto fill = [&](int count) {
    return quadrille::base::catch_storage_error([&]() -> quadrille::base::Result<void> {
      auto transaction = store->begin();
      for (int i = 0; i < count; ++i) transaction->insert(quad(*transaction, i, 1, 2));
      return transaction->commit();
    });
  };
  CHECK(fill(100).ok());
  const auto full = fill(100'000);
  REQUIRE_FALSE(full.ok());
  CHECK(full.error().kind == ErrorKind::ResourceExhausted);
  CHECK(full.error().message.find("data.mdb") != std::string::npos);
  CHECK(store->snapshot()->quad_count() == 100);
  CHECK(fill(200).ok());
  CHECK(store->snapshot()->quad_count() == 200);
}

TEST_CASE("a request of a group that fills the store up takes nothing else of the group with it") {
  TemporaryDirectory directory;
  StoreOptions options = quick_options();
  options.environment.map_bytes = 1 << 20;
  auto store = make_store(directory.path(), options);
  {
    auto group = store->begin();
    const Quad first = quad(*group, 1, 2, 3);
    group->insert(first);
    const auto failed = quadrille::base::catch_storage_error([&]() -> quadrille::base::Result<void> {
      Transaction child(*group);
      for (int i = 0; i < 100'000; ++i) child.insert(quad(child, i, 1, 2));
      return child.commit();
    });
    REQUIRE_FALSE(failed.ok());
    CHECK(failed.error().kind == ErrorKind::ResourceExhausted);
    group->insert(quad(*group, 4, 5, 6));
    commit(*group);
  }
  CHECK(store->snapshot()->quad_count() == 2);
}

TEST_CASE("tables of other rooms commit and roll back with the quads") {
  TemporaryDirectory directory;
  auto store = make_store(directory.path());
  const Table entries = store->open_table("log.entries");
  {
    auto transaction = store->begin();
    transaction->insert(quad(*transaction, 1, 2, 3));
    transaction->tables().put(entries, "1", "first");
    commit(*transaction);
  }
  {
    auto transaction = store->begin();
    Transaction child(*transaction);
    child.tables().put(entries, "2", "second");
  }
  const auto snapshot = store->snapshot();
  CHECK(snapshot->tables().get(entries, "1") == "first");
  CHECK(snapshot->tables().get(entries, "2") == std::nullopt);
}

TEST_CASE("readers on many threads see whole transactions only while a writer goes on") {
  TemporaryDirectory directory;
  auto store = make_store(directory.path());
  std::atomic<bool> stop{false};
  std::atomic<int> torn{0}, reads{0};
  std::vector<std::thread> readers;
  for (int i = 0; i < 4; ++i) {
    readers.emplace_back([&] {
      while (!stop) {
        const auto snapshot = store->snapshot();
        const size_t seen = all_rows(*snapshot).size();
        if (seen % 10 != 0 || seen != snapshot->quad_count()) ++torn;
        ++reads;
      }
    });
  }
  for (int i = 0; i < 50 || reads < 50; ++i) {
    auto transaction = store->begin();
    for (int k = 0; k < 10; ++k) {
      const Quad q = quad(*transaction, i % 20 * 10 + k, 1, 2);
      i / 20 % 2 == 0 ? transaction->insert(q) : transaction->erase(q);
    }
    commit(*transaction);
  }
  stop = true;
  for (auto& reader : readers) reader.join();
  CHECK(torn == 0);
}
