// The dictionary against a std::map, under everything that may happen to it.
#include <catch2/catch.hpp>
#include <map>
#include <random>

#include "engine/store/dictionary.h"
#include "engine/store/verify.h"
#include "tests/engine/store/store_fixture.h"

using namespace quadrille::store;
using namespace quadrille::store::testing;
using quadrille::model::Term;
using quadrille::model::TermId;

namespace {

uint64_t few_hashes(std::string_view row) noexcept { return hash_term(row) % 64 << 55; }
uint64_t one_hash(std::string_view) noexcept { return 42; }

using Model = std::map<std::string, TermId>;  // by the term's row

class ModelRun {
 public:
  ModelRun(TermHash hash, uint64_t seed, int universe) : random_(seed), universe_(universe) {
    options_ = quick_options();
    options_.term_hash = hash;
    options_.term_cache_bytes = 1 << 20;
    store_ = make_store(directory_.path(), options_);
  }

  void run(int steps) {
    for (int i = 0; i < steps; ++i) {
      step();
      if (i % 10 == 9) check(*store_->snapshot(), model_);
    }
    for (const auto& [snapshot, model] : held_) check(*snapshot, model);
    held_.clear();
    check_verified();
    while (fold_once()) {
    }
    check(*store_->snapshot(), model_);
    const auto& tables = store_->format().dictionary;
    const auto snapshot = store_->snapshot();
    CHECK(snapshot->tables().row_count(tables.new_terms) == 0);
    CHECK(snapshot->tables().row_count(tables.new_hashes) == 0);
    CHECK(HashIndex(snapshot->tables(), tables).newest_run() == 0);
    check_verified();
  }

 private:
  uint64_t below(uint64_t end) { return random_() % end; }

  Term some_term() {
    const uint64_t number = below(static_cast<uint64_t>(universe_));
    std::mt19937_64 content(number);
    const uint64_t kind = content() % 100;
    if (kind < 40) return Term::iri("http://example.org/things/" + std::to_string(number));
    if (kind < 50) return Term::blank_node("b" + std::to_string(number));
    std::string text = std::to_string(number);
    for (uint64_t words = content() % 40; words > 0; --words) text += " word" + std::to_string(content() % 300);
    if (kind == 79) text += std::string(content() % 60'000, 'y');
    if (kind == 78 && content() % 10 == 0) {
      for (uint64_t size = content() % 600'000; size > 0; size -= std::min<uint64_t>(size, 8)) {
        text += std::to_string(content());
      }
    }
    if (kind < 80) return Term::literal(text);
    if (kind < 90) return Term::language_literal(text, "en");
    return Term::typed_literal(text, "http://example.org/type" + std::to_string(number % 5));
  }

  std::vector<Term> some_terms(size_t count) {
    std::vector<Term> terms;
    for (size_t i = 0; i < count; ++i) terms.push_back(some_term());
    return terms;
  }

  void step() {
    switch (below(9)) {
      case 0:
      case 1:
        in_transaction([this](Transaction& transaction, Model& model) { intern_some(transaction, model); });
        break;
      case 2:
        in_transaction([this](Transaction& transaction, Model& model) { intern_many(transaction, model, 2000); });
        break;
      case 3: intern_prepared(); break;
      case 4:
      case 5:
        for (uint64_t steps = below(4); steps > 0; --steps) fold_once();
        break;
      case 6: reopen(); break;
      case 7: hold(); break;
      case 8: with_children(); break;
    }
  }

  // Committed or given up.
  template <class Work>
  void in_transaction(Work work) {
    auto transaction = store_->begin();
    Model model = model_;
    work(*transaction, model);
    if (below(4) == 0) return;
    commit(*transaction);
    model_ = std::move(model);
  }

  void note(Model& model, const Term& term, TermId id) {
    const std::string row = encode_term(term);
    const auto [known, is_new] = model.try_emplace(row, id);
    CHECK(known->second == id);
    if (is_new) CHECK(id.payload() > greatest_given_);
  }
  void note_greatest(const Model& model) {
    for (const auto& [row, id] : model) greatest_given_ = std::max(greatest_given_, id.payload());
  }

  void intern_some(Transaction& transaction, Model& model) {
    for (const Term& term : some_terms(below(100))) {
      note(model, term, transaction.intern(term));
      note_greatest(model);
    }
  }

  void intern_many(Transaction& transaction, Model& model, size_t count) {
    const auto terms = some_terms(below(count));
    const auto ids = transaction.intern_all(terms);
    for (size_t i = 0; i < terms.size(); ++i) note(model, terms[i], ids[i]);
    note_greatest(model);
  }

  struct Batch {
    std::map<std::string, Term> terms;
    std::vector<std::string_view> rows;
    std::vector<uint64_t> hashes;
  };

  Batch some_batch() {
    Batch batch;
    for (const Term& term : some_terms(below(1500))) batch.terms.emplace(encode_term(term), term);
    for (const auto& [row, term] : batch.terms) {
      batch.rows.push_back(row);
      batch.hashes.push_back(options_.term_hash(row));
    }
    return batch;
  }

  // Two batches are prepared, things happen, then both are interned.
  void intern_prepared() {
    const Batch batches[2] = {some_batch(), some_batch()};
    std::vector<PreparedTerms> prepared;
    for (const Batch& batch : batches)
      prepared.push_back(store_->snapshot()->prepare_terms({batch.rows, batch.hashes}));
    if (below(3) == 0) fold_once();
    in_transaction([&](Transaction& transaction, Model& model) {
      if (below(2) == 0) intern_some(transaction, model);
      for (size_t k = 0; k < 2; ++k) {
        const auto ids = transaction.intern_prepared(prepared[k]);
        for (size_t i = 0; i < ids.size(); ++i) {
          note(model, batches[k].terms.at(std::string(batches[k].rows[i])), ids[i]);
        }
        note_greatest(model);
      }
    });
  }

  bool fold_once() {
    auto transaction = store_->begin();
    const bool has_more = transaction->fold_terms();
    if (below(8) == 0) return true;  // given up
    commit(*transaction);
    return has_more;
  }

  void reopen() {
    for (const auto& [snapshot, model] : held_) check(*snapshot, model);
    held_.clear();
    store_.reset();
    store_ = open_store(directory_.path(), options_);
    greatest_given_ = 0;  // what was given up by another process may be given again
    note_greatest(model_);
  }

  void hold() {
    if (held_.size() == 2) {
      check(*held_.front().first, held_.front().second);
      held_.erase(held_.begin());
    }
    held_.emplace_back(store_->snapshot(), model_);
  }

  void with_children() {
    in_transaction([this](Transaction& transaction, Model& model) {
      for (int i = 0; i < 3; ++i) {
        Transaction child(transaction);
        Model its_model = model;
        intern_some(child, its_model);
        if (below(2) == 0) child.fold_terms();
        if (below(2) == 0) intern_many(child, its_model, 500);
        if (below(2) == 0) continue;
        commit(child);
        model = std::move(its_model);
      }
      check(transaction, model, 20);
    });
  }

  template <class Source>
  void check(const Source& source, const Model& model, size_t some = 300) {
    size_t wrong = 0;
    const size_t step = model.size() / some + 1;
    size_t place = below(step);
    for (const auto& [row, id] : model) {
      if (place++ % step != 0) continue;
      const Term term = decode_term(row).value();
      wrong += source.get_term(id) == term ? 0 : 1;
      wrong += source.find_term(term) == id ? 0 : 1;
    }
    for (const Term& term : some_terms(some / 10)) {
      const auto known = model.find(encode_term(term));
      const auto found = source.find_term(term);
      wrong += found == (known == model.end() ? std::nullopt : std::optional(known->second)) ? 0 : 1;
    }
    CHECK(wrong == 0);
  }

  void check_verified() {
    const auto verified = verify(*store_);
    REQUIRE(verified.ok());
    for (const auto& finding : verified.value().findings) UNSCOPED_INFO(finding);
    CHECK(verified.value().is_sound());
    CHECK(verified.value().terms == model_.size());
  }

  TemporaryDirectory directory_;
  StoreOptions options_;
  std::unique_ptr<Store> store_;
  std::mt19937_64 random_;
  int universe_;
  Model model_;
  uint64_t greatest_given_ = 0;
  std::vector<std::pair<std::unique_ptr<Snapshot>, Model>> held_;
};

}  // namespace

TEST_CASE("the dictionary does as a map does, whatever happens in between") {
  for (uint64_t seed = 1; seed <= 4; ++seed) {
    INFO("seed " << seed);
    ModelRun(&hash_term, seed, 10'000).run(60);
  }
}

TEST_CASE("the dictionary does as a map does where hashes collide") {
  ModelRun(&few_hashes, 5, 2000).run(40);
  ModelRun(&one_hash, 6, 150).run(40);
}
