#include "sync/cut_look.h"

#include <fmt/format.h>
#include <kj/debug.h>

#include <utility>

namespace quadrille::sync {
namespace {

constexpr auto pause_between_looks = 50 * kj::MILLISECONDS;

base::Error gone() { return {base::ErrorKind::Unavailable, "the site stops", {}}; }

}  // namespace

kj::Promise<std::shared_ptr<CutLook>> CutLook::open(Parts parts) {
  auto look = std::make_shared<CutLook>(std::move(parts));
  auto opened = kj::newPromiseAndFulfiller<std::shared_ptr<CutLook>>();
  const auto fulfiller =
      std::make_shared<kj::Own<kj::PromiseFulfiller<std::shared_ptr<CutLook>>>>(kj::mv(opened.fulfiller));
  const auto vector = std::make_shared<log::VersionVector>();
  look->parts_.writer.submit(
      [vector, holder = look->parts_.holder](reconcile::WriteGroup& group) {
        group.hold_folding(holder, held_ms);
        *vector = group.version_vector();
      },
      [look, vector, fulfiller](const base::Result<void>& committed) {
        look->vector_ = std::move(*vector);
        if (committed.ok()) return (*fulfiller)->fulfill(std::shared_ptr<CutLook>(look));
        (*fulfiller)->reject(KJ_EXCEPTION(OVERLOADED, "nothing can be written now"));
      });
  return kj::mv(opened.promise);
}

CutLook::~CutLook() noexcept {
  if (parts_.site_is_served.expired()) return;
  parts_.writer.submit([holder = parts_.holder](reconcile::WriteGroup& group) { group.hold_folding(holder, 0); },
                       [](const auto&) {});
}

kj::Promise<base::Result<store::QuadTotals>> CutLook::totals(log::VersionVector cut) {
  return wait_for(std::move(cut), parts_.timer.now() + patience);
}

// What comes in comes by other ways: it is looked for now and then.
kj::Promise<base::Result<store::QuadTotals>> CutLook::wait_for(log::VersionVector cut, kj::TimePoint until) {
  using Outcome = base::Result<store::QuadTotals>;
  if (parts_.site_is_served.expired()) return Outcome(gone());
  if (quads_) return Outcome(base::Error{base::ErrorKind::InvalidInput, "a second cut for one look", {}});
  if (parts_.store.snapshot()->version_vector().covers(cut)) return look(cut);
  if (parts_.timer.now() >= until) {
    return Outcome(base::Error{base::ErrorKind::Timeout, "some of what the other one has did not come in", {}});
  }
  return parts_.timer.afterDelay(pause_between_looks).then([self = shared_from_this(), cut = std::move(cut), until] {
    return self->wait_for(cut, until);
  });
}

base::Result<store::QuadTotals> CutLook::look(const log::VersionVector& cut) {
  return base::catch_storage_error([&]() -> base::Result<store::QuadTotals> {
    QUADRILLE_ASSIGN(quads_, parts_.store.quads_at(cut, cells_since_max));
    if (quads_->undecided_cells() > 0) {
      return base::Error{base::ErrorKind::Busy,
                         fmt::format("{} cells are undecided as of that version", quads_->undecided_cells()),
                         {}};
    }
    return quads_->kept_totals();
  });
}

base::Result<std::vector<reconcile::GraphTotals>> CutLook::totals_by_graph() const {
  if (parts_.site_is_served.expired()) return gone();
  if (!quads_) return base::Error{base::ErrorKind::InvalidInput, "no cut was chosen", {}};
  return base::catch_storage_error([&] { return quads_->kept_totals_by_graph(graphs_max); });
}

}  // namespace quadrille::sync
