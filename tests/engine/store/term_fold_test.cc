#include "engine/store/term_fold.h"

#include <atomic>
#include <catch2/catch.hpp>
#include <cstdint>
#include <thread>

#include "tests/engine/store/store_fixture.h"

using namespace quadrille::store;
using namespace quadrille::store::testing;
using quadrille::model::Term;
using quadrille::model::TermId;

namespace {

Term sentence(int number) {
  std::string text = "a sentence with the number " + std::to_string(number) + ":";
  for (int i = 1; i < 12; ++i) text += " word" + std::to_string(number * i % 997);
  return Term::literal(text);
}

std::vector<TermId> intern_sentences(Store& store, int begin, int end) {
  std::vector<TermId> ids;
  auto transaction = store.begin();
  for (int i = begin; i < end; ++i) ids.push_back(transaction->intern(sentence(i)));
  commit(*transaction);
  return ids;
}

bool fold_once(Store& store) {
  auto transaction = store.begin();
  const bool had_work = transaction->fold_terms();
  commit(*transaction);
  return had_work;
}

uint64_t dictionary_bytes(const Store& store) {
  const auto snapshot = store.snapshot();
  const auto& tables = store.format().dictionary;
  uint64_t bytes = 0;
  for (const Table* table :
       {&tables.blocks, &tables.new_terms, &tables.large, &tables.phrases, &tables.hashes, &tables.new_hashes}) {
    bytes += snapshot->tables().byte_count(*table);
  }
  return bytes;
}

}  // namespace

TEST_CASE("the fold makes the dictionary small and changes nothing that a reader sees, at any step") {
  TemporaryDirectory directory;
  auto store = make_store(directory.path());
  constexpr int count = 20'000;
  const auto ids = intern_sentences(*store, 0, count);
  const auto before = store->snapshot();
  const uint64_t bytes = dictionary_bytes(*store);
  int steps = 0;
  while (fold_once(*store)) {
    if (++steps % 4 != 1) continue;
    const auto after = store->snapshot();
    for (int i = 0; i < count; i += 97) {
      for (const Snapshot* snapshot : {before.get(), after.get()}) {
        REQUIRE((snapshot->get_term(ids[static_cast<size_t>(i)]) == sentence(i)));
        REQUIRE(snapshot->find_term(sentence(i)) == ids[static_cast<size_t>(i)]);
      }
    }
    CHECK(sound(*store).terms == count);
  }
  CHECK(steps > 5);
  CHECK(dictionary_bytes(*store) < bytes / 4);
  CHECK(sound(*store).terms == count);
}

TEST_CASE("a fold pays only when much is new, and then until little is left") {
  TemporaryDirectory directory;
  auto store = make_store(directory.path());
  const auto wants = [&] { return store->begin()->wants_term_fold(); };
  intern_sentences(*store, 0, 1000);
  CHECK_FALSE(wants());
  intern_sentences(*store, 1000, 20'000);
  CHECK(wants());
  int steps = 0;
  while (wants()) {
    REQUIRE(fold_once(*store));
    REQUIRE(++steps < 100);
  }
  const auto snapshot = store->snapshot();
  CHECK(snapshot->tables().byte_count(store->format().dictionary.new_terms) < 1 << 20);
  CHECK(snapshot->tables().row_count(store->format().dictionary.new_hashes) < 5000);
}

TEST_CASE("a long literal moves piece by piece, and is whole at each step") {
  TemporaryDirectory directory;
  auto store = make_store(directory.path());
  std::string text;
  for (int64_t i = 0; text.size() < 5'000'000; ++i) text += "line " + std::to_string(i * i) + "\n";
  const std::vector<Term> terms = {iri(1), Term::literal(text), iri(2), Term::literal(text + "end"), iri(3)};
  std::vector<TermId> ids;
  {
    auto transaction = store->begin();
    for (const Term& term : terms) ids.push_back(transaction->intern(term));
    commit(*transaction);
  }
  int steps = 0;
  while (fold_once(*store)) {
    ++steps;
    const auto snapshot = store->snapshot();
    for (size_t i = 0; i < terms.size(); ++i) {
      CHECK((snapshot->get_term(ids[i]) == terms[i]));
      CHECK(snapshot->find_term(terms[i]) == ids[i]);
    }
    CHECK(sound(*store).terms == terms.size());
  }
  CHECK(steps > 8);
  CHECK(dictionary_bytes(*store) < 5'000'000);
}

TEST_CASE("new terms with numbers before those of a batch, and gaps between them, find their blocks") {
  TemporaryDirectory directory;
  auto store = make_store(directory.path());
  std::vector<std::pair<int, TermId>> known;
  const auto add = [&](int begin, int end) {
    const auto ids = intern_sentences(*store, begin, end);
    for (int i = begin; i < end; ++i) known.emplace_back(i, ids[static_cast<size_t>(i - begin)]);
  };
  const auto give_up = [&](int count) {
    auto transaction = store->begin();
    for (int i = 0; i < count; ++i) transaction->intern(iri(i));
  };
  add(0, 10);
  give_up(3);
  add(10, 20);
  give_up(500);
  add(20, 30);
  {
    std::vector<Term> terms;
    for (int i = 30; i < 6000; ++i) terms.push_back(sentence(i));
    auto transaction = store->begin();
    const auto ids = transaction->intern_all(terms);
    for (int i = 30; i < 6000; ++i) known.emplace_back(i, ids[static_cast<size_t>(i - 30)]);
    commit(*transaction);
  }
  add(6000, 6010);
  CHECK(store->snapshot()->tables().row_count(store->format().dictionary.blocks) > 0);
  do {
    const auto snapshot = store->snapshot();
    for (size_t i = 0; i < known.size(); i += i < 100 ? 1 : 50) {
      REQUIRE((snapshot->get_term(known[i].second) == sentence(known[i].first)));
    }
    CHECK(sound(*store).terms == known.size());
  } while (fold_once(*store));
}

TEST_CASE("few new pairs are merged among themselves, not into a large base") {
  TemporaryDirectory directory;
  auto store = make_store(directory.path());
  constexpr int many = 150'000, few = 9'000;
  const auto intern = [&](int begin, int end) {
    std::vector<Term> terms;
    for (int i = begin; i < end; ++i) terms.push_back(iri(i));
    auto transaction = store->begin();
    const auto ids = transaction->intern_all(terms);
    commit(*transaction);
    return ids;
  };
  intern(0, many);
  while (fold_once(*store)) {
  }
  const auto& tables = store->format().dictionary;
  const auto newest_run = [&] { return HashIndex(store->snapshot()->tables(), tables).newest_run(); };
  const auto new_pairs = [&] { return store->snapshot()->tables().row_count(tables.new_hashes); };
  CHECK(newest_run() == 0);
  const auto ids = intern(many, many + few);
  CHECK(new_pairs() == few);
  while (store->begin()->wants_term_fold()) fold_once(*store);
  CHECK(newest_run() == 1);
  CHECK(new_pairs() == 0);
  CHECK(sound(*store).terms == many + few);
  for (int i = 0; i < few; i += 100) {
    CHECK(store->snapshot()->find_term(iri(many + i)) == ids[static_cast<size_t>(i)]);
  }
  while (fold_once(*store)) {
  }
  CHECK(newest_run() == 0);
  CHECK(sound(*store).terms == many + few);
}

TEST_CASE("what was read in a fold that was given up does not stand in the way of the next one") {
  TemporaryDirectory directory;
  auto store = make_store(directory.path());
  auto ids = intern_sentences(*store, 0, 100);
  {
    auto transaction = store->begin();
    transaction->fold_terms();
    for (int i = 0; i < 100; ++i) CHECK((transaction->get_term(ids[static_cast<size_t>(i)]) == sentence(i)));
  }
  const auto more = intern_sentences(*store, 100, 200);
  ids.insert(ids.end(), more.begin(), more.end());
  while (fold_once(*store)) {
  }
  const auto snapshot = store->snapshot();
  for (int i = 0; i < 200; ++i) CHECK((snapshot->get_term(ids[static_cast<size_t>(i)]) == sentence(i)));
}

TEST_CASE("readers on several threads find every term while the writer interns and folds") {
  TemporaryDirectory directory;
  StoreOptions options = quick_options();
  options.term_cache_bytes = 1 << 20;  // so that frames come and go
  auto store = make_store(directory.path(), options);
  const auto ids = intern_sentences(*store, 0, 5000);
  std::atomic<bool> is_over{false};
  std::atomic<uint64_t> wrong{0}, rounds{0};
  std::vector<std::thread> readers;
  for (int reader = 0; reader < 3; ++reader) {
    readers.emplace_back([&, reader] {
      for (int round = 0; !is_over || round == 0; ++round, ++rounds) {
        const auto snapshot = store->snapshot();
        for (int i = reader; i < 5000; i += 37) {
          wrong += snapshot->get_term(ids[static_cast<size_t>(i)]) == sentence(i) ? 0 : 1;
          wrong += snapshot->find_term(sentence(i)) == ids[static_cast<size_t>(i)] ? 0 : 1;
        }
      }
    });
  }
  for (int i = 1; i <= 4; ++i) {
    intern_sentences(*store, i * 5000, i * 5000 + 5000);
    while (fold_once(*store)) {
    }
  }
  is_over = true;
  for (std::thread& reader : readers) reader.join();
  CHECK(wrong == 0);
  CHECK(rounds >= 3);
  CHECK(sound(*store).terms == 25'000);
}
