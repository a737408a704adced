#include "replica/site/site.h"

#include <utility>

#include "engine/sparql/parse.h"
#include "replica/site/query.h"

namespace quadrille::replica {
namespace {

std::unique_ptr<sync::SyncNode> make_sync(Site::Parts& parts) {
  const auto& identity = parts.store->identity();
  if (!parts.stability) {
    parts.stability = std::make_unique<reconcile::Stability>(
        identity.site, std::set<std::string>(identity.members.begin(), identity.members.end()));
  }
  if (!parts.sync_observer) parts.sync_observer = std::make_unique<sync::SyncObserver>();
  return sync::SyncNode::make({.store = *parts.store,
                               .writer = *parts.writer,
                               .stability = std::move(parts.stability),
                               .dialer = parts.dialer,
                               .timer = parts.timer,
                               .random = parts.random,
                               .observer = *parts.sync_observer},
                              parts.sync_options);
}

}  // namespace

Site::Site(Parts parts) : parts_(std::move(parts)), sync_(make_sync(parts_)) {}

Site::~Site() = default;

void Site::update(std::string_view text, UpdateDone done) {
  auto parsed = sparql::parse_update(text);
  if (parsed.ok()) return update(std::move(parsed).value(), {}, std::move(done));
  write([error = parsed.error()](model::QuadTarget&) -> base::Result<void> { return error; }, std::move(done));
}

void Site::update(sparql::Update update, QueryOptions options, UpdateDone done) {
  // A shared_ptr because a std::function must be copyable, and an Update is not.
  auto shared = std::make_shared<const sparql::Update>(std::move(update));
  write(
      [this, shared, options = std::move(options)](model::QuadTarget& target) {
        return run_update(*shared, options, target, {parts_.wall_clock, parts_.steady_clock, parts_.random});
      },
      std::move(done));
}

void Site::write(Work work, UpdateDone done) {
  // Written by the writer, read by the loop: the queue orders the two.
  auto outcome = std::make_shared<base::Result<UpdateOutcome>>(
      base::Error{base::ErrorKind::Unavailable, "the writer did not run the transaction", {}});
  parts_.writer->submit(
      [outcome, work = std::move(work)](reconcile::WriteGroup& group) {
        auto receipt = group.update(work);
        if (receipt.ok()) {
          *outcome = UpdateOutcome{std::move(receipt).value(), group.version_vector()};
        } else {
          *outcome = std::move(receipt).error();
        }
      },
      [this, outcome, done = std::move(done)](const base::Result<void>& committed) {
        if (!committed.ok()) return done(committed.error());
        if (outcome->ok() && outcome->value().receipt.header.id.seq != 0) {
          sync_->on_local_commit(outcome->value().receipt.header);
        }
        done(std::move(*outcome));
      });
}

}  // namespace quadrille::replica
