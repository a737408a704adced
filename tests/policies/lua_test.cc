// Policies in Lua: what they are shown, what they may answer, and that nothing gets out of the sandbox or differs
// between two sites.
#include <clocale>
#include <fstream>
#include <thread>

#include <catch2/catch.hpp>
#include <filesystem>

#include "policies/deciding_now.h"
#include "policies/load_policy.h"
#include "policies/lua_policy.h"
#include "policies/policy_failure.h"
#include "tests/policies/conflicts.h"

using namespace quadrille;
using namespace quadrille::policies;
using Strings = std::vector<std::string>;

namespace {

constexpr const char* integer = "http://www.w3.org/2001/XMLSchema#integer";

std::shared_ptr<const LuaPolicy> make(const std::string& source) {
  auto policy = LuaPolicy::make(source);
  if (!policy) FAIL(policy.error().message);
  return *policy;
}

// A policy for values with this body of resolve(conflict), and more keys of its table.
std::string with_resolve(const std::string& body, const std::string& keys = {}, const std::string& before = {}) {
  return before + "return {name = \"p\", version = 1, decides = {\"value\"}, " + keys +
         " resolve = function(conflict) " + body + " end}";
}

std::string failure(const reconcile::Policy& policy, const reconcile::Conflict& conflict) {
  try {
    static_cast<void>(policy.resolve(conflict));
    return "answered";
  } catch (const PolicyFailure& failed) {
    return failed.what();
  }
}

std::string failure(const std::string& body) { return failure(*make(with_resolve(body)), concurrent({{"a"}, {"b"}})); }

// What the expression is, as `tostring` shows it; "failed: ..." for an error.
std::string value_of(const std::string& expression, const std::string& before = {}) {
  const auto policy = make(with_resolve(before + " return {rdf.literal(tostring(" + expression + "))}"));
  try {
    return policy->resolve(concurrent({{"a"}, {"b"}})).content.at(0).object.text();
  } catch (const PolicyFailure& failed) {
    return std::string("failed: ") + failed.what();
  }
}

std::string refusal(const std::string& source) {
  const auto policy = LuaPolicy::make(source);
  return policy ? "made" : policy.error().message;
}

}  // namespace

TEST_CASE("a policy in Lua says what it is, and keeps its promises of a digest") {
  const std::string source =
      "return {name = \"longest\", version = 3, decides = {\"value\", \"record\"}, accepts_several_values = true, "
      "retention = \"as it says\", may_leave = function(conflict, version) return version == 2 end, "
      "reads_context = true, fallback = \"last-writer-wins\", resolve = function() return {} end}";
  const auto policy = make(source);
  CHECK(policy->name() == "longest");
  CHECK(policy->version() == 3);
  CHECK(policy->decides(log::CellKind::Value));
  CHECK(policy->decides(log::CellKind::Record));
  CHECK_FALSE(policy->decides(log::CellKind::Quad));
  CHECK(policy->accepts_several_values());
  CHECK(policy->retention() == reconcile::Retention::AsItSays);
  CHECK(policy->reads_context());
  CHECK(policy->fallback() == "last-writer-wins");
  CHECK_FALSE(policy->checks_local_changes());
  const auto conflict = concurrent({{"a"}, {"b"}});
  CHECK_FALSE(policy->may_leave(conflict, 0));
  CHECK(policy->may_leave(conflict, 1));
  CHECK(policy->content_digest().size() == 32);
  CHECK(policy->content_digest() == make(source)->content_digest());
  CHECK(policy->content_digest() != make(source + " ")->content_digest());
  LuaLimits other;
  ++other.instructions;
  CHECK(policy->content_digest() != (*LuaPolicy::make(source, other))->content_digest());
  CHECK(make(with_resolve("return {}"))->retention() == reconcile::Retention::AllVersions);
  CHECK(make(with_resolve("return {}", "retention = 'maximal',"))->retention() ==
        reconcile::Retention::MaximalVersions);
}

TEST_CASE("what is no policy in Lua is refused with one line that says what was expected") {
  CHECK(refusal("return 1") == "it returned a number; expected a table with name, version, decides and resolve");
  CHECK(refusal("return {").starts_with("policy:1: "));
  CHECK(refusal("\n\nlocal x = = 1").starts_with("policy:3: "));
  CHECK(refusal("error('no')") == "policy:1: no");
  CHECK(refusal("return {resovle = 1}").starts_with("the key 'resovle' is unknown; expected name, version"));
  CHECK(refusal("return {1}").starts_with("it returned a list"));
  CHECK(refusal("return {name = 'A'}") == "its name is 'A'; expected 1 to 63 of a-z, 0-9 and '-'");
  CHECK(refusal("return {name = 'a'}") == "its version is none; expected a whole number from 1");
  CHECK(refusal("return {name = 'a', version = 0}") == "its version is none; expected a whole number from 1");
  CHECK(refusal("return {name = 'a', version = 1}").starts_with("its decides is none"));
  CHECK(refusal("return {name = 'a', version = 1, decides = {'cell'}}").starts_with("its decides is none"));
  CHECK(refusal("return {name = 'a', version = 1, decides = {}}").starts_with("its decides is none"));
  CHECK(refusal("return {name = 'a', version = 1, decides = {'quad'}}") == "the function 'resolve' is missing");
  CHECK(refusal("return {name = 'a', version = 1, decides = {'quad'}, resolve = 1}") ==
        "its resolve is a number; expected a function");
  CHECK(refusal(with_resolve("return {}", "retention = 'some',")).starts_with("its retention is 'some'"));
  CHECK(refusal(with_resolve("return {}", "retention = 'as it says',")).starts_with("expected may_leave and"));
  CHECK(refusal(with_resolve("return {}", "reads_context = true,")).starts_with("expected reads_context = true and"));
  CHECK(refusal(with_resolve("return {}", "", "while true do end ")) == "it used up its limit of 2000000 instructions");
  CHECK(refusal("\x1bLua") != "made");
}

TEST_CASE("a policy in Lua is shown the whole conflict") {
  reconcile::Conflict conflict = concurrent({{"a"}, {}, {"c"}}, "x, y");
  conflict.cell.graph = model::Term::iri("http://e/g");
  conflict.base = strings({"old"});
  conflict.versions[2].saw = {{property, model::Term::language_literal("x", "de")}};
  order(conflict, 0, 2);
  const auto policy = make(with_resolve(R"(
    local function show(content)
      local text = ""
      for _, s in ipairs(content) do
        text = text .. s.property.text .. "=" .. s.object.text .. "@" .. (s.object.language or "") .. ";"
      end
      return "[" .. text .. "]"
    end
    local c = conflict.cell
    local text = table.concat({c.kind, c.graph.text, c.subject.text, c.property.text, tostring(c.object),
                               show(conflict.base), conflict.argument, tostring(conflict.match)}, " ")
    for i, v in ipairs(conflict.versions) do
      text = text .. "\n" .. table.concat({v.site, v.incarnation, v.seq, v.stamp.ms, v.stamp.counter,
                                           tostring(v.is_maximal), show(v.saw), show(v.left)}, " ")
      for k = 1, #conflict.versions do
        if conflict.has_seen(i, k) then text = text .. " " .. k end
      end
    end
    return {rdf.literal(text)}
  )"));
  CHECK(policy->resolve(conflict).content.at(0).object.text() ==
        "value http://e/g http://e/s http://e/v nil [http://e/v=old@;] x, y nil\n"
        "s0 0000000000000007 1 1000 2 false [] [http://e/v=a@;]\n"
        "s1 0000000000000007 1 1001 2 true [] []\n"
        "s2 0000000000000007 1 1002 2 true [http://e/v=x@de;] [http://e/v=c@;] 1");
}

TEST_CASE("a policy in Lua answers statements, what a version left, or terms, which are objects of the property") {
  const auto conflict = concurrent({{"a"}, {"b"}});
  CHECK(make(with_resolve("return conflict.versions[2].left"))->resolve(conflict).content == strings({"b"}));
  CHECK(make(with_resolve("return {}"))->resolve(conflict).content.empty());
  const auto terms = make(with_resolve("return {rdf.literal('1', '" + std::string(integer) +
                                       "'), rdf.iri('urn:x'), rdf.literal('y', nil, 'EN'), "
                                       "{kind = 'blank_node', text = 'b1'}}"));
  CHECK(objects(terms->resolve(conflict).content) ==
        Strings{"\"1\"^^<" + std::string(integer) + ">", "<urn:x>", "\"y\"@en", "_:b1"});
  const auto other = make(with_resolve("return {{property = rdf.iri('urn:q'), object = rdf.iri('urn:x')}}"));
  CHECK(other->resolve(conflict).content.at(0).property == model::Term::iri("urn:q"));
}

TEST_CASE("nonsense that a policy in Lua answers is its failure, and says what is wrong") {
  CHECK(failure("return nil") == "it answered a nil; expected a list of statements");
  CHECK(failure("") == "it answered a nil; expected a list of statements");
  CHECK(failure("return {1}") == "it answered a list with a number in it; expected statements");
  CHECK(failure("return conflict.versions[1].left[1]") ==
        "it answered a table that is no list; expected a list of statements");
  CHECK(failure("return {{kind = 'iri', text = ''}}") == "it answered an empty IRI");
  CHECK(failure("return {{kind = 'word', text = 'x'}}") ==
        "the kind of a term is 'word'; expected iri, blank_node or literal");
  CHECK(failure("return {{kind = 'literal', text = 7}}") == "the text of a term is a number; expected a string");
  CHECK(failure("return {{kind = 'literal', text = '\\xC3\\x28'}}").starts_with("it answered a literal that is not"));
  CHECK(failure("return {{property = rdf.literal('p'), object = rdf.literal('x')}}") ==
        "it answered a statement whose property is no IRI");
  CHECK(failure("local t = {} for i = 1, 100001 do t[i] = {kind = 'iri', text = 'urn:x'} end return t") != "answered");
}

TEST_CASE("what a policy in Lua throws is told with its line, and an error that is no text without its address") {
  CHECK(failure("\n\n error('no idea')") == "policy:3: no idea");
  CHECK(failure("error({})") == "it threw a table");
  CHECK(failure("error(nil)") == "it threw a nil");
  CHECK(failure("error(print)") == "it threw a nil");
  CHECK(failure("error(type)") == "it threw a function");
  CHECK(failure("error('two\\nlines', 0)") == "two lines");
  CHECK(
      failure("return conflict.nothing.more").starts_with("policy:1: attempt to index a nil value (field 'nothing')"));
  CHECK(value_of("select(2, pcall(error, 'caught', 0))") == "caught");
  CHECK(value_of("pcall(function() return #nil end)") == "false");
  CHECK(value_of("#nil") == "failed: policy:1: attempt to get length of a nil value");
}

TEST_CASE("a policy in Lua reads its context, and what that throws comes out as it went in") {
  const auto policy = make(with_resolve(
      "for _, quad in ipairs(conflict.match({subject = conflict.cell.subject, property = rdf.iri('urn:limit')})) do "
      "return {quad.object} end return {}",
      "reads_context = true, fallback = 'last-writer-wins',"));
  reconcile::Conflict conflict = concurrent({{"a"}, {"b"}});
  const FixedContext context({{conflict.cell.subject, model::Term::iri("urn:limit"), model::Term::literal("bb"), {}}});
  conflict.context = &context;
  CHECK(policy->resolve(conflict).content == strings({"bb"}));
  CHECK(context.asked.subject == conflict.cell.subject);
  CHECK(context.asked.property == model::Term::iri("urn:limit"));
  CHECK_FALSE(context.asked.graph);
  class FaultyContext : public reconcile::Context {
   public:
    std::vector<model::TermQuad> match(const reconcile::QuadPattern&) const override {
      throw base::StorageError({base::ErrorKind::Corruption, "a damaged page", {}});
    }
  };
  const FaultyContext faulty;
  conflict.context = &faulty;
  CHECK_THROWS_AS(policy->resolve(conflict), base::StorageError);
  const auto swallows =
      make(with_resolve("pcall(conflict.match, {}) return {}", "reads_context = true, fallback = 'last-writer-wins',"));
  CHECK_THROWS_AS(swallows->resolve(conflict), base::StorageError);
}

TEST_CASE("a policy in Lua checks arguments and local changes") {
  const auto policy = make(with_resolve("return {}", R"(
    check_argument = function(argument) if argument ~= "ok" then return "expected ok" end end,
    check = function(change)
      if change.argument == "refuse" then return {refused = "not now"} end
      if change.argument == "complete" then return {completed = {rdf.literal("done")}} end
      if change.argument == "nonsense" then return {} end
      if change.argument == "throw" then error("oh", 0) end
    end,)"));
  CHECK(policy->check_argument("ok"));
  CHECK(policy->check_argument("no").error().message == "'p' does not take the argument 'no': expected ok");
  CHECK_FALSE(make(with_resolve("return {}"))->check_argument("x"));
  CHECK(policy->checks_local_changes());
  const auto check = [&](const std::string& argument) {
    return policy->check({concurrent({}).cell, {}, strings({"a"}), argument});
  };
  CHECK_FALSE(check("").refused);
  CHECK_FALSE(check("").completed);
  CHECK(check("refuse").refused == std::optional<std::string>("not now"));
  CHECK(check("complete").completed == std::optional(strings({"done"})));
  CHECK(check("throw").refused == std::optional<std::string>("policy 'p' failed at the check: oh"));
  CHECK(check("nonsense").refused->starts_with("policy 'p' failed at the check: check returned a table without"));
}

TEST_CASE("values of RDF are compared and counted exactly") {
  const std::string two = "local function n(t) return rdf.literal(t, '" + std::string(integer) + "') end ";
  CHECK(value_of("rdf.compare(n('10'), n('9'))", two) == "1");
  CHECK(value_of("rdf.compare(n('1'), n('01'))", two) == "1");
  CHECK(value_of("rdf.compare(n('1'), n('1'))", two) == "0");
  CHECK(value_of("rdf.compare(rdf.iri('urn:a'), n('1'))", two) == "-1");
  CHECK(value_of("rdf.add(n('99999999999999999999'), n('1')).text", two) == "100000000000000000000");
  CHECK(value_of("rdf.subtract(n('1'), rdf.literal('0.1', 'http://www.w3.org/2001/XMLSchema#decimal')).text", two) ==
        "0.9");
  CHECK(value_of("rdf.add(n('1'), rdf.literal('x'))", two) == "nil");
  CHECK(value_of("rdf.integer(n('12')) + 1", two) == "13");
  CHECK(value_of("rdf.integer(n('99999999999999999999'))", two) == "nil");
  CHECK(value_of("rdf.iri('no scheme')").starts_with("failed: a bad IRI"));
  CHECK(value_of("rdf.literal('x', 'urn:d', 'en')").starts_with("failed: a literal with the language"));
}

TEST_CASE("pairs and next go by integers, floats, booleans, strings, each ascending") {
  const std::string table =
      "local t = {} for _, k in ipairs({'b', 3, true, 'a', 1.5, false, -7, 'B', 2, '', -0.5, 10}) do t[k] = 1 end "
      "local seen = {} ";
  const std::string expected = "-7 2 3 10 -0.5 1.5 false true  B a b";
  CHECK(value_of("table.concat(seen, ' ')", table + "for k in pairs(t) do seen[#seen + 1] = tostring(k) end") ==
        expected);
  CHECK(value_of("table.concat(seen, ' ')", table + "for k in next, t do seen[#seen + 1] = tostring(k) end") ==
        expected);
  CHECK(value_of("next({})") == "nil");
  CHECK(value_of("next(t)", "local t = {[{}] = 1}")
            .starts_with("failed: policy:1: a table with a key of type table has no order"));
  CHECK(value_of("pairs(t)", "local t = {[type] = 1}")
            .starts_with("failed: policy:1: a table with a key of type function has no order"));
  CHECK(value_of("n", "local n, t = 0, {1, 2, 3} for k in pairs(t) do t[k] = nil t[3] = nil n = n + 1 end") == "2");
}

TEST_CASE("the end of a table with holes is found by what is in it alone") {
  // Lua's own would answer by how the table grew and where its keys were hashed.
  const std::string grown = "local t = {} for i = 1, 7 do t[i] = i end t[5] = nil t[6] = nil ";
  const std::string made = "local t = {1, 2, 3, 4, nil, nil, 7} ";
  const std::string hashed = "local t = {[7] = 7, [4] = 4, [3] = 3, [2] = 2, [1] = 1} ";
  const std::string end = value_of("#t", grown);
  CHECK(value_of("#t", made) == end);
  CHECK(value_of("#t", hashed) == end);
  CHECK(value_of("#table.pack(table.unpack(t))", hashed) == end);
  CHECK(value_of("#t", "local t = {} for i = 1, 1000 do table.insert(t, i) end") == "1000");
  CHECK(value_of("#'four' + #\"\" - -#{1} * 2 + #[[#^]]") == "8");
  CHECK(value_of("2 + #t // 2", "local t = {1, 2, 3, 4} --[==[ # ^ ]] ]==] -- ^\n") == "4");
}

TEST_CASE("operators and names that differ between sites are refused with their line") {
  CHECK(refusal("\nreturn 2^3") == "line 2: the operator ^ differs between processors; expected multiplications");
  CHECK(refusal("local __length = 1") == "line 1: the name __length is taken; expected another");
  CHECK(refusal(with_resolve("return {}", "", "local s = '^ __length' -- ^\n local t = [[^]] ")) == "made");
  CHECK(refusal(with_resolve("return {}", "", "local s = '\\'^' ")) == "made");
}

TEST_CASE("nothing shows an address") {
  for (const std::string value : {"{}", "type", "function() end", "rdf", "string.rep", "(''):len()"}) {
    INFO(value);
    CHECK(value_of(value).find("0x") == std::string::npos);
  }
  CHECK(value_of("{}") == "table");
  CHECK(value_of("type") == "function");
  CHECK(value_of("string.format('%s %s', {}, type)") == "table function");
  CHECK(value_of("string.format('%p', {})") == "failed: policy:1: the conversion '%p' is not offered in policies");
  CHECK(value_of("string.format('%5p', 'x')") == "failed: policy:1: the conversion '%p' is not offered in policies");
  CHECK(value_of("('%p'):format({})") == "failed: policy:1: the conversion '%p' is not offered in policies");
  CHECK(value_of("string.format('%q', 1)") == "failed: policy:1: the conversion '%q' is not offered in policies");
  CHECK(value_of("string.format('%')") == "failed: policy:1: a format that ends within a conversion");
  CHECK(value_of("'x' .. {}").find("0x") == std::string::npos);
  CHECK(value_of("('x').y.z").find("0x") == std::string::npos);
}

TEST_CASE("nothing that reads clocks, chance, files or code is there") {
  for (const std::string name : {"os",
                                 "io",
                                 "debug",
                                 "package",
                                 "require",
                                 "load",
                                 "loadstring",
                                 "dofile",
                                 "loadfile",
                                 "collectgarbage",
                                 "coroutine",
                                 "print",
                                 "warn",
                                 "getmetatable",
                                 "setmetatable",
                                 "rawget",
                                 "rawset",
                                 "rawequal",
                                 "rawlen",
                                 "xpcall",
                                 "_G",
                                 "math.random",
                                 "math.randomseed",
                                 "math.sin",
                                 "math.exp",
                                 "math.log",
                                 "math.pow",
                                 "string.dump",
                                 "string.gsub",
                                 "string.match",
                                 "string.gmatch",
                                 "string.pack",
                                 "table.move",
                                 "utf8.charpattern",
                                 "arg",
                                 "('x').dump",
                                 "('').gsub"}) {
    INFO(name);
    CHECK(value_of(name) == "nil");
  }
  // What is there, and no more.
  CHECK(value_of("table.concat(names, ' ')", "local names = {} for k in pairs(_ENV) do names[#names + 1] = k end") ==
        "_VERSION assert error ipairs math next pairs pcall rdf select string table tonumber tostring type utf8");
  CHECK(value_of("table.concat(names, ' ')", "local names = {} for k in pairs(string) do names[#names + 1] = k end") ==
        "byte char find format len lower rep reverse sub upper");
}

TEST_CASE("a policy in Lua keeps nothing from one call to the next") {
  const auto policy = make(with_resolve(
      "n = (n or 0) + 1 calls = calls + 1 string.count = (string.count or 0) + 1 rdf.count = (rdf.count or 0) + 1 "
      "return {rdf.literal(n .. ' ' .. calls .. ' ' .. (''):len() .. ' ' .. string.count .. ' ' .. rdf.count)}",
      "", "local calls = 0 "));
  for (int i = 0; i < 3; ++i) {
    CHECK(policy->resolve(concurrent({{"a"}, {"b"}})).content == strings({"1 1 0 1 1"}));
  }
}

TEST_CASE("a policy in Lua that does not end is stopped, whatever it catches") {
  const std::string used_up = "it used up its limit of 2000000 instructions";
  CHECK(failure("while true do end") == used_up);
  CHECK(failure("while true do pcall(function() while true do end end) end") == used_up);
  CHECK(failure("local function f() return pcall(f) end while true do f() end") == used_up);
  CHECK(failure("local function f() return f() end f()") == used_up);
  CHECK(failure("for i = 1, 1000000000 do local s = ('x'):rep(100) end") == used_up);
  CHECK(failure("local t = {} for i = 1, 1000 do t[i] = i end while true do next(t, 1) end") == used_up);
  CHECK(failure("local s = ('x'):rep(1000000) while true do utf8.len(s) end") == used_up);
  CHECK(failure("local s = ('x'):rep(100000) while true do s:find('y', 1, true) end") == used_up);
  CHECK(failure("local t = {} for i = 1, 5000 do t[i] = i end while true do table.sort(t) end") == used_up);
  CHECK(failure("pcall(string.rep, '', 1 << 40) return {}") == "answered");
  CHECK(failure("pcall(string.rep, 'x', 1 << 29) error('went on', 0)") == used_up);
}

TEST_CASE("a policy in Lua that takes more and more memory is stopped, whatever it catches") {
  const std::string full = "it used up its limit of 64 MiB";
  CHECK(failure("local s = 'x' while true do s = s .. s end") == full);
  CHECK(failure("local s = 'x' pcall(function() while true do s = s .. s end end) return {}") == full);
  // Small things use up the instructions first.
  const std::string limit = "it used up its limit of ";
  CHECK(failure("local t = {} while true do t = {t} end").starts_with(limit));
  CHECK(failure("local n = 1 while true do n = n + 1 local t = {n} end").starts_with(limit));
  CHECK(failure("local function f(...) return {...} end local t = {} for i = 1, 9000 do t[i] = i end "
                "while true do f(table.unpack(t)) end")
            .starts_with(limit));
}

TEST_CASE("a recursion without end is an error of the policy, and not of the process") {
  CHECK(failure("local function f() return 1 + f() end f()").find("stack overflow") != std::string::npos);
  CHECK(failure("local function f() pcall(f) end f() return {}") == "answered");
  CHECK(failure("local t = {} t.t = t local function f(x) return f(x.t) + 1 end f(t)").find("stack overflow") !=
        std::string::npos);
  CHECK(refusal("return " + std::string(10000, '(')) != "made");
  CHECK(refusal("return " + std::string(10000, '{')) != "made");
}

TEST_CASE("sorting is stable and survives an order that is none") {
  CHECK(value_of("table.concat(names, ' ')", R"(
    local rows = {}
    for i = 1, 300 do rows[i] = {key = i % 3, place = i} end
    table.sort(rows, function(a, b) return a.key < b.key end)
    local names = {}
    for i = 2, #rows do
      if rows[i].key == rows[i - 1].key and rows[i].place < rows[i - 1].place then names[#names + 1] = 'unstable' end
    end
    local t = {5, 3, 9, 1}
    table.sort(t)
    names[#names + 1] = table.concat(t, ',')
    table.sort(t, function() return true end)
    names[#names + 1] = #t
  )") == "1,3,5,9 4");
  CHECK(value_of("table.sort({1, 'x'})").find("attempt to compare") != std::string::npos);
}

TEST_CASE("the functions of table and string do what Lua's own do") {
  CHECK(value_of("table.concat(t, ',')", "local t = {1, 2} table.insert(t, 3) table.insert(t, 1, 0)") == "0,1,2,3");
  CHECK(value_of("table.remove(t) .. table.remove(t, 1) .. #t", "local t = {1, 2, 3}") == "311");
  CHECK(value_of("table.remove({})") == "nil");
  CHECK(value_of("table.concat({1, 2.5, 'x'}, '-', 2, 3)") == "2.5-x");
  CHECK(value_of("table.concat({{}})").starts_with("failed: policy:1: invalid value (at index 1)"));
  CHECK(value_of("select('#', table.unpack({1, nil, 3}, 1, 3))") == "3");
  CHECK(value_of("table.unpack({}, 1, 1e6)") == "failed: policy:1: too many results to unpack");
  CHECK(value_of("table.pack(1, nil).n") == "2");
  CHECK(value_of("select(-1, 1, 2)") == "2");
  CHECK(value_of("('abcabc'):find('ca', 1, true)") == "3");
  CHECK(value_of("('abcabc'):find('a', -3, true)") == "4");
  CHECK(value_of("('abc'):find('x', 1, true)") == "nil");
  CHECK(value_of("('abc'):find('', 10, true)") == "nil");
  CHECK(value_of("('a.c'):find('.', 1)").starts_with("failed: policy:1: patterns are not offered in policies"));
  CHECK(value_of("('ab'):rep(3, '-')") == "ab-ab-ab");
  CHECK(value_of("('ab'):rep(0)").empty());
  CHECK(value_of("string.format('%d %5.2f %s %x %%', 3, 2.5, 'y', 255)") == "3  2.50 y ff %");
  CHECK(value_of("utf8.len('äöü')") == "3");
  CHECK(value_of("tonumber('0x10') + tonumber('1e1')") == "26.0");
  CHECK(value_of("tonumber('x')") == "nil");
  CHECK(value_of("10 // 3 .. ' ' .. 7 % -3 .. ' ' .. 1 / 4 .. ' ' .. 1e15 .. ' ' .. 1e100") ==
        "3 -2 0.25 1e+15 1e+100");
  CHECK(value_of("0/0") == "nan");
  CHECK(value_of("-(0/0)") == "nan");
  CHECK(value_of("string.format('%f', -(0/0))") == "nan");
  CHECK(value_of("table.concat({0/0, -(0/0), 1.5, 2}, ' ')") == "nan nan 1.5 2");
  CHECK(value_of("'10' + 1").starts_with("failed: "));
}

TEST_CASE("the locale of the process changes nothing") {
  const std::string before = std::setlocale(LC_ALL, nullptr);
  // Debian's base has no other locale than C, POSIX and C.UTF-8; where there is one with a comma, it is tried.
  for (const char* const name : {"de_DE.UTF-8", "fr_FR.UTF-8", "C.UTF-8"}) {
    if (!std::setlocale(LC_ALL, name)) continue;
    CHECK(value_of("1.5 .. ' ' .. string.format('%.1f', 2.5) .. ' ' .. tostring('a' < 'B') .. ('Ä'):lower()") ==
          "1.5 2.5 falseÄ");
    CHECK(value_of("tonumber('1.5')") == "1.5");
  }
  std::setlocale(LC_ALL, before.c_str());
}

TEST_CASE("tricks to get out of the sandbox end in an error or in nothing") {
  CHECK(value_of("(function(...) return select('#', ...) end)(_ENV._ENV)") == "1");
  CHECK(failure("('').x = 1").starts_with("policy:1: attempt to index a string value"));
  CHECK(value_of("('x'):upper()", "string.upper = function() return 'mine' end") == "mine");  // for this call only
  CHECK(value_of("('x'):upper()") == "X");
  CHECK(failure("local _ENV = {} return #conflict.versions == 2 and conflict.base") == "answered");
  CHECK(failure("_ENV = nil return x").find("attempt to index a nil value (upvalue '_ENV')") != std::string::npos);
  CHECK(failure("local x <close> = {} return {}").find("got a non-closable value") != std::string::npos);
  CHECK(failure("conflict.has_seen(0, 1)").find("expected the place of a version") != std::string::npos);
  CHECK(failure("conflict.has_seen(1, 3)").find("expected the place of a version") != std::string::npos);
  CHECK(failure("conflict.versions = nil conflict.cell.property = nil return {rdf.literal('x')}") == "answered");
}

TEST_CASE("several threads ask one policy in Lua at once") {
  const auto policy =
      make(with_resolve("local best for _, v in ipairs(conflict.versions) do local o = v.left[1].object "
                        "if not best or rdf.compare(best, o) < 0 then best = o end end return {best}"));
  std::vector<std::thread> threads;
  std::vector<int> wrong(4, 0);
  for (size_t t = 0; t < wrong.size(); ++t) {
    threads.emplace_back([&, t] {
      const std::string mine(5 + t, 'x');
      for (int i = 0; i < 200; ++i) {
        wrong[t] += policy->resolve(concurrent({{mine}, {"abc"}})).content != strings({mine});
      }
    });
  }
  for (auto& thread : threads) thread.join();
  CHECK(wrong == std::vector<int>(4, 0));
}

TEST_CASE("a file is loaded by its extension, and trouble begins with its name") {
  namespace fs = std::filesystem;
  const auto load = [](const std::string& name, const std::string& source) {
    const fs::path file = fs::path(QUADRILLE_PLUGINS) / name;
    std::ofstream(file) << source;
    const auto policy = load_policy(file);
    if (policy) return std::string((*policy)->name());
    CHECK(policy.error().message.starts_with(file.string() + ": "));
    return policy.error().message.substr(file.string().size() + 2);
  };
  CHECK(load("p.lua", with_resolve("return {}")) == "p");
  CHECK(load("bad.lua", "return 1").starts_with("it returned a number"));
  CHECK(load("sum.lua", "return {name = 'sum', version = 1, decides = {'value'}, resolve = function() end}") ==
        "its name is 'sum', which is a built-in policy's; expected another");
  CHECK(load("p.py", "") == "expected a policy in a file with the extension .so or .lua");
  CHECK(load("large.lua", std::string((size_t{1} << 20) + 1, ' ')) == "larger than 1048576 bytes");
}
