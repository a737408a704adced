#include "policies/check/shrinking.h"

#include <algorithm>

namespace quadrille::policies::check {
namespace {

using Histories = std::vector<History>;

void drop_events(const History& history, Histories& simpler) {
  const size_t count = history.events.size();
  for (size_t size = count; size > 0; size /= 2) {
    for (size_t first = 0; first < count; first += size) {
      History less = history;
      const auto begin = less.events.begin() + static_cast<ptrdiff_t>(first);
      less.events.erase(begin, begin + static_cast<ptrdiff_t>(std::min(size, count - first)));
      simpler.push_back(std::move(less));
    }
  }
}

bool has_joins(const History& history) {
  return std::any_of(history.events.begin(), history.events.end(),
                     [](const Event& event) { return event.deed == Deed::Join; });
}

void drop_sites(const History& history, Histories& simpler) {
  if (history.sites <= 2 || has_joins(history)) return;
  for (uint8_t site = 0; site < history.sites; ++site) {
    History less = history;
    --less.sites;
    less.skew_ms.erase(less.skew_ms.begin() + site);
    less.skew_ms.push_back(0);
    std::erase_if(less.events, [&](const Event& event) {
      return event.site == site || (event.deed == Deed::Receive && event.other == site);
    });
    for (Event& event : less.events) {
      if (event.site > site) --event.site;
      if (event.other > site) --event.other;
    }
    simpler.push_back(std::move(less));
  }
}

void put_first_sites(const History& history, Histories& simpler) {
  // One site's part is played by another: what two did, one did.
  if (has_joins(history)) return;
  for (size_t i = 0; i < history.events.size(); ++i) {
    for (uint8_t site = 0; site < history.events[i].site; ++site) {
      History less = history;
      less.events[i].site = site;
      simpler.push_back(std::move(less));
    }
  }
}

void make_plain(const History& history, Histories& simpler) {
  if (std::any_of(history.skew_ms.begin(), history.skew_ms.end(), [](int8_t skew) { return skew != 0; })) {
    History less = history;
    std::fill(less.skew_ms.begin(), less.skew_ms.end(), int8_t{0});
    simpler.push_back(std::move(less));
  }
  for (size_t i = 0; i < history.events.size(); ++i) {
    const Event& event = history.events[i];
    const auto change = [&](auto&& how) {
      History less = history;
      how(less.events[i]);
      if (less != history) simpler.push_back(std::move(less));
    };
    if (event.deed == Deed::Receive) change([](Event& plain) { plain.amount = 0xFF; });
    if (event.deed == Deed::Fold && event.amount > 1) change([](Event& plain) { plain.amount = 1; });
    if (event.deed == Deed::Increase || event.deed == Deed::Add) change([](Event& plain) { plain.deed = Deed::Write; });
    if (event.deed == Deed::WriteSame) {
      change([](Event& plain) {
        plain.deed = Deed::Write;
        plain.values = {PoolValue{}};
      });
    }
    if (event.wait_ms != 1) change([](Event& plain) { plain.wait_ms = 1; });
  }
}

// `values`: one list of the history's; `put` makes it another one.
template <class Put>
void make_values_plain(const std::vector<PoolValue>& values, Put&& put) {
  for (size_t i = 0; i < values.size(); ++i) {
    const auto replace = [&](PoolValue value) {
      std::vector<PoolValue> changed = values;
      changed[i] = value;
      put(std::move(changed));
    };
    if (values.size() > 1) {
      std::vector<PoolValue> less = values;
      less.erase(less.begin() + static_cast<ptrdiff_t>(i));
      put(std::move(less));
    }
    for (uint8_t place = 0; place < 3; ++place) {
      if (PoolValue{ValueFamily::Integer, place} < values[i]) replace({ValueFamily::Integer, place});
    }
    for (uint8_t place = 0; place < values[i].place; ++place) replace({values[i].family, place});
  }
}

Histories all_simpler(const History& history) {
  Histories simpler;
  drop_events(history, simpler);
  drop_sites(history, simpler);
  if (!history.start.empty()) {
    simpler.push_back(history);
    simpler.back().start.clear();
  }
  put_first_sites(history, simpler);
  make_plain(history, simpler);
  make_values_plain(history.start, [&](std::vector<PoolValue> values) {
    simpler.push_back(history);
    simpler.back().start = std::move(values);
  });
  for (size_t i = 0; i < history.events.size(); ++i) {
    make_values_plain(history.events[i].values, [&](std::vector<PoolValue> values) {
      simpler.push_back(history);
      simpler.back().events[i].values = std::move(values);
    });
  }
  return simpler;
}

}  // namespace

std::vector<History> simpler_than(const History& history) {
  Histories simpler = all_simpler(history);
  std::erase(simpler, history);
  return simpler;
}

History shrink(History history, const FindBroken& find_broken, size_t at_once, size_t calls_max) {
  size_t calls = 0;
  for (bool is_simpler = true; is_simpler;) {
    is_simpler = false;
    Histories simpler = simpler_than(history);
    for (size_t first = 0; first < simpler.size() && !is_simpler; first += at_once) {
      if (++calls > calls_max) return history;
      const auto part = std::span(simpler).subspan(first, std::min(at_once, simpler.size() - first));
      const auto broken = find_broken(part);
      if (!broken) continue;
      history = std::move(simpler[first + *broken]);
      is_simpler = true;
    }
  }
  return history;
}

}  // namespace quadrille::policies::check
