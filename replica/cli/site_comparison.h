// Running sites compared with each other, quad by quad, as of one version that all of them have: the other end of
// /comparisons (replica/http/comparisons_endpoint.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/store/statistics.h"
#include "replica/site/comparisons.h"

namespace quadrille::cli {

// What comparing costs, between here and the sites.
struct ComparisonCost {
  uint64_t bytes = 0;       // of requests and answers, without HTTP's, at all sites together
  uint64_t quad_bytes = 0;  // of quads that were named, besides
  uint64_t rounds = 0;      // requests that waited for the one before
};

struct SiteLook {
  std::string url;
  std::string site;
  std::string comparison;  // its id there
  std::string version;     // when it was opened
  uint64_t quads = 0;
  std::string digest;
  bool has_sound_totals = true;  // what it keeps of its quads is what a scan finds
  uint64_t undecided_cells = 0;
  std::vector<uint8_t> estimate;
};

struct FoundDifference {
  std::vector<replica::QuadOfTerms> only_left, only_right;
};

class SiteComparison {
 public:
  SiteComparison() = default;
  // Closes what it opened, as far as the sites can be reached.
  ~SiteComparison();
  SiteComparison(const SiteComparison&) = delete;
  SiteComparison& operator=(const SiteComparison&) = delete;

  // In three rounds: opened, looked at as of what all have together (which each site has `wait_s` to get), compared.
  base::Result<void> look(const std::vector<std::string>& urls, uint32_t wait_s);
  const std::vector<SiteLook>& sites() const noexcept { return sites_; }

  base::Result<FoundDifference> difference(const SiteLook& left, const SiteLook& right);
  // `site` comes to hold what `difference` says that the other one does; `is_left`: whether it is that one's left.
  base::Result<reconcile::RepairReport> repair(const SiteLook& site, const FoundDifference& difference, bool is_left);
  base::Result<void> correct_totals(const SiteLook& site);

  const ComparisonCost& cost() const noexcept { return cost_; }

 private:
  struct Items {
    std::vector<uint64_t> only_left, only_right;
  };
  base::Result<void> open(const std::string& url);
  base::Result<void> look_at(SiteLook& site, const std::string& cut, uint32_t wait_s);
  // Nothing: there are too many differences.
  base::Result<std::optional<Items>> items_by_sketch(const SiteLook& left, const SiteLook& right, size_t symbols);
  base::Result<Items> items_by_lists(const SiteLook& left, const SiteLook& right);
  base::Result<std::vector<replica::QuadOfTerms>> quads_of(const SiteLook& site, const std::vector<uint64_t>& items);
  base::Result<std::string> ask(const SiteLook& site, const char* method, const std::string& query, std::string body,
                                std::vector<std::string> headers = {});

  std::vector<SiteLook> sites_;
  ComparisonCost cost_;
};

}  // namespace quadrille::cli
