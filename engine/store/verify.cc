#include "engine/store/verify.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <utility>

#include "engine/model/each_quad.h"
#include "engine/store/block_table.h"
#include "engine/store/damage.h"
#include "engine/store/dictionary_verification.h"
#include "engine/store/digest.h"
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
        runs_(read_runs(transaction_, tables_.metadata)),
        dictionary_(transaction_, tables_.dictionary, store.term_cache(), store.term_hash(), snapshot_.next_term(),
                    [this](const Table& table, const std::string& what) { find(table, "{}", what); }) {}

  Verification run() {
    std::array<bool, 4> is_readable;
    for (QuadOrder order : model::all_quad_orders) {
      const bool blocks_sound = check_blocks(order);
      is_readable[static_cast<size_t>(order)] = check_delta(order) && blocks_sound;
    }
    dictionary_.run();
    result_.terms = dictionary_.terms();
    is_dictionary_sound_ = result_.findings.empty();
    if (!is_readable[static_cast<size_t>(QuadOrder::Spog)]) return std::move(result_);  // nothing to compare with
    check_main_order();
    for (QuadOrder order : {QuadOrder::Posg, QuadOrder::Ospg, QuadOrder::Gspo}) {
      if (is_readable[static_cast<size_t>(order)]) check_other_order(order);
    }
    check_counts();
    check_totals();
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

  // ---- the tables of one order by themselves; false: they cannot be scanned ----

  bool check_blocks(QuadOrder order) {
    const Table& table = tables_.quads.blocks_of(order);
    Cursor cursor(transaction_, table);
    Block block(order);
    std::string last;  // row of the block before, as a key
    bool is_sound = true;
    for (bool at_row = cursor.first(); at_row; at_row = cursor.next()) {
      // Keys of different runs differ in their first bytes.
      const bool starts_behind = std::exchange(last, {}) < cursor.key();
      const auto wrong = problem_of(block, cursor, last);
      if (wrong) find(table, "the block {} {}", text_of_key(cursor.key()), *wrong);
      if (!starts_behind) find(table, "the block {} starts before the one before it ends", text_of_key(cursor.key()));
      is_sound = is_sound && !wrong && starts_behind;
    }
    return is_sound;
  }

  // What is wrong with the block, if anything; else its last row as a key.
  static std::optional<std::string> problem_of(Block& block, const Cursor& cursor, std::string& last) {
    if (!block.load(BlockKey::row_of(cursor.key()), cursor.value(), Block::Keeping::InPlace) ||
        !block.has_right_checksum()) {
      return "is damaged: its checksum or its head is wrong";
    }
    std::vector<QuadRow> rows;
    try {
      block.append_rows(rows);
    } catch (const base::StorageError&) {
      return "does not decode";
    }
    if (QuadKey(rows.front()).view() != BlockKey::row_of(cursor.key()))
      return "has another first row than its key says";
    const auto unsorted = std::adjacent_find(rows.begin(), rows.end(), std::greater_equal<>());
    if (unsorted != rows.end()) return "has rows that do not ascend";
    last = BlockKey(BlockKey::run_of(cursor.key()), rows.back()).view();
    return std::nullopt;
  }

  bool check_delta(QuadOrder order) {
    const Table& table = tables_.quads.delta_of(order);
    Cursor cursor(transaction_, table);
    bool is_sound = true;
    for (bool at_row = cursor.first(); at_row; at_row = cursor.next()) {
      const bool has_mark = DeltaMark::is_mark(cursor.value());
      if (cursor.key().size() == quad_key_bytes && has_mark) continue;
      find(table, "the row {} has {} bytes and the value {}; expected 32, and 01, or 00 and 4 bytes",
           text_of_key(cursor.key()), cursor.key().size(), text_of_key(cursor.value()));
      is_sound = false;
    }
    return is_sound;
  }

  // ---- the orders against each other ----

  // The sum of the hashes of all quads: the same for the same set.
  static void add_hash(Digest& sum, const Quad& quad) {
    const XXH128_hash_t hash = XXH3_128bits(&quad, sizeof quad);
    sum.add({hash.high64, hash.low64});
  }

  void check_main_order() {
    model::for_each_quad(snapshot_, QuadOrder::Spog, [this](const Quad& quad) {
      ++result_.quads;
      ++by_predicate_[quad.predicate];
      by_graph_[quad.graph].quads += 1;
      if (is_dictionary_sound_) by_graph_[quad.graph].digest.add(hasher_.hash(quad));
      add_hash(main_hash_, quad);
      check_ids(quad);
    });
  }

  void check_other_order(QuadOrder order) {
    const Table& table = tables_.quads.blocks_of(order);
    uint64_t rows = 0;
    Digest hash;
    model::for_each_quad(snapshot_, order, [&](const Quad& quad) {
      ++rows;
      add_hash(hash, quad);
    });
    if (rows != result_.quads) find(table, "has {} quads; SPOG has {}", rows, result_.quads);
    if (hash == main_hash_) return;
    model::for_each_quad(snapshot_, order, [&](const Quad& quad) {
      if (has(QuadOrder::Spog, quad)) return;
      find(table, "has the quad {} that SPOG lacks", text_of(quad));
    });
    model::for_each_quad(snapshot_, QuadOrder::Spog, [&](const Quad& quad) {
      if (!has(order, quad)) find(table, "lacks the quad {} that SPOG has", text_of(quad));
    });
  }

  bool has(QuadOrder order, const Quad& quad) const {
    return contains_quad({transaction_, tables_.quads, runs_}, order, quad);
  }

  void check_ids(const Quad& quad) {
    const Table& table = tables_.quads.blocks_of(QuadOrder::Spog);
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

  void check_counts() {
    const auto counted = counts_by_predicate(transaction_, tables_.statistics);
    for (const auto& [id, count] : counted) {
      const auto entry = by_predicate_.find(id);
      const uint64_t quads = entry == by_predicate_.end() ? 0 : entry->second;
      if (count != quads) {
        find(tables_.statistics, "counts {} quads by predicate {:x}; there are {}", count, id.bits(), quads);
      }
    }
    for (const auto& [id, count] : by_predicate_) {
      if (counted.contains(id)) continue;
      find(tables_.statistics, "has no count by predicate {:x}; there are {}", id.bits(), count);
    }
  }

  void check_totals() {
    const auto kept = totals_by_graph(transaction_, tables_.statistics);
    for (const auto& [id, totals] : kept) {
      const auto entry = by_graph_.find(id);
      check_total(fmt::format("in graph {:x}", id.bits()), totals,
                  entry == by_graph_.end() ? QuadTotals() : entry->second);
    }
    QuadTotals all;
    for (const auto& [id, totals] : by_graph_) {
      all.quads += totals.quads;
      all.digest.add(totals.digest);
      if (kept.contains(id)) continue;
      find(tables_.statistics, "has no count by graph {:x}; there are {}", id.bits(), totals.quads);
    }
    check_total("in all", snapshot_.totals(), all);
  }

  void check_total(const std::string& where, const QuadTotals& kept, const QuadTotals& found) {
    if (kept.quads != found.quads) {
      find(tables_.statistics, "counts {} quads {}; there are {}", kept.quads, where, found.quads);
    } else if (is_dictionary_sound_ && kept.digest != found.digest) {
      find(tables_.statistics, "keeps the digest {} of the quads {}; theirs is {}", kept.digest.to_hex(), where,
           found.digest.to_hex());
    }
  }

  const Snapshot snapshot_;
  const ReadTransaction& transaction_;
  const StoreTables& tables_;
  const RunList runs_;
  DictionaryVerification dictionary_;
  Verification result_;
  Digest main_hash_;
  std::map<TermId, uint64_t> by_predicate_;
  std::map<TermId, QuadTotals> by_graph_;
  TermHashCache term_hashes_;
  QuadHasher hasher_{snapshot_, term_hashes_};
  bool is_dictionary_sound_ = false;
};

}  // namespace

base::Result<Verification> verify(const Store& store) {
  return base::catch_storage_error([&]() -> base::Result<Verification> { return Verifier(store).run(); });
}

}  // namespace quadrille::store
