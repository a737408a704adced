// Plays many histories and notes the first that breaks each law. Part of policy_check.h.
#pragma once

#include <array>
#include <optional>

#include "policies/check/policy_check.h"

namespace quadrille::policies::check {

struct BrokenCase {
  uint64_t number = 0;
  Broken broken;
};
using FirstBroken = std::array<std::optional<BrokenCase>, law_count>;

struct SearchResult {
  Coverage coverage;
  FirstBroken broken;
  uint64_t questions_elsewhere = 0;
  std::optional<base::Error> trouble;  // of another process

  void add(SearchResult&& other);
  bool is_any_broken() const;
};

class Search {
 public:
  Search(const reconcile::Policy& policy, const HistoryGenerator& generator, const ValuePool& pool,
         const Elsewhere* elsewhere, Watcher* watcher)
      : policy_(policy), generator_(generator), pool_(pool), elsewhere_(elsewhere), watcher_(watcher) {}

  // Cases `first` ... `end` - 1, on all threads of the runner.
  SearchResult run(uint64_t first, uint64_t end, base::TaskRunner& runner) const;

 private:
  SearchResult run_part(uint64_t first, uint64_t end, uint64_t step, uint32_t pause_ms) const;
  void ask_elsewhere(SearchResult& result, RequestWriter& questions, std::span<const Answer> answers,
                     std::span<const std::pair<uint64_t, size_t>> places) const;
  void ask_in_threads(SearchResult& result, uint64_t first, uint64_t end, base::TaskRunner& runner) const;

  const reconcile::Policy& policy_;
  const HistoryGenerator& generator_;
  const ValuePool& pool_;
  const Elsewhere* elsewhere_;
  Watcher* watcher_;
};

}  // namespace quadrille::policies::check
