#include "sim/checks/oracle.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "policies/built_in.h"
#include "sim/checks/history.h"
#include "sim/checks/story.h"

namespace quadrille::checks {
namespace {

using model::Term;

// Histories by hand: who wrote what, at which moment, having seen whom.
class Book {
 public:
  Book() {
    assignment_.rules.push_back({{"*"}, {"urn:balance"}, log::CellKind::Value, "", "sum"});
    assignment_.rules.push_back({{"*"}, {"urn:lends"}, log::CellKind::Quad, "", "delete-wins"});
  }

  log::ChangesetId quad(const std::string& site, const std::vector<log::ChangesetId>& seen, const char* property,
                        bool exists) {
    auto changeset = begin(site, seen);
    changeset.quads.push_back({{Term::iri("urn:s"), Term::iri(property), Term::literal("x"), std::nullopt}, exists});
    return add(std::move(changeset));
  }
  log::ChangesetId balance(const std::string& site, const std::vector<log::ChangesetId>& seen,
                           const std::vector<int>& saw, const std::vector<int>& left) {
    auto changeset = begin(site, seen);
    changeset.cells.push_back(
        {{log::CellKind::Value, std::nullopt, Term::iri("urn:a"), Term::iri("urn:balance"), std::nullopt},
         numbers(saw),
         numbers(left)});
    return add(std::move(changeset));
  }

  std::vector<std::string> quads() const {
    std::vector<std::string> texts;
    for (const auto& quad : oracle().quads()) texts.push_back(text_of(quad));
    return texts;
  }
  Oracle oracle() const { return Oracle(history_, assignment_, policies_); }

 private:
  static Term number(int value) {
    return Term::typed_literal(std::to_string(value), "http://www.w3.org/2001/XMLSchema#integer");
  }
  static reconcile::Content numbers(const std::vector<int>& values) {
    reconcile::Content content;
    for (const int value : values) content.push_back({Term::iri("urn:balance"), number(value)});
    return content;
  }
  RecordedChangeset begin(const std::string& site, const std::vector<log::ChangesetId>& seen) {
    RecordedChangeset changeset;
    auto& header = changeset.header;
    for (const auto& id : seen) {
      header.dependencies.raise(id.origin, id.seq);
      header.dependencies.merge(history_.find(id)->header.dependencies);
    }
    const log::SiteId origin{site, 1};
    header.id = {origin, ++seqs_[site]};
    if (header.id.seq > 1) header.dependencies.raise(origin, header.id.seq - 1);
    header.stamp = {++clock_, 0};
    return changeset;
  }
  log::ChangesetId add(RecordedChangeset changeset) {
    const auto id = changeset.header.id;
    history_.add(std::move(changeset));
    return id;
  }

  reconcile::PolicyRegistry policies_ = policies::built_in();
  reconcile::Assignment assignment_;
  History history_;
  std::map<std::string, uint64_t> seqs_;
  int64_t clock_ = 0;
};

TEST_CASE("oracle: a version that has seen the others supersedes them") {
  Book book;
  const auto inserted = book.quad("ams", {}, "urn:holds", true);
  book.quad("nyc", {inserted}, "urn:holds", false);
  CHECK(book.quads().empty());
  CHECK(book.oracle().conflicts().empty());
}

TEST_CASE("oracle: between concurrent versions the cell's policy decides, and a record says so") {
  Book book;
  book.quad("ams", {}, "urn:holds", true);
  book.quad("nyc", {}, "urn:holds", false);
  book.quad("ams", {}, "urn:lends", true);
  book.quad("sgp", {}, "urn:lends", false);
  CHECK(book.quads() == std::vector<std::string>{"<urn:s> <urn:holds> \"x\""});
  const auto conflicts = book.oracle().conflicts();
  REQUIRE(conflicts.size() == 2);
  CHECK(conflicts[0].policy == "add-wins");
  CHECK(conflicts[0].candidates.size() == 2);
  CHECK(conflicts[0].time == log::Stamp{2, 0});
  CHECK(conflicts[1].policy == "delete-wins");
}

TEST_CASE("oracle: concurrent versions that left the same are no conflict") {
  Book book;
  book.quad("ams", {}, "urn:holds", true);
  book.quad("nyc", {}, "urn:holds", true);
  CHECK(book.quads().size() == 1);
  CHECK(book.oracle().conflicts().empty());
}

TEST_CASE("oracle: a component is what concurrency connects, also over a version between") {
  Book book;
  // nyc's delete is concurrent with both inserts of ams, of which the second has seen the first.
  const auto first = book.quad("ams", {}, "urn:lends", true);
  book.quad("nyc", {}, "urn:lends", false);
  book.quad("ams", {first}, "urn:lends", true);
  CHECK(book.quads().empty());
  REQUIRE(book.oracle().conflicts().size() == 1);
  CHECK(book.oracle().conflicts()[0].candidates.size() == 2);
}

TEST_CASE("oracle: what one component left is the base of the next, and two increments both count") {
  Book book;
  const auto opened = book.balance("ams", {}, {}, {100});
  const auto plus_5 = book.balance("ams", {opened}, {100}, {105});
  const auto plus_20 = book.balance("nyc", {opened}, {100}, {120});
  book.balance("sgp", {plus_5, plus_20}, {125}, {126});
  CHECK(book.quads() ==
        std::vector<std::string>{"<urn:a> <urn:balance> \"126\"^^<http://www.w3.org/2001/XMLSchema#integer>"});
  const auto conflicts = book.oracle().conflicts();
  REQUIRE(conflicts.size() == 1);
  CHECK(text_of(conflicts[0].chosen) == "\"125\"^^<http://www.w3.org/2001/XMLSchema#integer>");
}

TEST_CASE("oracle: the story of a quad names who wrote it, having seen whom") {
  Book book;
  const auto inserted = book.quad("ams", {}, "urn:holds", true);
  book.quad("nyc", {inserted}, "urn:holds", false);
  const auto oracle = book.oracle();
  const auto story = story_of({Term::iri("urn:s"), Term::iri("urn:holds"), Term::literal("x"), std::nullopt}, oracle);
  CHECK(story.find("ams:1 inserted it; had seen none of the others") != std::string::npos);
  CHECK(story.find("nyc:1 deleted it; had seen ams:1") != std::string::npos);
  CHECK(story.find("in the end: nothing") != std::string::npos);
}

}  // namespace
}  // namespace quadrille::checks
