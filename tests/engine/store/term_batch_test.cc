#include "engine/store/term_batch.h"

#include <catch2/catch.hpp>

#include "engine/store/hash_index.h"
#include "tests/engine/store/store_fixture.h"

using namespace quadrille::store;
using namespace quadrille::store::testing;
using quadrille::model::Term;
using quadrille::model::TermId;

namespace {

// Terms and what a batch says of them.
struct Batch {
  explicit Batch(std::vector<Term> its_terms) : terms(std::move(its_terms)) {
    for (const Term& term : terms) texts.push_back(encode_term(term));
    for (const std::string& text : texts) {
      rows.push_back(text);
      hashes.push_back(hash_term(text));
    }
  }
  TermBatch view() const { return {rows, hashes}; }

  std::vector<Term> terms;
  std::vector<std::string> texts;
  std::vector<std::string_view> rows;
  std::vector<uint64_t> hashes;
};

std::vector<Term> numbered(int begin, int end) {
  std::vector<Term> terms;
  for (int i = begin; i < end; ++i) terms.push_back(iri(i));
  return terms;
}

std::vector<TermId> intern(Store& store, const PreparedTerms& prepared) {
  auto transaction = store.begin();
  auto ids = transaction->intern_prepared(prepared);
  commit(*transaction);
  return ids;
}

}  // namespace

TEST_CASE("a prepared batch gives new terms consecutive ids in its order, and known ones theirs") {
  TemporaryDirectory directory;
  auto store = make_store(directory.path());
  const Batch first(numbered(0, 5000)), second(numbered(4000, 9000));
  const auto ids = intern(*store, store->snapshot()->prepare_terms(first.view()));
  for (size_t i = 1; i < ids.size(); ++i) REQUIRE(ids[i].payload() == ids[i - 1].payload() + 1);
  const auto more = intern(*store, store->snapshot()->prepare_terms(second.view()));
  CHECK(std::equal(more.begin(), more.begin() + 1000, ids.begin() + 4000));
  const auto snapshot = store->snapshot();
  for (size_t i = 0; i < more.size(); ++i) {
    REQUIRE((snapshot->get_term(more[i]) == second.terms[i]));
    REQUIRE(snapshot->find_term(second.terms[i]) == more[i]);
  }
  CHECK(sound(*store).terms == 9000);
}

TEST_CASE("what is interned between the preparation of a batch and its interning is not given another id") {
  enum class Between { Single, Batch, SingleAndFold, BatchAndFold };
  for (const Between between : {Between::Single, Between::Batch, Between::SingleAndFold, Between::BatchAndFold}) {
    TemporaryDirectory directory;
    auto store = make_store(directory.path());
    const Batch batch(numbered(0, 3000)), other(numbered(2000, 4000));
    const PreparedTerms prepared = store->snapshot()->prepare_terms(batch.view());
    std::vector<TermId> others;
    if (between == Between::Single || between == Between::SingleAndFold) {
      auto transaction = store->begin();
      for (const Term& term : other.terms) others.push_back(transaction->intern(term));
      commit(*transaction);
    } else {
      others = intern(*store, store->snapshot()->prepare_terms(other.view()));
    }
    if (between == Between::SingleAndFold || between == Between::BatchAndFold) {
      auto transaction = store->begin();
      while (transaction->fold_terms()) {
      }
      commit(*transaction);
    }
    const auto ids = intern(*store, prepared);
    CHECK(std::equal(ids.begin() + 2000, ids.end(), others.begin()));
    CHECK(sound(*store).terms == 4000);
  }
}

TEST_CASE("batches prepared side by side go in one after the other, as they were prepared") {
  TemporaryDirectory directory;
  auto store = make_store(directory.path());
  std::vector<Batch> batches;
  std::vector<PreparedTerms> prepared;
  for (int i = 0; i < 5; ++i) batches.emplace_back(numbered(i * 1000, i * 1000 + 1000));
  for (const Batch& batch : batches) prepared.push_back(store->snapshot()->prepare_terms(batch.view()));
  uint64_t next = store->snapshot()->next_term();
  for (const PreparedTerms& each : prepared) {
    CHECK(each.new_terms() == 1000);
    for (const TermId id : intern(*store, each)) CHECK(id.payload() == next++);
  }
  CHECK(sound(*store).terms == 5000);
}

TEST_CASE("a prepared batch can be interned again after its transaction was given up") {
  TemporaryDirectory directory;
  auto store = make_store(directory.path());
  const Batch batch(numbered(0, 1000));
  const PreparedTerms prepared = store->snapshot()->prepare_terms(batch.view());
  const auto given_up = store->begin()->intern_prepared(prepared);
  const auto ids = intern(*store, prepared);
  CHECK(ids.front().payload() > given_up.back().payload());
  CHECK(sound(*store).terms == 1000);
}

TEST_CASE("a batch holds terms of any size, and none at all") {
  TemporaryDirectory directory;
  auto store = make_store(directory.path());
  CHECK(intern(*store, store->snapshot()->prepare_terms({})).empty());
  const Batch batch({Term::literal(""), Term::literal(std::string(3'000'000, 'm')), iri(1),
                     Term::literal(std::string(block_row_bytes_max - 1, 'x')),
                     Term::literal(std::string(block_row_bytes_max, 'x')),
                     Term::literal(std::string(block_row_bytes_max + 1, 'x')), Term::literal(std::string("a\0b", 3))});
  const auto ids = intern(*store, store->snapshot()->prepare_terms(batch.view()));
  const auto snapshot = store->snapshot();
  for (size_t i = 0; i < ids.size(); ++i) {
    CHECK((snapshot->get_term(ids[i]) == batch.terms[i]));
    CHECK(snapshot->find_term(batch.terms[i]) == ids[i]);
  }
  CHECK(sound(*store).terms == batch.terms.size());
}

TEST_CASE("batches prepared side by side share the phrases that are trained") {
  TemporaryDirectory directory;
  auto store = make_store(directory.path());
  std::vector<Batch> batches;
  std::vector<PreparedTerms> prepared;
  for (int i = 0; i < 3; ++i) {
    std::vector<Term> terms;
    for (int k = 0; k < 20'000; ++k) {
      terms.push_back(Term::literal("a text of some length, number " + std::to_string(i * 20'000 + k) + ", in batch " +
                                    std::to_string(i) + ", with words like " + std::to_string(k % 97)));
    }
    batches.emplace_back(std::move(terms));
  }
  for (const Batch& batch : batches) prepared.push_back(store->snapshot()->prepare_terms(batch.view()));
  store->begin()->intern_prepared(prepared.back());  // given up, and its phrases with it
  for (const PreparedTerms& each : prepared) intern(*store, each);
  CHECK(store->snapshot()->tables().row_count(store->format().dictionary.phrases) == 1);
  CHECK(sound(*store).terms == 60'000);
}

// A merging of pairs takes several steps, and clears a small run before it ends. A batch that came then once took the
// number of that run, and the merging cleared its pairs too, of which it had passed some.
TEST_CASE("a batch that comes while pairs are merged keeps its pairs, whatever runs have gone by then") {
  TemporaryDirectory directory;
  auto store = make_store(directory.path());
  const auto fold_once = [&] {
    auto transaction = store->begin();
    const bool had_work = transaction->fold_terms();
    commit(*transaction);
    return had_work;
  };
  const auto add = [&](std::vector<Term> terms) {
    const Batch batch(std::move(terms));
    intern(*store, store->snapshot()->prepare_terms(batch.view()));
  };
  add(numbered(0, 120'000));
  while (fold_once()) {
  }
  // A run that the first step of a merging clears: of one term, whose hash is low.
  int low = 120'000;
  while (hash_term(encode_term(iri(low))) >> 60 != 0) ++low;
  add({iri(low)});
  REQUIRE(fold_once());
  const auto& tables = store->format().dictionary;
  REQUIRE(HashIndex(store->snapshot()->tables(), tables).newest_run() == 0);
  REQUIRE(FoldState::read(store->snapshot()->tables(), tables).next_hash != 0);  // and goes on

  add(numbered(200'000, 200'200));
  while (fold_once()) {
  }
  CHECK(sound(*store).terms == 120'201);
}
