#include "engine/store/verify.h"

#include <fmt/format.h>

#include <map>
#include <utility>

#include "engine/store/dictionary_verification.h"
#include "engine/store/key.h"

namespace quadrille::store {
namespace {

using model::Column;
using model::Quad;
using model::QuadOrder;
using model::TermId;
using model::TermTag;

class Verifier {
 public:
  explicit Verifier(const Store& store)
      : snapshot_(store),
        transaction_(snapshot_.tables()),
        tables_(store.format()),
        dictionary_(transaction_, tables_.dictionary, store.term_cache(), store.term_hash(), snapshot_.next_term(),
                    [this](const Table& table, const std::string& what) { find(table, "{}", what); }) {}

  Verification run() {
    dictionary_.run();
    result_.terms = dictionary_.terms();
    check_main_order();
    for (QuadOrder order : {QuadOrder::Posg, QuadOrder::Ospg, QuadOrder::Gspo}) check_other_order(order);
    check_counters("by predicate", CounterKind::Predicate, by_predicate_);
    check_counters("by graph", CounterKind::Graph, by_graph_);
    const uint64_t counted = snapshot_.quad_count();
    if (counted != result_.quads) find(tables_.statistics, "counts {} quads; there are {}", counted, result_.quads);
    return std::move(result_);
  }

 private:
  template <class... Arguments>
  void find(const Table& table, fmt::format_string<Arguments...> what, Arguments&&... arguments) {
    if (result_.findings.size() == Verification::findings_max) {
      ++result_.findings_left_out;
      return;
    }
    result_.findings.push_back(fmt::format("table {}: ", table.name()) +
                               fmt::format(what, std::forward<Arguments>(arguments)...));
  }

  static std::string text_of(const Quad& quad) {
    return fmt::format("({:x} {:x} {:x} {:x})", quad.subject.bits(), quad.predicate.bits(), quad.object.bits(),
                       quad.graph.bits());
  }

  // Calls `visit` with each row as a quad.
  template <class Visit>
  void for_each_row(QuadOrder order, Visit visit) {
    const Table& table = tables_.quads.of(order);
    Cursor cursor(transaction_, table);
    for (bool at_row = cursor.first(); at_row; at_row = cursor.next()) {
      if (cursor.key().size() != 32 || !cursor.value().empty()) {
        find(table, "a row has {} and {} bytes; expected 32 and none", cursor.key().size(), cursor.value().size());
      } else {
        visit(to_quad(order, read_row(cursor.key())));
      }
    }
  }

  void check_main_order() {
    for_each_row(QuadOrder::Spog, [this](const Quad& quad) {
      ++result_.quads;
      ++by_predicate_[quad.predicate];
      ++by_graph_[quad.graph];
      check_ids(quad);
    });
  }

  // Every row is in SPOG, and there are as many: then the two hold the same quads.
  void check_other_order(QuadOrder order) {
    const Table& table = tables_.quads.of(order);
    uint64_t rows = 0;
    for_each_row(order, [&](const Quad& quad) {
      ++rows;
      if (!snapshot_.contains(quad)) find(table, "has the quad {} that SPOG lacks", text_of(quad));
    });
    if (rows != result_.quads) find(table, "has {} quads; SPOG has {}", rows, result_.quads);
  }

  void check_ids(const Quad& quad) {
    const Table& table = tables_.quads.of(QuadOrder::Spog);
    const auto is_node = [](TermId id) { return id.tag() == TermTag::Iri || id.tag() == TermTag::BlankNode; };
    if (!is_node(quad.subject) || quad.predicate.tag() != TermTag::Iri ||
        !(is_node(quad.object) || quad.object.is_literal()) ||
        !(is_node(quad.graph) || quad.graph == TermId::default_graph())) {
      find(table, "the quad {} has a term of a wrong kind", text_of(quad));
    }
    for (TermId id : {quad.subject, quad.predicate, quad.object, quad.graph}) {
      if (id == TermId::default_graph() || id.is_inline() || dictionary_.has(id)) continue;
      find(table, "the quad {} names the term {:x}, which the dictionary lacks", text_of(quad), id.bits());
    }
  }

  void check_counters(const char* name, CounterKind kind, const std::map<TermId, uint64_t>& expected) {
    const std::map<TermId, uint64_t> counted = counters_of(transaction_, tables_.statistics, kind);
    const auto count_in = [](const std::map<TermId, uint64_t>& counters, TermId id) {
      const auto entry = counters.find(id);
      return entry == counters.end() ? 0 : entry->second;
    };
    for (const auto& [id, count] : counted) {
      const uint64_t quads = count_in(expected, id);
      if (count != quads)
        find(tables_.statistics, "counts {} quads {} {:x}; there are {}", count, name, id.bits(), quads);
    }
    for (const auto& [id, count] : expected) {
      if (!counted.contains(id)) find(tables_.statistics, "has no count {} {:x}; there are {}", name, id.bits(), count);
    }
  }

  const Snapshot snapshot_;
  const ReadTransaction& transaction_;
  const StoreTables& tables_;
  DictionaryVerification dictionary_;
  Verification result_;
  std::map<TermId, uint64_t> by_predicate_;
  std::map<TermId, uint64_t> by_graph_;
};

}  // namespace

base::Result<Verification> verify(const Store& store) {
  return base::catch_storage_error([&]() -> base::Result<Verification> { return Verifier(store).run(); });
}

}  // namespace quadrille::store
