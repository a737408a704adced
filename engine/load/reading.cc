#include "engine/load/reading.h"

#include <utility>

namespace quadrille::load {
namespace {

std::optional<uint64_t> total_bytes(const std::vector<Document>& documents) {
  uint64_t total = 0;
  for (const Document& document : documents) {
    if (!document.bytes) return std::nullopt;
    total += *document.bytes;
  }
  return total;
}

}  // namespace

Reading::OpenDocument::OpenDocument(const Document& document, uint32_t place, base::RandomSource& random)
    : number(place),
      is_by_line(document.format == io::RdfFormat::NTriples || document.format == io::RdfFormat::NQuads),
      format(document.format),
      blank_nodes(random) {
  options.base_iri = document.base_iri;
  options.graph = document.graph;
}

Reading::Reading(std::vector<Document> documents, const ReadingOptions& options, base::RandomSource& random,
                 Pipeline& pipeline)
    : documents_(std::move(documents)),
      bytes_of_documents_(total_bytes(documents_)),
      options_(options),
      random_(random),
      pipeline_(pipeline) {}

Reading::~Reading() = default;

void Reading::add_stages() {
  pipeline_.add([this] { return parse(); });
  pipeline_.add([this] { return read(); });
}

std::shared_ptr<ParsedPiece> Reading::take_next() {
  const auto next = parsed_.find(taken_);
  if (next == parsed_.end()) return nullptr;
  ++taken_;
  auto piece = std::move(next->second);
  parsed_.erase(next);
  return piece;
}

size_t Reading::document_being_read() const noexcept {
  return open_ ? open_->number : next_document_ == 0 ? 0 : next_document_ - 1;
}

std::optional<double> Reading::share_read() const {
  if (!bytes_of_documents_) return std::nullopt;
  const uint64_t read = bytes_of_documents_read_ + bytes_of_open_document_;
  const uint64_t total = *bytes_of_documents_;
  return total == 0 ? 1.0 : std::min(1.0, static_cast<double>(read) / static_cast<double>(total));
}

std::optional<Pipeline::Piece> Reading::read() {
  if (is_reading_ || is_full()) return std::nullopt;
  if (!open_ && next_document_ == documents_.size()) return std::nullopt;
  is_reading_ = true;
  if (!open_) return open_document();
  return open_->is_by_line ? read_lines() : parse_stream();
}

Pipeline::Piece Reading::open_document() {
  const Document& document = documents_[next_document_];
  open_ = std::make_shared<OpenDocument>(document, next_document_++, random_);
  is_at_start_ = true;
  auto opened = std::make_shared<std::optional<base::Error>>();
  return {[this, opened, &document, &target = *open_] {
            auto input = document.open();
            if (!input.ok()) {
              *opened = input.error();
              return;
            }
            target.input = std::move(input).value();
            if (target.is_by_line) {
              target.reader.emplace(*target.input, options_.piece_bytes, target.options.term_size_max);
            }
          },
          [this, opened] {
            is_reading_ = false;
            if (*opened) end_document_with(**opened);
          }};
}

Pipeline::Piece Reading::read_lines() {
  auto piece = std::make_shared<base::Result<std::optional<TextPiece>>>(std::nullopt);
  return {[piece, &document = *open_] { *piece = document.reader->next(); },
          [this, piece] {
            is_reading_ = false;
            bytes_of_open_document_ = open_->input->progress().bytes_read;
            if (!piece->ok()) return end_document_with(piece->error());
            if (!piece->value()) return end_document();
            add_text(*std::move(piece->value()));
          }};
}

void Reading::add_text(TextPiece text) {
  texts_.push_back({open_, read_++, std::exchange(is_at_start_, false), std::move(text)});
}

void Reading::add_parsed(ParsedPiece piece) {
  parsed_.emplace(read_++, std::make_shared<ParsedPiece>(std::move(piece)));
}

void Reading::end_document() {
  bytes_of_documents_read_ += documents_[open_->number].bytes.value_or(0);
  bytes_of_open_document_ = 0;
  open_ = nullptr;
}

// The error comes in its turn: what was read before may have an earlier one.
void Reading::end_document_with(base::Error error) {
  ParsedPiece piece = empty_piece(*open_);
  piece.error = std::move(error);
  add_parsed(std::move(piece));
  end_document();
}

ParsedPiece Reading::empty_piece(const OpenDocument& document) const {
  ParsedPiece piece(options_.fingerprint_seed);
  piece.document = document.number;
  return piece;
}

std::optional<Pipeline::Piece> Reading::parse() {
  if (texts_.empty()) return std::nullopt;
  auto text = std::make_shared<TextOfDocument>(std::move(texts_.front()));
  texts_.pop_front();
  auto piece = std::make_shared<ParsedPiece>(empty_piece(*text->document));
  return Pipeline::Piece{[this, text, piece] {
                           const OpenDocument& document = *text->document;
                           parse_piece(text->text.text(), text->is_start, io::carries_graphs(document.format),
                                       document.options, document.blank_nodes, options_.with_lines, *piece);
                           text->text = {};
                         },
                         [this, text, piece] { parsed_.emplace(text->number, piece); }};
}

// Cuts what a parser gives, of Turtle, TriG or RDF/XML, into pieces. It goes on when there is room for more of them.
class Reading::StreamSink final : public io::QuadSink {
 public:
  StreamSink(Reading& reading, const OpenDocument& document)
      : reading_(reading), document_(document), piece_(reading.empty_piece(document)) {
    start_piece();
  }

  base::Result<void> add(const model::TermQuadView& quad, uint64_t line) override {
    if (piece_.quads.size() >= quads_max || piece_.terms.text_bytes() >= reading_.options_.piece_bytes) {
      hand_over();
      const bool goes_on = reading_.pipeline_.help_until([this] { return !reading_.is_full(); });
      if (!goes_on) return base::Error{base::ErrorKind::Unavailable, "the load has failed", {}};
      start_piece();
    }
    return sink_->add(quad, line);
  }

  void end(std::optional<base::Error> error) {
    piece_.error = std::move(error);
    hand_over();
  }

 private:
  static constexpr size_t quads_max = 50'000;

  void start_piece() {
    piece_ = reading_.empty_piece(document_);
    sink_.emplace(piece_, reading_.options_.with_lines);
  }
  void hand_over() {
    sink_.reset();
    piece_.terms.seal();
    reading_.pipeline_.exchange([this] {
      reading_.bytes_of_open_document_ = document_.input->progress().bytes_read;
      reading_.add_parsed(std::move(piece_));
    });
  }

  Reading& reading_;
  const OpenDocument& document_;
  ParsedPiece piece_;
  std::optional<PieceSink> sink_;
};

Pipeline::Piece Reading::parse_stream() {
  return {[this, document = open_] {
            StreamSink sink(*this, *document);
            const auto parsed =
                io::parse_rdf(document->format, *document->input, document->options, document->blank_nodes, sink);
            sink.end(parsed.ok() ? std::nullopt : std::optional(parsed.error()));
          },
          [this] {
            is_reading_ = false;
            end_document();
          }};
}

}  // namespace quadrille::load
