#include <fmt/format.h>

#include "replica/cli/commands.h"
#include "replica/cli/trouble.h"
#include "replica/site/assignment_tables.h"
#include "replica/site/http_config.h"
#include "replica/system_clocks.h"

namespace quadrille::cli {
namespace {

// 256 bits of chance: nobody guesses it, however fast hashes are computed.
std::string make_token() {
  replica::SystemRandom random;
  std::string token = "q_";
  for (int i = 0; i < 4; ++i) token += fmt::format("{:016x}", random.next());
  return token;
}

}  // namespace

int run_token(const TokenOptions& options) {
  const auto role = replica::role_by_name(options.role);
  if (!role || *role == replica::Role::None) {
    return report_usage(fmt::format("--role {}; expected read, write or admin", options.role));
  }
  const auto token = make_token();
  fmt::print("# The token, which stands nowhere else: {}\n[[http.token]]\nname = {}\nrole = \"{}\"\nhash = \"{}\"\n",
             token, replica::toml_quoted(options.name), options.role, replica::to_text(replica::hash_of_token(token)));
  return Done;
}

}  // namespace quadrille::cli
