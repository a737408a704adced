// What is written between the moment when a load looks at the store and the one when it is switched in.
#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "engine/store/verify.h"
#include "tests/engine/load/load_fixture.h"

using namespace quadrille;
using namespace quadrille::load;
using namespace quadrille::load::testing;
using io::RdfFormat;
using model::Quad;
using model::Term;
using model::TermId;

namespace {

std::string line(int number) { return fmt::format("<urn:s{}> <urn:p> <urn:o> .\n", number); }
std::string lines(int begin, int end) {
  std::string text;
  for (int i = begin; i < end; ++i) text += line(i);
  return text;
}

Quad quad_of(store::Transaction& transaction, int number) {
  return {transaction.intern(Term::iri(fmt::format("urn:s{}", number))), transaction.intern(Term::iri("urn:p")),
          transaction.intern(Term::iri("urn:o")), TermId::default_graph()};
}

void change(LoadedStore& loaded, const std::function<void(store::Transaction&)>& work) {
  REQUIRE(loaded.writer().write(work).ok());
}

void check_sound(LoadedStore& loaded, size_t quads) {
  store::testing::sound(loaded.store());
  CHECK(loaded.store().snapshot()->quad_count() == quads);
  for (const auto order : model::all_quad_orders) CHECK(loaded.ids(order).size() == quads);
}

}  // namespace

TEST_CASE("nobody sees a load before it is switched in, and then all of it is there") {
  LoadedStore loaded;
  const auto prepared = loaded.prepare({document("a.nt", RdfFormat::NTriples, lines(0, 5000))}, {2, 4096});
  REQUIRE(prepared.ok());
  CHECK(loaded.ids().empty());
  CHECK(loaded.store().snapshot()->quad_count() == 0);
  const auto added = loaded.switch_in(**prepared);
  REQUIRE(added.ok());
  CHECK(*added == 5000);
  check_sound(loaded, 5000);
}

TEST_CASE("a quad that came while the load was built is there once, and one that went is there again") {
  for (const bool looks_again : {false, true}) {
    LoadedStore loaded;
    REQUIRE(loaded.load({document("before.nt", RdfFormat::NTriples, lines(0, 100))}).ok());
    const auto prepared = loaded.prepare({document("a.nt", RdfFormat::NTriples, lines(50, 150))});
    REQUIRE(prepared.ok());
    CHECK((*prepared)->counts().absent == 50);
    CHECK((*prepared)->counts().present == 50);
    change(loaded, [](store::Transaction& transaction) {
      CHECK(transaction.insert(quad_of(transaction, 120)));  // of the load, came
      CHECK(transaction.insert(quad_of(transaction, 121)));  // came and went
      CHECK(transaction.insert(quad_of(transaction, 500)));  // has nothing to do with the load
      CHECK(transaction.erase(quad_of(transaction, 60)));    // of the load, went
      CHECK(transaction.erase(quad_of(transaction, 61)));    // went and came
      CHECK(transaction.erase(quad_of(transaction, 10)));    // has nothing to do with the load
    });
    change(loaded, [](store::Transaction& transaction) {
      CHECK(transaction.erase(quad_of(transaction, 121)));
      CHECK(transaction.insert(quad_of(transaction, 61)));
    });
    if (looks_again) REQUIRE((*prepared)->look_again(loaded.writer()).ok());
    change(loaded, [](store::Transaction& transaction) {
      CHECK(transaction.insert(quad_of(transaction, 122)));
      CHECK(transaction.erase(quad_of(transaction, 62)));
    });
    const auto added = loaded.switch_in(**prepared);
    REQUIRE(added.ok());
    CHECK(*added == 50 - 2 + 2);
    check_sound(loaded, 150);
    const auto snapshot = loaded.store().snapshot();
    const auto contains = [&](int number) {
      const auto subject = snapshot->find_term(Term::iri(fmt::format("urn:s{}", number)));
      return subject && snapshot->contains({*subject, *snapshot->find_term(Term::iri("urn:p")),
                                            *snapshot->find_term(Term::iri("urn:o")), TermId::default_graph()});
    };
    for (int i = 50; i < 150; ++i) CHECK(contains(i));
    CHECK_FALSE(contains(10));
    CHECK(contains(500));
  }
}

TEST_CASE("what was written before it in the same group of requests counts too") {
  LoadedStore loaded;
  const auto prepared = loaded.prepare({document("a.nt", RdfFormat::NTriples, lines(0, 100))});
  REQUIRE(prepared.ok());
  const auto group = loaded.store().begin();
  {
    store::Transaction request(*group);
    CHECK(request.insert(quad_of(request, 5)));
    REQUIRE(request.commit().ok());
  }
  {
    store::Transaction request(*group);
    CHECK(request.insert(quad_of(request, 6)));
    const auto added = (*prepared)->switch_in(request);
    REQUIRE(added.ok());
    CHECK(*added == 98);
    REQUIRE(request.commit().ok());
  }
  REQUIRE(group->commit().ok());
  check_sound(loaded, 100);
}

TEST_CASE("two loads of the same quads at the same time: each is there once") {
  LoadedStore loaded;
  const auto first = loaded.prepare({document("a.nt", RdfFormat::NTriples, lines(0, 300))});
  const auto second = loaded.prepare({document("b.nt", RdfFormat::NTriples, lines(200, 500))});
  REQUIRE(first.ok());
  REQUIRE(second.ok());
  REQUIRE(loaded.switch_in(**first).ok());
  // A whole run came: the second has to look again.
  const auto refused = loaded.switch_in(**second);
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().kind == base::ErrorKind::Busy);
  REQUIRE((*second)->look_again(loaded.writer()).ok());
  const auto added = loaded.switch_in(**second);
  REQUIRE(added.ok());
  CHECK(*added == 200);
  check_sound(loaded, 500);
}

TEST_CASE("many changes meanwhile are looked at without the writer") {
  LoadedStore loaded;
  const auto prepared = loaded.prepare({document("a.nt", RdfFormat::NTriples, lines(0, 10'000))});
  REQUIRE(prepared.ok());
  change(loaded, [](store::Transaction& transaction) {
    for (int i = 5000; i < 15'000; ++i) transaction.insert(quad_of(transaction, i));
  });
  const auto refused = loaded.switch_in(**prepared);
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().kind == base::ErrorKind::Busy);
  REQUIRE((*prepared)->look_again(loaded.writer()).ok());
  const auto added = loaded.switch_in(**prepared);
  REQUIRE(added.ok());
  CHECK(*added == 5000);
  check_sound(loaded, 15'000);
}

TEST_CASE("a load that is given up leaves nothing but terms") {
  LoadedStore loaded;
  const auto prepared = loaded.prepare({document("a.nt", RdfFormat::NTriples, lines(0, 3000))});
  REQUIRE(prepared.ok());
  REQUIRE((*prepared)->give_up(loaded.writer()).ok());
  check_sound(loaded, 0);
  REQUIRE(loaded.load({document("a.nt", RdfFormat::NTriples, lines(0, 3000))}).ok());
  check_sound(loaded, 3000);
}

TEST_CASE("the site is told each quad that a load asserts, in order, new or not") {
  class Told final : public AssertedQuads {
   public:
    void append(store::Transaction&, Was was, std::span<const store::EncodedBlock> blocks) override {
      for (const auto& encoded : blocks) {
        store::Block block(model::QuadOrder::Gspo);
        REQUIRE(block.load({encoded.key.data(), encoded.key.size()}, encoded.value, store::Block::Keeping::InPlace));
        block.append_rows(was == Was::Absent ? absent : present);
      }
    }
    std::vector<store::QuadRow> absent, present;
  };
  LoadedStore loaded;
  REQUIRE(loaded.load({document("before.nt", RdfFormat::NTriples, lines(0, 1000))}).ok());
  const auto before = loaded.ids();
  Told told;
  const auto prepared =
      loaded.prepare({document("a.nt", RdfFormat::NTriples, lines(400, 3000) + lines(0, 10))}, {2, 1024}, {}, &told);
  REQUIRE(prepared.ok());
  REQUIRE(loaded.switch_in(**prepared).ok());
  CHECK(told.absent.size() == 2000);
  CHECK(told.present.size() == 610);
  CHECK(std::is_sorted(told.absent.begin(), told.absent.end()));
  CHECK(std::is_sorted(told.present.begin(), told.present.end()));
  for (const auto& row : told.absent) {
    CHECK_FALSE(std::binary_search(before.begin(), before.end(), store::to_quad(model::QuadOrder::Gspo, row)));
  }
}
