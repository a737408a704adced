#include "engine/store/verify.h"

#include <catch2/catch.hpp>

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
      writing.erase(tables.quads.of(order), key(order, q));
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
  CHECK(without_counts.find("counts 0 quads; there are 50") != std::string::npos);
  CHECK(without_counts.find("has no count by graph") != std::string::npos);
  CHECK(without_counts.find("has no count by predicate") != std::string::npos);
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
  less.subtract(QuadHasher(*transaction).hash(q));
  CHECK(digest_of(*transaction) == less);
  CHECK_FALSE(less == same);
  less.add(QuadHasher(*transaction).hash(q));
  CHECK(less == same);
  // The same statement in another graph is another quad.
  transaction->insert({q.subject, q.predicate, q.object, transaction->intern(iri(1))});
  CHECK_FALSE(digest_of(*transaction) == same);
  CHECK(digests_by_graph(*transaction).size() == 2);
}
