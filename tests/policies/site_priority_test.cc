#include "policies/site_priority.h"

#include <catch2/catch.hpp>

#include "tests/policies/conflicts.h"

using namespace quadrille;
using namespace quadrille::policies;
using Texts = std::vector<std::string>;

namespace {

// Versions of these sites, by stamp; each left its site's name.
reconcile::Conflict written_at(const std::vector<std::string>& sites, const std::string& argument = {}) {
  std::vector<std::vector<std::string>> left;
  for (const auto& site : sites) left.push_back({site});
  auto conflict = concurrent(left, argument);
  for (size_t i = 0; i < sites.size(); ++i) conflict.versions[i].id.origin.name = sites[i];
  return conflict;
}

std::string trouble(const std::string& argument) {
  const auto checked = SitePriority().check_argument(argument);
  return checked.ok() ? "" : checked.error().message;
}

}  // namespace

TEST_CASE("site-priority takes the site that its argument names first") {
  CHECK(answer(SitePriority(), written_at({"sgp", "nyc", "ams"}, "nyc, ams")) == Texts{"\"nyc\""});
  CHECK(answer(SitePriority(), written_at({"sgp", "ams"}, "nyc,ams")) == Texts{"\"ams\""});
}

TEST_CASE("site-priority: sites that the argument does not name come after those that it names, by name") {
  CHECK(answer(SitePriority(), written_at({"nyc", "sgp", "ams"}, "sgp")) == Texts{"\"sgp\""});
  CHECK(answer(SitePriority(), written_at({"nyc", "tyo", "ams"}, "sgp")) == Texts{"\"ams\""});
  CHECK(answer(SitePriority(), written_at({"nyc", "tyo", "ams"})) == Texts{"\"ams\""});
}

TEST_CASE("site-priority does not look at a version that another one has superseded") {
  auto conflict = written_at({"ams", "nyc", "sgp"});
  order(conflict, 0, 2);
  CHECK(answer(SitePriority(), conflict) == Texts{"\"nyc\""});
}

TEST_CASE("site-priority goes by name: of two incarnations of one site the newer stamp counts") {
  for (const char* argument : {"", "nyc", "ams"}) {
    auto conflict = written_at({"nyc", "nyc"}, argument);
    conflict.versions[0].id.origin.incarnation = 9;
    conflict.versions[1].id.origin.incarnation = 2;
    conflict.versions[1].left = strings({"newer"});
    CHECK(answer(SitePriority(), conflict) == Texts{"\"newer\""});
  }
}

TEST_CASE("site-priority: a deletion of the first site counts, also of a quad") {
  CHECK(answer(SitePriority(), concurrent({{}, {"b"}})).empty());
  CHECK(answer(SitePriority(), quad_conflict({false, true})).empty());
}

TEST_CASE("site-priority refuses an argument that is no list of sites, with one line that says why") {
  CHECK(trouble("").empty());
  CHECK(trouble("ams").empty());
  CHECK(trouble(" ams ,nyc,  s-1 ").empty());
  CHECK(trouble("ams, New York") ==
        "'New York' in the argument of 'site-priority' is no name of a site; expected some, as in "
        "site-priority(ams, nyc)");
  for (const char* wrong : {"ams,", ",ams", "ams,,nyc", ",", " ", "ams;nyc", "-ams", "\xff"}) {
    CHECK(trouble(wrong).find("is no name of a site") != std::string::npos);
    CHECK(trouble(wrong).find('\n') == std::string::npos);
  }
  CHECK(trouble("ams, nyc, ams") == "the argument of 'site-priority' names 'ams' twice");
}
