// The first stages of a load: documents are read one after the other, and parsed in pieces.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/clock.h"
#include "engine/load/document.h"
#include "engine/load/parsed_piece.h"
#include "engine/load/piece_reader.h"
#include "engine/load/pipeline.h"
#include "engine/model/blank_node_source.h"

namespace quadrille::load {

struct ReadingOptions {
  size_t piece_bytes = 0;         // of text
  size_t pieces_in_flight = 0;    // given to the later stages and not released yet; at least 2
  uint64_t fingerprint_seed = 0;  // of TermRows
  bool with_lines = false;        // ParsedPiece::lines is wanted
};

// All members but the constructor are called under the pipeline's lock.
class Reading {
 public:
  Reading(std::vector<Document> documents, const ReadingOptions& options, base::RandomSource& random,
          Pipeline& pipeline);
  ~Reading();

  void add_stages();

  // Pieces in their order, the documents' and then the lines'; null if the next one is not ready. Each is to be
  // released some day.
  std::shared_ptr<ParsedPiece> take_next();
  void release_piece() { ++released_; }

  bool is_all_taken() const noexcept { return taken_ == read_ && is_at_end(); }
  bool is_done() const noexcept { return is_at_end() && released_ == read_; }

  const Document& document(uint32_t number) const noexcept { return documents_[number]; }
  size_t document_being_read() const noexcept;
  // Between 0 and 1, by bytes; nothing if the size of a document is not known.
  std::optional<double> share_read() const;

 private:
  // A document that is being read.
  struct OpenDocument {
    OpenDocument(const Document& document, uint32_t place, base::RandomSource& random);
    uint32_t number;
    bool is_by_line;  // N-Triples or N-Quads
    io::RdfFormat format;
    io::ParseOptions options;
    model::BlankNodeScope blank_nodes;
    std::unique_ptr<io::InputStream> input;
    std::optional<PieceReader> reader;
  };
  struct TextOfDocument {
    std::shared_ptr<OpenDocument> document;
    uint64_t number = 0;
    bool is_start = false;
    TextPiece text;
  };
  class StreamSink;

  bool is_full() const noexcept { return read_ - released_ >= options_.pieces_in_flight; }
  bool is_at_end() const noexcept { return !is_reading_ && !open_ && next_document_ == documents_.size(); }
  std::optional<Pipeline::Piece> read();
  std::optional<Pipeline::Piece> parse();
  Pipeline::Piece open_document();
  Pipeline::Piece read_lines();
  Pipeline::Piece parse_stream();
  void add_text(TextPiece text);
  void add_parsed(ParsedPiece piece);
  void end_document();
  void end_document_with(base::Error error);
  ParsedPiece empty_piece(const OpenDocument& document) const;

  std::vector<Document> documents_;
  std::optional<uint64_t> bytes_of_documents_;  // of all, if they are known
  ReadingOptions options_;
  base::RandomSource& random_;
  Pipeline& pipeline_;

  bool is_reading_ = false;  // somebody reads, or parses what cannot be cut
  uint32_t next_document_ = 0;
  std::shared_ptr<OpenDocument> open_;
  bool is_at_start_ = false;
  uint64_t bytes_of_documents_read_ = 0;
  uint64_t bytes_of_open_document_ = 0;

  uint64_t read_ = 0, taken_ = 0, released_ = 0;  // pieces
  std::deque<TextOfDocument> texts_;
  std::map<uint64_t, std::shared_ptr<ParsedPiece>> parsed_;  // by number
};

}  // namespace quadrille::load
