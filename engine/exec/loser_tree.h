// Which of many sorted sources has the least row, in log2(sources) comparisons a row: a tree of losers (Knuth, The Art
// of Computer Programming, volume 3, section 5.4.1).
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace quadrille::exec {

// `Before(a, b)`: whether source a's row comes before source b's; one that has ended comes before none.
template <class Before>
class LoserTree {
 public:
  LoserTree(size_t sources, Before before) : losers_(sources), before_(std::move(before)) {
    if (sources > 1) winner_ = play(1);
  }
  // Requires sources.
  size_t winner() const noexcept { return winner_; }
  // The winner's source has moved on.
  void replay() {
    for (size_t node = (winner_ + losers_.size()) / 2; node > 0; node /= 2) {
      if (before_(losers_[node], winner_)) std::swap(losers_[node], winner_);
    }
  }

 private:
  // Nodes from 1 on as in a heap; the leaves behind them are the sources.
  size_t play(size_t node) {
    if (node >= losers_.size()) return node - losers_.size();
    size_t first = play(node * 2);
    size_t second = play(node * 2 + 1);
    if (before_(second, first)) std::swap(first, second);
    losers_[node] = second;
    return first;
  }

  std::vector<size_t> losers_;
  Before before_;
  size_t winner_ = 0;
};

}  // namespace quadrille::exec
