#include "policies/built_in.h"

#include "policies/add_wins.h"
#include "policies/delete_wins.h"
#include "policies/last_writer_wins.h"
#include "policies/sum.h"

namespace quadrille::policies {

reconcile::PolicyRegistry built_in() {
  reconcile::PolicyRegistry policies;
  const auto add = [&](std::shared_ptr<const reconcile::Policy> policy) {
    const bool is_new = policies.add(std::move(policy)).ok();
    QUADRILLE_CHECK(is_new, "two built-in policies have one name");
  };
  add(std::make_shared<AddWins>());
  add(std::make_shared<DeleteWins>());
  add(std::make_shared<LastWriterWins>());
  add(std::make_shared<Sum>());
  return policies;
}

}  // namespace quadrille::policies
