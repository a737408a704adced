#include "engine/load/piece_reader.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

using namespace quadrille;
using namespace quadrille::load;

namespace {

// Gives a few bytes at a time, and fails at the end if it is told to.
class SlowInput final : public io::InputStream {
 public:
  SlowInput(std::string text, size_t step, bool fails) : text_(std::move(text)), step_(step), fails_(fails) {}
  base::Result<size_t> read(std::span<char> room) override {
    const size_t count = std::min({room.size(), step_, text_.size() - at_});
    if (count == 0 && fails_) return base::Error{base::ErrorKind::IoFailure, "the disk is gone", {}};
    std::copy_n(text_.begin() + static_cast<ptrdiff_t>(at_), count, room.begin());
    at_ += count;
    return count;
  }
  io::InputProgress progress() const override { return {at_, text_.size()}; }

 private:
  std::string text_;
  size_t step_;
  bool fails_;
  size_t at_ = 0;
};

struct Pieces {
  std::vector<std::string> texts;
  std::optional<base::Error> error;
};
Pieces pieces_of(const std::string& text, size_t step, size_t piece_size, bool fails, size_t line_size_max = 1000) {
  SlowInput input(text, step, fails);
  PieceReader reader(input, piece_size, line_size_max);
  Pieces pieces;
  while (true) {
    auto piece = reader.next();
    if (!piece.ok()) {
      pieces.error = piece.error();
      CHECK_FALSE(reader.next()->has_value());
      return pieces;
    }
    if (!piece->has_value()) return pieces;
    pieces.texts.emplace_back((*piece)->text());
  }
}

const std::string lines = "a\nbb\n\nccc\r\n" + std::string(100, 'x') + "\ndd\ne";

}  // namespace

TEST_CASE("pieces end behind a line feed, and are all of the text") {
  for (const size_t step : {1, 3, 1000}) {
    for (const size_t piece_size : {1, 2, 5, 50, 1000}) {
      const auto pieces = pieces_of(lines, step, piece_size, false);
      CHECK_FALSE(pieces.error);
      std::string all;
      for (size_t i = 0; i < pieces.texts.size(); ++i) {
        CHECK_FALSE(pieces.texts[i].empty());
        if (i + 1 < pieces.texts.size()) CHECK(pieces.texts[i].back() == '\n');
        all += pieces.texts[i];
      }
      CHECK(all == lines);
    }
  }
  CHECK(pieces_of("", 1, 10, false).texts.empty());
}

TEST_CASE("before the trouble of an input come its whole lines, and behind it nothing") {
  for (const size_t piece_size : {1, 5, 1000}) {
    const auto pieces = pieces_of(lines, 7, piece_size, true);
    REQUIRE(pieces.error);
    CHECK(pieces.error->message == "the disk is gone");
    std::string all;
    for (const auto& text : pieces.texts) all += text;
    CHECK(all == lines.substr(0, lines.size() - 1));
  }
}

TEST_CASE("a line that is too long is refused, and no more is read") {
  const auto pieces = pieces_of("a\n" + std::string(5000, 'x') + "\nb\n", 10, 16, false, 100);
  REQUIRE(pieces.error);
  CHECK(pieces.error->kind == base::ErrorKind::ResourceExhausted);
  CHECK(pieces.texts == std::vector<std::string>{"a\n"});
}
