#include "replica/site/load.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "engine/io/rdf_parser.h"
#include "engine/model/blank_node_source.h"
#include "engine/model/bulk_target.h"
#include "engine/store/term_row.h"

namespace quadrille::replica {
namespace {

using load::ParsedPiece;
using load::TermNumber;

base::Result<void> check_going_on(const std::atomic<bool>* stopping) {
  if (stopping == nullptr || !*stopping) return {};
  return base::Error{base::ErrorKind::Unavailable, "the documents were given up: the site stops", {}};
}

uint64_t memory_of(const ParsedPiece& piece) noexcept {
  constexpr uint64_t bytes_of_term = 48;
  return piece.terms.text_bytes() + piece.terms.size() * bytes_of_term + piece.quads.size() * sizeof(piece.quads[0]);
}

// By number; those of inline terms are known already.
base::Result<std::vector<model::TermId>> ids_of(const load::TermRows& rows, model::QuadTarget& target) {
  std::vector<model::TermId> ids;
  std::vector<model::Term> terms;
  std::vector<TermNumber> numbers;  // of the terms
  for (TermNumber number = 0; number < rows.size(); ++number) {
    ids.push_back(rows.inline_id(number));
    if (ids.back().is_bound()) continue;
    QUADRILLE_ASSIGN(model::Term term, store::decode_term(rows.row(number)));
    terms.push_back(std::move(term));
    numbers.push_back(number);
  }
  const auto found = model::intern_all(target, terms);
  for (size_t i = 0; i < terms.size(); ++i) ids[numbers[i]] = found[i];
  return ids;
}

base::Result<uint64_t> write_piece(const ParsedPiece& piece, model::QuadTarget& target) {
  QUADRILLE_ASSIGN(const auto ids, ids_of(piece.terms, target));
  uint64_t inserted = 0;
  for (const auto& [subject, predicate, object, graph] : piece.quads) {
    const auto graph_id = graph == load::default_graph_number ? model::TermId::default_graph() : ids[graph];
    inserted += target.insert({ids[subject], ids[predicate], ids[object], graph_id}) ? 1 : 0;
  }
  return inserted;
}

}  // namespace

// Gathers statements in pieces of bounded length.
class ParsedDocuments::PieceCutter final : public io::QuadSink {
 public:
  PieceCutter(ParsedDocuments& parsed, const ParseLimits& limits, uint64_t fingerprint_seed)
      : parsed_(parsed), limits_(limits), seed_(fingerprint_seed) {
    start_piece();
  }

  base::Result<void> add(const model::TermQuadView& quad, uint64_t line) override {
    QUADRILLE_TRY(check_going_on(limits_.stopping));
    if (piece_->quads.size() >= limits_.piece_quads || piece_->terms.text_bytes() >= limits_.piece_bytes) {
      end_piece();
      start_piece();
    }
    QUADRILLE_TRY(sink_->add(quad, line));
    if (memory_ + memory_of(*piece_) <= limits_.memory_bytes) return {};
    return base::Error{base::ErrorKind::ResourceExhausted,
                       fmt::format("the documents take more than {} MB of memory to write; expected less, or a load "
                                   "that replaces nothing",
                                   limits_.memory_bytes >> 20),
                       {}};
  }

  // The last one. To be called once.
  void end_piece() {
    sink_.reset();
    piece_->terms.seal();
    memory_ += memory_of(*piece_);
    parsed_.memory_bytes_ = memory_;
    parsed_.quads_ += piece_->quads.size();
    if (!piece_->quads.empty()) parsed_.pieces_.push_back(std::move(piece_));
  }

 private:
  void start_piece() {
    piece_ = std::make_unique<ParsedPiece>(seed_);
    sink_.emplace(*piece_, false);
  }

  ParsedDocuments& parsed_;
  const ParseLimits& limits_;
  uint64_t seed_;
  uint64_t memory_ = 0;  // of the pieces before
  std::unique_ptr<ParsedPiece> piece_;
  std::optional<load::PieceSink> sink_;
};

base::Result<ParsedDocuments> ParsedDocuments::parse(const std::vector<load::Document>& documents,
                                                     base::RandomSource& random, const ParseLimits& limits) {
  ParsedDocuments parsed;
  parsed.stopping_ = limits.stopping;
  PieceCutter cutter(parsed, limits, random.next());
  for (const load::Document& document : documents) {
    QUADRILLE_ASSIGN(const auto input, document.open());
    model::BlankNodeScope blank_nodes(random);
    io::ParseOptions options;
    options.base_iri = document.base_iri;
    options.graph = document.graph;
    const auto done = io::parse_rdf(document.format, *input, options, blank_nodes, cutter);
    if (!done.ok()) return load::error_in_document(document.name, done.error());
  }
  cutter.end_piece();
  return parsed;
}

base::Result<uint64_t> ParsedDocuments::write_to(model::QuadTarget& target) const {
  uint64_t inserted = 0;
  for (const auto& piece : pieces_) {
    QUADRILLE_TRY(check_going_on(stopping_));
    QUADRILLE_ASSIGN(const uint64_t more, write_piece(*piece, target));
    inserted += more;
  }
  return inserted;
}

}  // namespace quadrille::replica
