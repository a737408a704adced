#include "engine/store/verify.h"

#include <catch2/catch.hpp>
#include <functional>

#include "engine/store/digest.h"
#include "tests/engine/store/store_fixture.h"

using namespace quadrille::store;
using namespace quadrille::store::testing;
using quadrille::model::Quad;
using quadrille::model::QuadOrder;
using quadrille::model::TermId;

namespace {

std::unique_ptr<Store> some_store(const std::filesystem::path& path) {
  auto store = make_store(path);
  auto transaction = store->begin();
  for (int i = 0; i < 50; ++i) {
    Quad q = quad(*transaction, i, i % 3, i * 7);
    if (i % 2 == 0) q.graph = transaction->intern(iri(1));
    transaction->insert(q);
  }
  commit(*transaction);
  return store;
}

Verification verified(const Store& store) {
  auto result = verify(store);
  if (!result.ok()) FAIL(result.error().message);
  return std::move(result).value();
}

// The findings after `damage` was done to the tables.
template <class Damage>
std::string findings_after(Damage damage) {
  TemporaryDirectory directory;
  const auto store = some_store(directory.path());
  {
    auto transaction = store->begin();
    damage(transaction->tables(), store->format(), all_rows(*transaction)[7]);
    commit(*transaction);
  }
  std::string text;
  for (const auto& finding : verified(*store).findings) text += finding + "\n";
  return text;
}

}  // namespace

TEST_CASE("a sound store has no findings") {
  TemporaryDirectory directory;
  const auto store = some_store(directory.path());
  const Verification result = verified(*store);
  CHECK(result.is_sound());
  CHECK(result.quads == 50);
  CHECK(result.terms == store->snapshot()->tables().row_count(store->format().dictionary.new_terms));
}

TEST_CASE("each kind of damage is found, with the table's name") {
  const auto key = [](QuadOrder order, const Quad& q) { return std::string(QuadKey(to_row(order, q)).view()); };
  for (QuadOrder order : quadrille::model::all_quad_orders) {
    const auto findings = findings_after([&](WriteTransaction& writing, const StoreTables& tables, const Quad& q) {
      writing.erase(tables.quads.delta_of(order), key(order, q));
    });
    INFO(name_of(order));
    CHECK(findings.find(order == QuadOrder::Spog ? "SPOG lacks" : "has 49 quads; SPOG has 50") != std::string::npos);
  }
  const auto without_term = findings_after([](WriteTransaction& writing, const StoreTables& tables, const Quad& q) {
    std::string number(8, '\0');
    number[7] = static_cast<char>(q.subject.payload());
    REQUIRE(writing.erase(tables.dictionary.new_terms, number));
  });
  CHECK(without_term.find("table quads.spog: the quad") != std::string::npos);
  CHECK(without_term.find("table hashes.new: names the term") != std::string::npos);
  const auto changed_term = findings_after([](WriteTransaction& writing, const StoreTables& tables, const Quad& q) {
    std::string number(8, '\0');
    number[7] = static_cast<char>(q.subject.payload());
    writing.put(tables.dictionary.new_terms, number, std::string("\0urn:other", 10));
  });
  CHECK(changed_term.find("is not found by its text") != std::string::npos);
  const auto without_counts = findings_after(
      [](WriteTransaction& writing, const StoreTables& tables, const Quad&) { writing.clear(tables.statistics); });
  CHECK(without_counts.find("counts 0 quads in all; there are 50") != std::string::npos);
  CHECK(without_counts.find("has no count by graph") != std::string::npos);
  CHECK(without_counts.find("has no count by predicate") != std::string::npos);
}

namespace {

// A store with terms in all tables of the dictionary.
std::unique_ptr<Store> store_with_terms(const std::filesystem::path& path) {
  auto store = make_store(path);
  std::vector<quadrille::model::Term> terms;
  for (int i = 0; i < 20'000; ++i) {
    std::string text = "the text of the term " + std::to_string(i);
    for (int k = 1; k < 8; ++k) text += " word" + std::to_string(i * k % 499);
    terms.push_back(quadrille::model::Term::literal(text));
  }
  terms.push_back(quadrille::model::Term::literal(std::string(600'000, 'l')));
  auto transaction = store->begin();
  transaction->intern_all(terms);
  while (transaction->fold_terms()) {
  }
  for (int i = 0; i < 100; ++i) transaction->intern(iri(i));
  commit(*transaction);
  return store;
}

using Row = std::pair<std::string, std::string>;

std::vector<Row> rows_of(const Store& store, const Table& table) {
  const auto snapshot = store.snapshot();
  std::vector<Row> rows;
  Cursor cursor(snapshot->tables(), table);
  for (bool at_row = cursor.first(); at_row; at_row = cursor.next()) rows.emplace_back(cursor.key(), cursor.value());
  return rows;
}

std::string findings_of(const Store& store) {
  std::string text;
  for (const auto& finding : verified(store).findings) text += finding + "\n";
  return text;
}

}  // namespace

TEST_CASE("a flipped byte of a row of the dictionary is found, with table and key") {
  TemporaryDirectory directory;
  auto store = store_with_terms(directory.path());
  CHECK(findings_of(*store).empty());
  const auto tables = store->format().dictionary;  // the store is opened anew in between
  for (const Table* table : {&tables.blocks, &tables.new_terms, &tables.large, &tables.hashes, &tables.phrases}) {
    const auto [key, value] = rows_of(*store, *table).back();
    const auto put = [&](const std::string& bytes) {
      auto transaction = store->begin();
      transaction->tables().put(*table, key, bytes);
      commit(*transaction);
    };
    for (size_t i = 1; i < 8; ++i) {
      std::string damaged = value;
      char& byte = damaged[value.size() * i / 8];
      byte = static_cast<char>(byte ^ 0x10);
      put(damaged);
      store.reset();
      store = open_store(directory.path());  // nothing is remembered of how it was
      INFO(table->name() << " " << i);
      CHECK(findings_of(*store).find("table " + table->name() + ": ") != std::string::npos);
    }
    put(value);
    store.reset();
    store = open_store(directory.path());
    CHECK(findings_of(*store).empty());
  }
}

TEST_CASE("a flipped byte of a key of the dictionary is found") {
  TemporaryDirectory directory;
  auto store = store_with_terms(directory.path());
  const auto tables = store->format().dictionary;
  for (const Table* table :
       {&tables.blocks, &tables.new_terms, &tables.large, &tables.hashes, &tables.new_hashes, &tables.phrases}) {
    const auto [key, value] = rows_of(*store, *table).back();
    const auto move = [&](const std::string& from, const std::string& to) {
      auto transaction = store->begin();
      REQUIRE(transaction->tables().erase(*table, from));
      transaction->tables().put(*table, to, value);
      commit(*transaction);
      transaction.reset();
      store.reset();
      store = open_store(directory.path());
    };
    // When phrases were trained only says which of several are the newest.
    for (size_t i = table == &tables.phrases ? 8 : 0; i < key.size(); ++i) {
      std::string damaged = key;
      damaged[i] = static_cast<char>(damaged[i] ^ 0x10);
      move(key, damaged);
      INFO(table->name() << " " << i);
      CHECK_FALSE(findings_of(*store).empty());
      move(damaged, key);
    }
    CHECK(findings_of(*store).empty());
  }
}

TEST_CASE("a flipped byte of the store's own numbers is told when the store is opened, or verified") {
  TemporaryDirectory directory;
  auto store = store_with_terms(directory.path());
  const std::vector<Row> rows = rows_of(*store, store->format().metadata);
  REQUIRE(rows.size() >= 3);
  const auto put = [&](const std::string& key, const std::string& bytes) {
    Environment environment(directory.path(), {});
    WriteTransaction writing(environment);
    writing.put(*writing.find_table("metadata"), key, bytes);
    writing.commit();
  };
  const auto problem = [&]() -> std::string {
    auto opened = Store::open(directory.path());
    if (!opened.ok()) return opened.error().message;
    const auto verification = verify(*opened.value());
    if (!verification.ok()) return verification.error().message;
    return verification.value().is_sound() ? "" : verification.value().findings.front();
  };
  store.reset();
  for (const auto& [key, value] : rows) {
    for (size_t i = 0; i < value.size(); ++i) {
      std::string damaged = value;
      damaged[i] = static_cast<char>(damaged[i] ^ 0x40);
      put(key, damaged);
      INFO(key << " " << i);
      CHECK(problem().find(key == "format" ? "has the format" : "table metadata") != std::string::npos);
    }
    put(key, value);
  }
  CHECK(problem().empty());
}

TEST_CASE("a term that stands twice, or that the index does not find or finds without need, is found") {
  TemporaryDirectory directory;
  const auto store = store_with_terms(directory.path());
  const auto& tables = store->format().dictionary;
  const auto findings_with = [&](const std::function<void(WriteTransaction&)>& damage,
                                 const std::function<void(WriteTransaction&)>& repair) {
    auto transaction = store->begin();
    damage(transaction->tables());
    commit(*transaction);
    transaction.reset();
    const std::string findings = findings_of(*store);
    transaction = store->begin();
    repair(transaction->tables());
    commit(*transaction);
    CHECK(findings_of(*store).empty());
    return findings;
  };
  const uint64_t next = store->snapshot()->next_term();
  std::string row, hash_key;
  {
    const auto snapshot = store->snapshot();
    row = *snapshot->tables().get(tables.new_terms, NumberKey(next - 1).view());
    hash_key = NewHashKey(hash_term(row), next - 1).view();
  }
  const auto erase_hash = [&](WriteTransaction& writing) { REQUIRE(writing.erase(tables.new_hashes, hash_key)); };
  const auto put_hash = [&](WriteTransaction& writing) { writing.put(tables.new_hashes, hash_key, {}); };
  CHECK(findings_with(erase_hash, put_hash).find("is not found by its text") != std::string::npos);
  const NumberKey key(next - 1);
  const auto erase_row = [&](WriteTransaction& writing) { REQUIRE(writing.erase(tables.new_terms, key.view())); };
  const auto put_row = [&](WriteTransaction& writing) { writing.put(tables.new_terms, key.view(), row); };
  CHECK(findings_with(erase_row, put_row).find("table hashes.new: names the term") != std::string::npos);
  const NumberKey first(1);
  const auto put_twice = [&](WriteTransaction& writing) { writing.put(tables.new_terms, first.view(), row); };
  const auto erase_twice = [&](WriteTransaction& writing) { writing.erase(tables.new_terms, first.view()); };
  CHECK(findings_with(put_twice, erase_twice).find("term 1 stands twice") != std::string::npos);
}

TEST_CASE("two stores with the same quads have the same digest, whatever their ids and order of writing") {
  TemporaryDirectory one, two;
  const auto first = make_store(one.path()), second = make_store(two.path());
  {
    auto transaction = first->begin();
    for (int i = 0; i < 100; ++i) transaction->insert(quad(*transaction, i, i % 3, i * 7 % 50));
    commit(*transaction);
  }
  {
    auto transaction = second->begin();
    for (int i = 99; i >= 0; --i) transaction->insert(quad(*transaction, i, i % 3, i * 7 % 50));
    commit(*transaction);
  }
  const Digest same = digest_of(*first->snapshot());
  CHECK(same == digest_of(*second->snapshot()));
  auto transaction = second->begin();
  const Quad q = quad(*transaction, 5, 2, 35);
  CHECK(transaction->erase(q));
  Digest less = same;
  TermHashCache hashes;
  QuadHasher hasher(*transaction, hashes);
  less.subtract(hasher.hash(q));
  CHECK(digest_of(*transaction) == less);
  CHECK_FALSE(less == same);
  less.add(hasher.hash(q));
  CHECK(less == same);
  // The same statement in another graph is another quad.
  transaction->insert({q.subject, q.predicate, q.object, transaction->intern(iri(1))});
  CHECK_FALSE(digest_of(*transaction) == same);
  CHECK(digests_by_graph(*transaction).size() == 2);
}
