// A data set of any size from a seed: a shop's products, their features, offers and reviews, as N-Triples.
//
//   quadrille-make-data --triples N [--seed S] > FILE
//
// The same N and S give the same bytes. For demonstrations and measurements where no other data is at hand.
#include <CLI/CLI.hpp>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

#include <fmt/format.h>

namespace {

// SplitMix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number generators", 2014).
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}
  uint64_t next() {
    uint64_t z = (state_ += 0x9E3779B97F4A7C15u);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
  }
  uint64_t below(uint64_t bound) { return next() % bound; }

 private:
  uint64_t state_;
};

constexpr std::string_view syllables[] = {"ba", "ce",  "di", "fo", "gu", "ha", "je", "ki", "lo", "mu", "na",
                                          "pe", "qui", "ro", "su", "ta", "ve", "wi", "xo", "zu", "or", "an"};
constexpr std::string_view xsd = "http://www.w3.org/2001/XMLSchema#";

class Shop {
 public:
  Shop(uint64_t triples, uint64_t seed) : wanted_(triples), random_(seed) {}

  void write() {
    for (uint64_t product = 1; written_ < wanted_; ++product) {
      describe(product);
      for (uint64_t n = 0; n < 4; ++n) offer(product, 4 * product + n);
      for (uint64_t n = 0; n < 3; ++n) review(product, 3 * product + n);
    }
    flush();
  }

 private:
  std::string words(uint64_t count) {
    std::string text;
    for (uint64_t n = 0; n < count; ++n) {
      if (n > 0) text += ' ';
      for (uint64_t s = 2 + random_.below(3); s > 0; --s) text += syllables[random_.below(std::size(syllables))];
    }
    return text;
  }

  void triple(std::string_view subject, std::string_view property, std::string_view object) {
    if (written_ == wanted_) return;
    fmt::format_to(std::back_inserter(buffer_), "<http://shop.example/{}> <http://shop.example/vocabulary#{}> {} .\n",
                   subject, property, object);
    ++written_;
    if (buffer_.size() > 1 << 20) flush();
  }
  static std::string node(std::string_view kind, uint64_t number) {
    return fmt::format("<http://shop.example/{}/{}>", kind, number);
  }
  static std::string number(uint64_t value) { return fmt::format("\"{}\"^^<{}integer>", value, xsd); }
  std::string date() {
    return fmt::format("\"{}-{:02}-{:02}\"^^<{}date>", 2020 + random_.below(6), 1 + random_.below(12),
                       1 + random_.below(28), xsd);
  }

  void describe(uint64_t product) {
    const std::string self = fmt::format("product/{}", product);
    triple(self, "type", node("type", random_.below(150)));
    triple(self, "label", fmt::format("\"{}\"", words(2)));
    triple(self, "comment", fmt::format("\"{}\"@en", words(20 + random_.below(40))));
    triple(self, "producer", node("producer", product / 40));
    for (uint64_t n = 10 + random_.below(10); n > 0; --n) triple(self, "feature", node("feature", random_.below(5000)));
    triple(self, "stock", number(random_.below(2000)));
  }

  void offer(uint64_t product, uint64_t number_of_offer) {
    const std::string self = fmt::format("offer/{}", number_of_offer);
    triple(self, "product", node("product", product));
    triple(self, "vendor", node("vendor", random_.below(300)));
    triple(self, "price", fmt::format("\"{}.{:02}\"^^<{}decimal>", 5 + random_.below(9000), random_.below(100), xsd));
    triple(self, "validFrom", date());
    triple(self, "deliveryDays", number(1 + random_.below(21)));
  }

  void review(uint64_t product, uint64_t number_of_review) {
    const std::string self = fmt::format("review/{}", number_of_review);
    triple(self, "about", node("product", product));
    triple(self, "title", fmt::format("\"{}\"", words(4 + random_.below(5))));
    triple(self, "text", fmt::format("\"{}\"@en", words(30 + random_.below(80))));
    triple(self, "date", date());
    triple(self, "rating", number(1 + random_.below(10)));
  }

  void flush() {
    std::fwrite(buffer_.data(), 1, buffer_.size(), stdout);
    buffer_.clear();
  }

  uint64_t wanted_;
  uint64_t written_ = 0;
  Random random_;
  std::string buffer_;
};

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Writes a data set of any size, made from a seed, as N-Triples to standard output");
  uint64_t triples = 1000000, seed = 1;
  app.add_option("--triples", triples, "how many")->check(CLI::Range(uint64_t{1}, uint64_t{10000000000}));
  app.add_option("--seed", seed, "another seed gives other data");
  CLI11_PARSE(app, argc, argv);
  Shop(triples, seed).write();
  return std::ferror(stdout) ? 1 : 0;
}
