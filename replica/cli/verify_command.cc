#include <fmt/format.h>

#include <algorithm>

#include "replica/cli/commands.h"
#include "replica/cli/http_client.h"
#include "replica/cli/local_store.h"
#include "replica/cli/site_comparison.h"
#include "replica/cli/trouble.h"

namespace quadrille::cli {
namespace {

int verify_directory(const std::string& directory) {
  const auto local = LocalStore::open(directory);
  if (!local.ok()) return report(local.error());
  const auto findings = (*local)->store().verify();
  for (const auto& finding : findings) fmt::print("{}\n", finding);
  if (!findings.empty()) {
    return report({base::ErrorKind::Corruption, fmt::format("{}: {} findings", directory, findings.size()), {}});
  }
  fmt::print("{}: sound, {} quads\n", directory, (*local)->store().snapshot()->quad_count());
  return Done;
}

using replica::QuadOfTerms;

constexpr size_t quads_shown_max = 20;

void show(const std::vector<QuadOfTerms>& quads, const std::string& site) {
  for (size_t i = 0; i < std::min(quads.size(), quads_shown_max); ++i) {
    const QuadOfTerms& quad = quads[i];
    fmt::print("  only {}: {} {} {}{} .\n", site, to_ntriples(quad.subject), to_ntriples(quad.predicate),
               to_ntriples(quad.object), quad.graph ? " " + to_ntriples(*quad.graph) : std::string());
  }
  if (quads.size() > quads_shown_max) fmt::print("  only {}: {} more\n", site, quads.size() - quads_shown_max);
}

base::Result<void> check_comparable(const std::vector<SiteLook>& sites) {
  for (const SiteLook& site : sites) {
    if (site.undecided_cells == 0) continue;
    return base::Error{base::ErrorKind::Busy,
                       fmt::format("{}: {} cells are undecided as of that version (a policy waits for other sites, or "
                                   "the assignment changes); expected a comparison later",
                                   site.site, site.undecided_cells),
                       {}};
  }
  return {};
}

// What the sites hold that is not what the first one, or that of --from, does. True: all is equal and sound.
class Verdict {
 public:
  Verdict(SiteComparison& comparison, const VerifyOptions& options) : comparison_(comparison), options_(options) {}

  base::Result<bool> reach() {
    const auto& sites = comparison_.sites();
    const SiteLook* right = &sites.front();
    for (const SiteLook& site : sites) {
      if (site.url == options_.from) right = &site;
    }
    for (const SiteLook& site : sites) {
      fmt::print("{}  {:>12} quads  {} ({})\n", site.digest, site.quads, site.site, site.url);
    }
    for (const SiteLook& site : sites) {
      // First the counts: a quad that they do not count could not be erased.
      if (!site.has_sound_totals) QUADRILLE_TRY(look_at_totals(site));
      if (site.digest != right->digest) QUADRILLE_TRY(compare(site, *right));
    }
    if (is_all_well_ && !was_repaired_) {
      fmt::print("equal: {} sites hold the same {} quads\n", sites.size(), right->quads);
    }
    return is_all_well_;
  }

 private:
  base::Result<void> compare(const SiteLook& site, const SiteLook& right) {
    QUADRILLE_ASSIGN(const auto difference, comparison_.difference(site, right));
    fmt::print("{} and {} differ in {} quads\n", site.site, right.site,
               difference.only_left.size() + difference.only_right.size());
    show(difference.only_left, site.site);
    show(difference.only_right, right.site);
    if (!options_.repair) {
      is_all_well_ = false;
      return {};
    }
    QUADRILLE_ASSIGN(const auto report, comparison_.repair(site, difference, true));
    was_repaired_ = true;
    fmt::print("{}: repaired from {}: {} quads inserted, {} erased\n", site.site, right.site, report.inserted,
               report.erased);
    if (report.left == 0) return {};
    is_all_well_ = false;
    fmt::print(
        "{}: {} quads are left: what their history says cannot be put right; compare again when it has settled, "
        "or let the site join anew\n",
        site.site, report.left);
    return {};
  }

  base::Result<void> look_at_totals(const SiteLook& site) {
    fmt::print(
        "{}: what it keeps of the number and digests of its quads is not what it holds: its file was damaged or "
        "written to by something else\n",
        site.site);
    if (!options_.repair) {
      is_all_well_ = false;
      return {};
    }
    QUADRILLE_TRY(comparison_.correct_totals(site));
    was_repaired_ = true;
    fmt::print("{}: put right\n", site.site);
    return {};
  }

  SiteComparison& comparison_;
  const VerifyOptions& options_;
  bool is_all_well_ = true;
  bool was_repaired_ = false;
};

int compare_sites(const VerifyOptions& options) {
  SiteComparison comparison;
  const auto looked = comparison.look(options.targets, options.wait_s);
  if (!looked.ok()) return report(looked.error());
  const auto comparable = check_comparable(comparison.sites());
  if (!comparable.ok()) return report(comparable.error());
  const auto is_well = Verdict(comparison, options).reach();
  if (!is_well.ok()) return report(is_well.error());
  const ComparisonCost& cost = comparison.cost();
  fmt::print("({} rounds; {} bytes to and from all sites, and {} of quads)\n", cost.rounds, cost.bytes,
             cost.quad_bytes);
  if (*is_well) return Done;
  return report({base::ErrorKind::Mismatch, "sites hold different quads", {}});
}

}  // namespace

int run_verify(const VerifyOptions& options) {
  const auto& targets = options.targets;
  const bool all_urls = std::all_of(targets.begin(), targets.end(), is_url);
  if (options.repair && std::find(targets.begin(), targets.end(), options.from) == targets.end()) {
    return report_usage(fmt::format("--from {}: expected one of the URLs that are compared", options.from));
  }
  if (all_urls && targets.size() >= 2) return compare_sites(options);
  if (!all_urls && targets.size() == 1) return verify_directory(targets[0]);
  return report_usage("verify of these makes no sense; expected one directory, or two and more URLs");
}

}  // namespace quadrille::cli
