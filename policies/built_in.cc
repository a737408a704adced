#include "policies/built_in.h"

#include "policies/add_wins.h"
#include "policies/delete_wins.h"
#include "policies/first_writer_wins.h"
#include "policies/keep_all.h"
#include "policies/last_writer_wins.h"
#include "policies/max.h"
#include "policies/min.h"
#include "policies/site_priority.h"
#include "policies/sum.h"
#include "policies/union_of_values.h"

namespace quadrille::policies {

reconcile::PolicyRegistry built_in() {
  reconcile::PolicyRegistry policies;
  const auto add = [&](std::shared_ptr<const reconcile::Policy> policy) {
    const bool is_new = policies.add(std::move(policy)).ok();
    QUADRILLE_CHECK(is_new, "two built-in policies have one name");
  };
  add(std::make_shared<AddWins>());
  add(std::make_shared<DeleteWins>());
  add(std::make_shared<FirstWriterWins>());
  add(std::make_shared<KeepAll>());
  add(std::make_shared<LastWriterWins>());
  add(std::make_shared<Max>());
  add(std::make_shared<Min>());
  add(std::make_shared<SitePriority>());
  add(std::make_shared<Sum>());
  add(std::make_shared<Union>());
  return policies;
}

}  // namespace quadrille::policies
