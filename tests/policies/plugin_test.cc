// Policies from shared libraries: what the C interface shows and takes, and what is refused.
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <thread>

#include "policies/deciding_now.h"
#include "policies/plugin_loader.h"
#include "policies/policy_failure.h"
#include "policies/policy_file.h"
#include "tests/policies/conflicts.h"

using namespace quadrille;
using namespace quadrille::policies;
using Strings = std::vector<std::string>;

namespace {

namespace fs = std::filesystem;

fs::path plugin(const std::string& name) { return fs::path(QUADRILLE_PLUGINS) / ("plugin_" + name + ".so"); }

std::shared_ptr<const reconcile::Policy> load(const std::string& name) {
  auto policy = load_plugin(plugin(name));
  if (!policy) FAIL(policy.error().message);
  return *policy;
}

// What is said of a library that is refused, without its path.
std::string trouble(const fs::path& file) {
  const auto policy = load_plugin(file);
  if (policy) return "loaded";
  const std::string& text = policy.error().message;
  CHECK(text.starts_with(file.string() + ": "));
  CHECK(text.find('\n') == std::string::npos);
  return text.substr(std::min(text.size(), file.string().size() + 2));
}

// How a call of resolve() ends.
std::string failure(const reconcile::Policy& policy, const reconcile::Conflict& conflict) {
  try {
    static_cast<void>(policy.resolve(conflict));
    return "answered";
  } catch (const PolicyFailure& failed) {
    return failed.what();
  }
}

std::string misbehave(const std::string& how) { return failure(*load("misbehaves"), concurrent({{"a"}, {"b"}}, how)); }

}  // namespace

TEST_CASE("a plugin says what it is, and its content is a digest of its file") {
  const auto policy = load("longest_text");
  CHECK(policy->name() == "longest-text");
  CHECK(policy->version() == 3);
  CHECK(policy->decides(log::CellKind::Value));
  CHECK_FALSE(policy->decides(log::CellKind::Quad));
  CHECK_FALSE(policy->decides(log::CellKind::Record));
  CHECK(policy->retention() == reconcile::Retention::MaximalVersions);
  CHECK_FALSE(policy->reads_context());
  CHECK_FALSE(policy->checks_local_changes());
  CHECK_FALSE(policy->accepts_several_values());
  const auto bytes = read_policy_file(plugin("longest_text"), size_t{1} << 30);
  REQUIRE(bytes);
  CHECK(policy->content_digest() == digest_of(*bytes));
  CHECK(policy->content_digest().size() == 32);
  CHECK(policy->content_digest() != load("earliest")->content_digest());

  const auto other = load("reads_limit");
  CHECK(other->decides(log::CellKind::Record));
  CHECK(other->accepts_several_values());
  CHECK(other->reads_context());
  CHECK(other->fallback() == "last-writer-wins");
  CHECK(other->retention() == reconcile::Retention::AsItSays);
  CHECK(load("misbehaves")->checks_local_changes());
}

TEST_CASE("a plugin decides by what the versions left") {
  const auto policy = load("longest_text");
  CHECK(objects(policy->resolve(concurrent({{"long one"}, {"short"}, {}})).content) == Strings{"\"long one\""});
  CHECK(policy->resolve(concurrent({{}, {}})).content.empty());
  reconcile::Conflict superseded = concurrent({{"long one"}, {"short"}, {"mid"}});
  order(superseded, 0, 1);
  CHECK(objects(policy->resolve(superseded).content) == Strings{"\"short\""});
}

TEST_CASE("a plugin checks and gets its argument") {
  const auto policy = load("longest_text");
  CHECK(policy->check_argument("12"));
  const auto refused = policy->check_argument("twelve");
  REQUIRE_FALSE(refused);
  CHECK(refused.error().message ==
        "'longest-text' does not take the argument 'twelve': expected the least length, up to 99999");
  CHECK(failure(*policy, concurrent({{"abc"}, {"de"}}, "3")) == "a text is too short");
  CHECK_FALSE(load("sound")->check_argument("anything"));
}

TEST_CASE("a plugin is shown the whole conflict") {
  reconcile::Conflict conflict = concurrent({{"a"}, {}, {"c"}}, "show");
  conflict.cell.graph = model::Term::iri("http://e/g");
  conflict.base = strings({"old"});
  conflict.versions[2].saw = {{property, model::Term::language_literal("x", "de")}};
  order(conflict, 0, 2);
  const auto content = load("reads_limit")->resolve(conflict).content;
  REQUIRE(content.size() == 1);
  const std::string xsd_string = "^http://www.w3.org/2001/XMLSchema#string@;";
  CHECK(content[0].object.text() ==
        "http://e/g http://e/s base[http://e/v=old" + xsd_string +
            "]\n"
            "s0.7#1 1000+2 seen saw[] left[http://e/v=a" +
            xsd_string +
            "] has seen\n"
            "s1.7#1 1001+2 maximal nothing saw[] left[] has seen\n"
            "s2.7#1 1002+2 maximal saw[http://e/v=x^http://www.w3.org/1999/02/22-rdf-syntax-ns#langString@de;] "
            "left[http://e/v=c" +
            xsd_string + "] has seen 0");
}

TEST_CASE("a plugin that chooses by the outline answers what that version left") {
  const auto policy = load("earliest");
  reconcile::Conflict conflict = concurrent({{"a"}, {"b"}, {"c"}});
  order(conflict, 0, 1);
  CHECK(objects(policy->resolve(conflict).content) == Strings{"\"b\""});
  const log::SiteId site{"ams", 1};
  const std::vector<reconcile::VersionOutline> versions{{&site, {1, 0}, false, false}, {&site, {2, 0}, true, false}};
  CHECK(policy->choose({versions, ""}) == std::optional<size_t>(1));
  CHECK_FALSE(policy->choose({versions, "nowhere"}));
  conflict.argument = "nowhere";
  CHECK(failure(*policy, conflict) == "it chose version 3 of 3");
  CHECK_FALSE(load("longest_text")->choose({versions, ""}));
}

TEST_CASE("a plugin reads its context") {
  const auto policy = load("reads_limit");
  reconcile::Conflict conflict = concurrent({{"a"}, {"c"}, {"b"}});
  const FixedContext context({{conflict.cell.subject, model::Term::iri("urn:limit"), model::Term::literal("bb"), {}}});
  conflict.context = &context;
  CHECK(objects(policy->resolve(conflict).content) == Strings{"\"b\""});
  CHECK(context.asked.subject == conflict.cell.subject);
  CHECK(context.asked.property == model::Term::iri("urn:limit"));
  CHECK_FALSE(context.asked.object);
  conflict.argument = "nonsense";
  CHECK(failure(*policy, conflict) == "it asked its context for an empty IRI");
}

TEST_CASE("what the context throws comes out of the plugin as it went in") {
  class FaultyContext : public reconcile::Context {
   public:
    std::vector<model::TermQuad> match(const reconcile::QuadPattern&) const override {
      throw base::StorageError({base::ErrorKind::Corruption, "a damaged page", {}});
    }
  };
  reconcile::Conflict conflict = concurrent({{"a"}, {"b"}});
  const FaultyContext context;
  conflict.context = &context;
  CHECK_THROWS_AS(load("reads_limit")->resolve(conflict), base::StorageError);
}

TEST_CASE("a plugin says which versions may leave, and keeps those of which it cannot say") {
  const auto policy = load("reads_limit");
  const reconcile::Conflict conflict = concurrent({{"a"}, {}});
  CHECK_FALSE(policy->may_leave(conflict, 0));
  CHECK(policy->may_leave(conflict, 1));
  CHECK_FALSE(policy->may_leave(concurrent({{"a"}, {}}, "fails"), 1));
}

TEST_CASE("a plugin refuses and completes local changes") {
  const auto policy = load("misbehaves");
  const auto check = [&](const std::string& argument) {
    return policy->check({concurrent({}).cell, {}, strings({"a"}), argument});
  };
  CHECK_FALSE(check("").refused);
  CHECK_FALSE(check("").completed);
  CHECK(check("refuses").refused == std::optional<std::string>("not on a Tuesday"));
  CHECK(check("completes").completed == std::optional(strings({"completed"})));
  CHECK(check("empties").completed == std::optional(reconcile::Content()));
  CHECK(check("throws").refused == std::optional<std::string>("policy 'misbehaves' failed at the check: no idea"));
  CHECK(check("completes with nonsense").refused ==
        std::optional<std::string>("policy 'misbehaves' failed at the check: it answered an empty IRI"));
}

TEST_CASE("a plugin that throws fails with its words, made one line of UTF-8") {
  CHECK(misbehave("throws") == "I do not know?");
  CHECK(misbehave("throws a number") == "it threw something that is no std::exception");
  CHECK(failure(*load("fails_silently"), concurrent({{"a"}, {"b"}})) == "it failed without saying why");
  CHECK(failure(*load("odd_status"), concurrent({{"a"}, {"b"}})) == "it returned 9, which means nothing");
}

TEST_CASE("nonsense that a plugin answers is its failure, and says what is wrong") {
  CHECK(misbehave("empty IRI") == "it answered an empty IRI");
  CHECK(misbehave("relative IRI").starts_with("it answered a bad IRI <here>: not absolute"));
  CHECK(misbehave("literal property") == "it answered a statement whose property is no IRI");
  CHECK(misbehave("no UTF-8").starts_with("it answered a literal that is not UTF-8"));
  CHECK(misbehave("bad label") == "it answered 'a b', which is no label of a blank node");
  CHECK(misbehave("bad language").starts_with("it answered the language tag 'not a tag'"));
  CHECK(misbehave("bad datatype").starts_with("it answered a literal whose datatype is a bad IRI <no scheme>: "));
  CHECK(misbehave("language with datatype").starts_with("it answered a literal with the language 'en' and the"));
  CHECK(misbehave("many") == "it answered more than 100000 statements or 64 MiB of text");
  CHECK(misbehave("large") == "it answered more than 100000 statements or 64 MiB of text");
}

TEST_CASE("no memory in a plugin is apart from failure, and names policy and cell") {
  const auto policy = load("misbehaves");
  try {
    static_cast<void>(policy->resolve(concurrent({{"a"}, {"b"}}, "no memory")));
    FAIL("answered");
  } catch (const std::bad_alloc& none) {
    CHECK(std::string(none.what()) == "no memory for policy 'misbehaves' on the cell <http://e/s> <http://e/v>");
  }
  CHECK(std::string(deciding_now()).empty());
}

TEST_CASE("what is no policy is refused with one line that says what was expected") {
  CHECK(trouble(plugin("not_there")) == "no such file");
  CHECK(trouble(QUADRILLE_PLUGINS) == "expected a file that can be read, found a directory");
  const fs::path text = fs::path(QUADRILLE_PLUGINS) / "text.so";
  std::ofstream(text) << "hello";
  CHECK(trouble(text).starts_with("expected a shared library for this machine: "));
  CHECK(trouble(plugin("no_policy")) ==
        "a library, but no policy; expected the function 'quadrille_policy' of quadrille_policy.h");
  CHECK(trouble(plugin("offers_nothing")) == "its function 'quadrille_policy' returns nothing; expected a policy");
  CHECK(trouble(plugin("other_abi")) == "made for version 2 of the policy interface; expected version 1");
  CHECK(trouble(plugin("short")).starts_with("its description has 16 bytes; expected at least "));
  CHECK(trouble(plugin("without_resolve")) == "the function 'resolve' is missing");
  CHECK(trouble(plugin("without_may_leave")) == "the function 'may_leave' is missing, which its retention needs");
  CHECK(trouble(plugin("without_fallback")).starts_with("it reads its context and names no fallback"));
  CHECK(trouble(plugin("bad_retention")) == "its retention is 3; expected 0, 1 or 2");
  CHECK(trouble(plugin("decides_nothing")).starts_with("it does not say which kinds of cells it decides"));
  CHECK(trouble(plugin("without_name")) == "it has no name");
  CHECK(trouble(plugin("bad_name")) == "its name is 'Broken_1'; expected 1 to 63 of a-z, 0-9 and '-'");
}

TEST_CASE("several threads ask one plugin at once") {
  const auto policy = load("longest_text");
  std::vector<std::thread> threads;
  std::vector<int> wrong(4, 0);
  for (size_t t = 0; t < wrong.size(); ++t) {
    threads.emplace_back([&, t] {
      const std::string mine(5 + t, 'x');
      for (int i = 0; i < 500; ++i) {
        const auto content = policy->resolve(concurrent({{mine}, {"abc"}})).content;
        wrong[t] += content != strings({mine});
      }
    });
  }
  for (auto& thread : threads) thread.join();
  CHECK(wrong == std::vector<int>(4, 0));
}
