// `quadrille reissue`: what a site wrote before it was evicted and nobody has, written again by the site that it
// became.
#include <fmt/format.h>

#include <filesystem>
#include <fstream>

#include "replica/cli/commands.h"
#include "replica/cli/local_store.h"
#include "replica/cli/trouble.h"
#include "replica/site/issue_again.h"

namespace quadrille::cli {
namespace {

// Once: what was deleted elsewhere since must not come back by a second time.
std::filesystem::path mark_of(const std::string& directory) {
  return std::filesystem::path(directory) / "issued-again";
}

base::Result<replica::IssuedAgain> reissue(const ReissueOptions& options) {
  const auto mark = mark_of(options.earlier);
  if (std::filesystem::exists(mark)) {
    return base::Error{
        base::ErrorKind::Refused,
        fmt::format("{} was issued again already; remove {} to do so once more", options.earlier, mark.string()),
        {}};
  }
  QUADRILLE_ASSIGN(const auto earlier, LocalStore::open(options.earlier));
  QUADRILLE_ASSIGN(const auto site, LocalStore::open(options.directory));
  QUADRILLE_ASSIGN(auto issued, replica::issue_again(earlier->store(), site->store(), site->policies()));
  std::ofstream(mark) << "by " << to_string(site->store().identity().site) << "\n";
  return issued;
}

}  // namespace

int run_reissue(const ReissueOptions& options) {
  const auto issued = reissue(options);
  if (!issued.ok()) return report(issued.error());
  fmt::print("issued again {} operations of {} transactions that nobody else had\n", issued->operations,
             issued->changesets);
  if (issued->cells_left > 0) {
    fmt::print("{} values stay as others have written them since:\n", issued->cells_left);
    for (const std::string& line : issued->left) fmt::print("  {}\n", line);
    if (issued->left.size() < issued->cells_left) fmt::print("  ...\n");
  }
  if (issued->announcements > 0) {
    fmt::print("{} changes of members or policies are not issued again\n", issued->announcements);
  }
  return Done;
}

}  // namespace quadrille::cli
