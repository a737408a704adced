#include <catch2/catch.hpp>

#include <map>
#include <random>

#include "log/changeset_codec.h"
#include "log/stored_operations.h"

using namespace quadrille;
using log::ChangesetHash;
using log::Operations;
using model::Quad;
using model::Term;
using model::TermId;

namespace {

// Ids of one pretended store: 1 + index, shifted, so that two stores give different ids to the same terms.
class TermBook final : public log::TermText {
 public:
  explicit TermBook(uint64_t shift = 0) : shift_(shift) {}
  TermId id(const Term& term) {
    const auto [entry, is_new] = ids_.try_emplace(term, TermId(model::TermTag::Iri, shift_ + terms_.size()));
    if (is_new) terms_.push_back(term);
    return entry->second;
  }
  std::vector<TermId> ids(const std::vector<Term>& terms) {
    std::vector<TermId> out;
    for (const Term& term : terms) out.push_back(id(term));
    return out;
  }
  void append_text(TermId id, std::string& out) const override {
    log::append_term(terms_.at(id.payload() - shift_), out);
  }

 private:
  uint64_t shift_;
  std::map<Term, TermId> ids_;
  std::vector<Term> terms_;
};

TermId iri(TermBook& book, const std::string& name) { return book.id(Term::iri("http://example.org/" + name)); }

Operations some_operations(TermBook& book) {
  const TermId graph = iri(book, "g");
  Operations operations;
  const std::vector<Term> objects = {Term::literal("plain"),
                                     Term::language_literal("hallo", "nl"),
                                     Term::typed_literal("01", "http://www.w3.org/2001/XMLSchema#integer"),
                                     Term::blank_node("b1"),
                                     Term::literal(std::string(100000, 'x')),
                                     Term::literal("")};
  for (size_t i = 0; i < objects.size(); ++i) {
    operations.quads.push_back({{iri(book, "s" + std::to_string(i / 2)), iri(book, "p"), book.id(objects[i]),
                                 i % 2 == 0 ? graph : TermId::default_graph()},
                                i % 3 != 0});
  }
  const log::Cell cell{log::CellKind::Value, TermId::default_graph(), iri(book, "s0"), iri(book, "balance"), {}};
  const TermId ten = book.id(Term::literal("10"));
  operations.cells.push_back({cell, {}, {{cell.property, ten}}});
  operations.cells.push_back({cell, {{cell.property, ten}}, {}});
  return operations;
}

std::string encode(const Operations& operations, const TermBook& book) {
  return log::encode_whole_chunk({operations.quads, operations.cells}, book);
}

log::ChangesetHeader some_header() {
  log::ChangesetHeader header;
  header.id = {{"ams", 7}, 12};
  header.stamp = {1796037179123, 4};
  header.dependencies.raise({"ams", 7}, 11);
  header.dependencies.raise({"nyc", 9}, 300);
  header.operation_count = 8;
  header.chunk_count = 1;
  header.hash.fill(0xab);
  return header;
}

}  // namespace

TEST_CASE("a header survives being written and read") {
  const log::ChangesetHeader header = some_header();
  const std::string bytes = encode_header(header);
  const log::ChangesetHeader back = log::decode_header(bytes).value();
  CHECK(back.id == header.id);
  CHECK(back.stamp == header.stamp);
  CHECK(back.dependencies == header.dependencies);
  CHECK(back.operation_count == 8);
  CHECK(back.chunk_count == 1);
  CHECK(back.hash == header.hash);
  CHECK(encode_header(back) == bytes);
}

TEST_CASE("a header that is cut off, or has a byte too many, is refused") {
  const std::string bytes = encode_header(some_header());
  for (size_t size = 0; size < bytes.size(); ++size) CHECK_FALSE(log::decode_header(bytes.substr(0, size)).ok());
  CHECK_FALSE(log::decode_header(bytes + '\0').ok());
}

TEST_CASE("a chunk comes back byte for byte from a site whose ids are others") {
  TermBook origin;
  const Operations operations = some_operations(origin);
  const std::string bytes = encode(operations, origin);
  const log::DecodedChunk chunk = log::decode_chunk(bytes).value();
  REQUIRE(chunk.quads.size() == 6);
  REQUIRE(chunk.cells.size() == 2);

  TermBook elsewhere(1000);
  for (const char* name : {"zzz", "balance", "p"}) iri(elsewhere, name);
  const Operations theirs = log::with_ids(chunk, elsewhere.ids(chunk.terms)).value();
  CHECK(encode(theirs, elsewhere) == bytes);
  CHECK(encode(log::decode_stored(log::encode_stored({theirs.quads, theirs.cells})), elsewhere) == bytes);
  CHECK(theirs.quads[1].exists);
  CHECK_FALSE(theirs.quads[0].exists);
  CHECK(theirs.quads[1].quad.graph == TermId::default_graph());
  CHECK(theirs.cells[1].left.empty());
}

TEST_CASE("what does not fit one chunk begins another, and nothing is lost between them") {
  TermBook book;
  Operations operations;
  for (size_t i = 0; i < log::chunk_operations_max + 10; ++i) {
    operations.quads.push_back(
        {{iri(book, std::to_string(i)), iri(book, "p"), iri(book, "o"), TermId::default_graph()}, true});
  }
  log::OperationsView rest{operations.quads, operations.cells};
  const log::EncodedChunk first = encode_chunk(rest, book);
  CHECK(first.taken.quads.size() == log::chunk_operations_max);
  rest.quads = rest.quads.subspan(first.taken.quads.size());
  const log::EncodedChunk second = encode_chunk(rest, book);
  CHECK(second.taken.quads.size() == 10);
  CHECK(log::decode_chunk(first.bytes)->quads.size() == log::chunk_operations_max);
  CHECK(log::decode_chunk(second.bytes)->terms.size() == 12);
}

TEST_CASE("large literals end a chunk early") {
  TermBook book;
  Operations operations;
  for (char c : {'a', 'b', 'c', 'd'}) {
    operations.quads.push_back(
        {{iri(book, "s"), iri(book, "p"), book.id(Term::literal(std::string(600000, c))), TermId::default_graph()},
         true});
  }
  CHECK(encode_chunk({operations.quads, {}}, book).taken.quads.size() == 2);
}

TEST_CASE("a chunk that is cut off anywhere, or goes on after its end, is refused") {
  TermBook book;
  Operations operations = some_operations(book);
  operations.quads.erase(operations.quads.begin() + 4);  // the long literal: it would only take time
  const std::string bytes = encode(operations, book);
  REQUIRE(log::decode_chunk(bytes).ok());
  for (size_t size = 0; size < bytes.size(); ++size) CHECK_FALSE(log::decode_chunk(bytes.substr(0, size)).ok());
  CHECK_FALSE(log::decode_chunk(bytes + '\0').ok());
}

TEST_CASE("a damaged chunk is refused, or is another chunk written in its one way") {
  TermBook book;
  Operations operations = some_operations(book);
  operations.quads.erase(operations.quads.begin() + 4);
  const std::string bytes = encode(operations, book);
  std::mt19937 random(1);
  size_t accepted = 0;
  for (int i = 0; i < 20000; ++i) {
    std::string damaged = bytes;
    for (int k = 0; k < 1 + i % 3; ++k) damaged[random() % damaged.size()] = static_cast<char>(random());
    const auto chunk = log::decode_chunk(damaged);
    if (!chunk) continue;
    TermBook reader(50);
    const auto ids = log::with_ids(*chunk, reader.ids(chunk->terms));
    if (!ids) continue;
    ++accepted;
    REQUIRE(encode(*ids, reader) == damaged);
  }
  CHECK(accepted > 100);  // else this says nothing
}

TEST_CASE("a count that promises more than the bytes can hold is refused before room is made") {
  std::string bytes("\x01", 1);
  bytes += "\xff\xff\xff\xff\xff\xff\xff\xff\x7f";
  CHECK_FALSE(log::decode_chunk(bytes).ok());
}

TEST_CASE("literals as subjects and blank nodes as predicates are refused") {
  TermBook book;
  const TermId literal = book.id(Term::literal("l"));
  const TermId blank = book.id(Term::blank_node("b"));
  const TermId good = iri(book, "i");
  const TermId none = TermId::default_graph();
  for (const Quad& quad : {Quad{literal, good, good, none}, Quad{good, blank, good, none},
                           Quad{good, literal, good, none}, Quad{good, good, good, literal}}) {
    CHECK_FALSE(log::decode_chunk(encode(Operations{{{quad, true}}, {}, {}}, book)).ok());
  }
  CHECK(log::decode_chunk(encode(Operations{{{Quad{blank, good, literal, blank}, true}}, {}, {}}, book)).ok());
}

TEST_CASE("the hash depends on the chunks, where they end, the header, and the changeset before") {
  const auto hash = [](std::vector<std::string> chunks, const log::ChangesetHeader& header, ChangesetHash previous) {
    log::ChangesetHasher hasher;
    for (const std::string& chunk : chunks) hasher.add_chunk(chunk);
    return hasher.finish(previous, header);
  };
  const log::ChangesetHeader header = some_header();
  const ChangesetHash whole = hash({"ab", "c"}, header, {});
  CHECK(whole == hash({"ab", "c"}, header, {}));
  CHECK(whole != hash({"a", "bc"}, header, {}));
  CHECK(whole != hash({"ab", "d"}, header, {}));
  ChangesetHash previous{};
  previous[15] = 1;
  CHECK(whole != hash({"ab", "c"}, header, previous));
  log::ChangesetHeader other = header;
  other.stamp.counter += 1;
  CHECK(whole != hash({"ab", "c"}, other, {}));
  other = header;
  other.hash.fill(0);
  CHECK(whole == hash({"ab", "c"}, other, {}));
}
