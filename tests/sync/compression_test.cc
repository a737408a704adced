#include "sync/compression.h"

#include <catch2/catch.hpp>

#include "tests/support/seeded_random.h"

using quadrille::sync::Compressor;
using quadrille::sync::Decompressor;
using quadrille::test::SeededRandom;

namespace {

std::string some_text(SeededRandom& random, size_t bytes) {
  std::string text;
  while (text.size() < bytes) text += "http://example.org/thing" + std::to_string(random.next());
  text.resize(bytes);
  return text;
}

}  // namespace

TEST_CASE("what was sent a while ago costs next to nothing when it is sent again, and comes back") {
  SeededRandom random(1);
  Compressor sender;
  Decompressor receiver;
  std::vector<std::string> sent;
  for (const size_t bytes : {1u, 100u, 70'000u, 300'000u, 5u}) {
    sent.push_back(some_text(random, bytes));
    const std::string part = sender.compress(sent.back());
    CHECK(receiver.decompress(part, bytes).value() == sent.back());
  }
  for (const std::string& again : sent) {
    const std::string part = sender.compress(again);
    CHECK(part.size() <= again.size() / 100 + 40);
    CHECK(receiver.decompress(part, again.size()).value() == again);
  }
}

TEST_CASE("a part of a stream without those before it, cut off, or of another size than it says is refused") {
  SeededRandom random(2);
  Compressor sender;
  const std::string text = some_text(random, 1000);
  const std::string first = sender.compress(text), second = sender.compress(text);
  CHECK_FALSE(Decompressor().decompress(second, text.size()).ok());
  CHECK_FALSE(Decompressor().decompress(first.substr(0, first.size() - 1), text.size()).ok());
  CHECK_FALSE(Decompressor().decompress(first, text.size() - 1).ok());
  CHECK_FALSE(Decompressor().decompress(first, text.size() + 1).ok());
  CHECK_FALSE(Decompressor().decompress(first + second, text.size()).ok());
  CHECK_FALSE(Decompressor().decompress("nonsense", 8).ok());
  CHECK(Decompressor().decompress(first, text.size()).ok());
}

TEST_CASE("each part may be a frame of its own") {
  Decompressor receiver;
  for (int i = 0; i < 3; ++i) {
    const std::string text(1000, static_cast<char>('a' + i));
    CHECK(receiver.decompress(quadrille::sync::compress_frame(text), text.size()).value() == text);
  }
}
