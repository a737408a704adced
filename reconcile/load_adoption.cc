#include "reconcile/load_adoption.h"

#include <fmt/format.h>

#include "reconcile/local_transaction.h"

namespace quadrille::reconcile {

base::Result<CommitReceipt> adopt_load(Writing& writing, LmdbStagedLoad& staged, load::PreparedLoad& load,
                                       std::span<const std::string> names) {
  // Also one below that in force: it may have given a property other cells, so that its quads are none of the load's.
  if (!staged.bulk_quads().goes_by_all_of(writing.memory.assignments)) {
    return base::Error{
        base::ErrorKind::Refused, "the policy assignment was changed while the load was prepared; load it again", {}};
  }
  if (staged.was_alone() && !writing.memory.is_alone()) {
    return base::Error{base::ErrorKind::Refused, "a site has joined while the load was prepared; load it again", {}};
  }
  LocalTransaction transaction(writing);
  for (const load::QuadApart& apart : load.quads_apart()) {
    const auto error_here = [&](std::string_view what) {
      const std::string_view name = apart.document < names.size() ? std::string_view(names[apart.document]) : "load";
      return base::Error{base::ErrorKind::Refused, fmt::format("{}:{}: {}", name, apart.line, what), {}};
    };
    transaction.insert(apart.quad);
    if (transaction.refused()) return error_here(transaction.refused()->message);
    if (!transaction.has_too_many_values(apart.quad)) continue;
    return error_here(fmt::format("a second value for {} {}, which may have one",
                                  to_ntriples(writing.quads.get_term(apart.quad.subject)),
                                  to_ntriples(writing.quads.get_term(apart.quad.predicate))));
  }
  return transaction.commit(staged, load);
}

}  // namespace quadrille::reconcile
