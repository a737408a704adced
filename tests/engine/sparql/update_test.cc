// SPARQL Update requests.
#include "tests/engine/sparql/parsing.h"

using namespace quadrille::sparql;
using namespace quadrille::sparql::testing;

namespace {

std::string text_of(const QuadTemplate& quad) {
  return shorten(to_text(quad.triple) + (quad.graph ? " @ " + to_text(*quad.graph) : "")).substr(1);
}

const UpdateOperation& only_operation(const Update& update) {
  REQUIRE(update.operations.size() == 1);
  return update.operations.front();
}

}  // namespace

TEST_CASE("INSERT DATA spells out its quads, in the default graph and in named ones") {
  const Update update = update_of("INSERT DATA { :a :p :b , 1 ; a :t . GRAPH :g { :c :q _:x } . _:x :r :d }");
  const auto& operation = only_operation(update);
  CHECK(operation.kind == UpdateKind::InsertData);
  REQUIRE(operation.inserts.size() == 5);
  CHECK(text_of(operation.inserts[0]) == ":a :p :b");
  CHECK(text_of(operation.inserts[3]) == ":c :q ?.t:x @ :g");
  CHECK(text_of(operation.inserts[4]) == "?.t:x :r :d");
  CHECK(operation.deletes.empty());
  CHECK(operation.pattern == nullptr);
}

TEST_CASE("DELETE DATA spells out its quads") {
  const Update update = update_of("DELETE DATA { GRAPH :g { :a :p :b . } }");
  const auto& operation = only_operation(update);
  CHECK(operation.kind == UpdateKind::DeleteData);
  REQUIRE(operation.deletes.size() == 1);
  CHECK(text_of(operation.deletes[0]) == ":a :p :b @ :g");
}

TEST_CASE("DELETE WHERE is a Modify whose template is its pattern") {
  const Update update = update_of("DELETE WHERE { ?a :p ?b . GRAPH ?g { ?a :q ?c } }");
  const auto& operation = only_operation(update);
  CHECK(operation.kind == UpdateKind::Modify);
  REQUIRE(operation.deletes.size() == 2);
  CHECK(text_of(operation.deletes[1]) == "?a :q ?c @ ?g");
  CHECK(shorten(to_text(*operation.pattern)) == R"(
Join
  BasicGraphPattern
    ?a :p ?b
  Graph ?g
    BasicGraphPattern
      ?a :q ?c
)");
}

TEST_CASE("a Modify has templates, WITH, USING and a pattern") {
  const Update update = update_of(
      "WITH :w DELETE { ?a :p ?b } INSERT { GRAPH ?b { ?a :q [] } } USING :u USING NAMED :n WHERE { ?a :p ?b "
      "FILTER(?b) }");
  const auto& operation = only_operation(update);
  CHECK(operation.kind == UpdateKind::Modify);
  CHECK(operation.with->text() == "http://t/w");
  CHECK(operation.dataset.default_graphs.size() == 1);
  CHECK(operation.dataset.named_graphs.size() == 1);
  CHECK(text_of(operation.deletes.at(0)) == "?a :p ?b");
  CHECK(text_of(operation.inserts.at(0)) == "?a :q ?.0 @ ?b");
  CHECK(operation.pattern->kind == AlgebraKind::Filter);
}

TEST_CASE("operations on whole graphs say which, and whether to be silent") {
  const Update update = update_of(
      "LOAD SILENT :f INTO GRAPH :g; LOAD :f; CLEAR SILENT DEFAULT; CLEAR ALL; DROP NAMED; DROP GRAPH :g; CREATE "
      "SILENT "
      "GRAPH :g; ADD :g TO DEFAULT; MOVE SILENT DEFAULT TO GRAPH :h; COPY GRAPH :g TO :h;");
  REQUIRE(update.operations.size() == 10);
  const auto& all = update.operations;
  CHECK((all[0].kind == UpdateKind::Load && all[0].silent && all[0].load_from->text() == "http://t/f"));
  CHECK((all[0].into.kind == GraphTargetKind::One && all[0].into.graph->text() == "http://t/g"));
  CHECK((all[1].into.kind == GraphTargetKind::Default && !all[1].silent));
  CHECK((all[2].kind == UpdateKind::Clear && all[2].silent && all[2].from.kind == GraphTargetKind::Default));
  CHECK(all[3].from.kind == GraphTargetKind::All);
  CHECK((all[4].kind == UpdateKind::Drop && all[4].from.kind == GraphTargetKind::Named));
  CHECK(all[5].from.graph->text() == "http://t/g");
  CHECK((all[6].kind == UpdateKind::Create && all[6].silent));
  CHECK((all[7].kind == UpdateKind::Add && all[7].from.kind == GraphTargetKind::One &&
         all[7].into.kind == GraphTargetKind::Default));
  CHECK((all[8].kind == UpdateKind::Move && all[8].silent && all[8].into.graph->text() == "http://t/h"));
  CHECK((all[9].kind == UpdateKind::Copy && all[9].from.graph->text() == "http://t/g"));
}

TEST_CASE("prefixes may stand before each operation, and a request may be empty") {
  auto update = parse_update(
      "PREFIX a: <http://a/> INSERT DATA { a:s a:p 1 } ; PREFIX a: <http://b/> INSERT DATA { a:s "
      "a:p 1 } ; BASE <http://c/>");
  REQUIRE(update.ok());
  REQUIRE(update->operations.size() == 2);
  CHECK(to_text(update->operations[1].inserts[0].triple.subject) == "<http://b/s>");
  CHECK(parse_update("")->operations.empty());
  CHECK(parse_update(" # nothing")->operations.empty());
  CHECK(update_error("INSERT DATA {} INSERT DATA {}") == "1:16: found 'INSERT', expected ';' or the end of the text");
}
