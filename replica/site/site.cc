#include "replica/site/site.h"

#include <utility>

#include "engine/sparql/parse.h"
#include "replica/site/bulk_load.h"
#include "replica/site/query.h"
#include "replica/site/update_inputs.h"

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

void Site::update(sparql::Update update, QueryOptions options, UpdateDone done, std::shared_ptr<UpdateInputs> inputs) {
  // A shared_ptr because a std::function must be copyable, and an Update is not.
  auto shared = std::make_shared<const sparql::Update>(std::move(update));
  write([this, shared, options = std::move(options), inputs = std::move(inputs)](
            model::QuadTarget& target) { return run_update(*shared, options, target, run_parts(), inputs.get()); },
        std::move(done));
}

// A transaction on its way through the writer. Written by the writer, read by the loop: the queue orders the two.
struct Site::Written {
  base::Result<UpdateOutcome> outcome =
      base::Error{base::ErrorKind::Unavailable, "the writer did not run the transaction", {}};
  UpdateDone done;  // empty once it was called
};

void Site::answer(const std::shared_ptr<Written>& written) {
  if (const auto done = std::exchange(written->done, nullptr)) done(written->outcome);
}

base::Result<UpdateOutcome> Site::bulk_load(std::vector<load::Document> documents, base::TaskRunner& runner,
                                            const load::LoadOptions& options) {
  QueuedLoadWriter writer(*parts_.writer, *options.stopping);
  return replica::bulk_load(std::move(documents), {*parts_.store, writer, runner, parts_.random}, options);
}

base::Result<void> Site::show_conflicts(const std::atomic<bool>& stopping) {
  constexpr size_t records_per_job = 250;
  QueuedLoadWriter writer(*parts_.writer, stopping);
  const auto publish = [](reconcile::WriteGroup& group) -> base::Result<void> {
    QUADRILLE_TRY(group.publish_conflicts(records_per_job));
    return {};
  };
  while (store().snapshot()->unpublished_conflict_count() > 0) QUADRILLE_TRY(writer.run(publish));
  return {};
}

void Site::write(Work work, UpdateDone done) {
  commit([work = std::move(work)](reconcile::WriteGroup& group) { return group.update(work); }, std::move(done));
}

void Site::assign(reconcile::Assignment assignment, UpdateDone done) {
  commit([assignment = std::move(assignment)](reconcile::WriteGroup& group) { return group.assign(assignment); },
         std::move(done));
}

void Site::commit(GroupWork work, UpdateDone done) {
  auto written = std::make_shared<Written>();
  written->done = std::move(done);
  parts_.writer->submit(
      [this, written, work = std::move(work), alive = std::weak_ptr(is_alive_)](reconcile::WriteGroup& group) {
        auto receipt = work(group);
        if (receipt.ok()) {
          written->outcome = UpdateOutcome{std::move(receipt).value(), group.version_vector()};
        } else {
          written->outcome = std::move(receipt).error();
        }
        if (!parts_.answer_early) return;
        parts_.answer_early([written, alive] {
          if (!alive.expired()) answer(written);
        });
      },
      [this, written](const base::Result<void>& committed) {
        if (!committed.ok()) {
          if (!written->done) {
            parts_.sync_observer->on_trouble(
                "updates that were answered, as durability = \"relaxed\" has it, are undone: " +
                committed.error().message);
          }
          written->outcome = committed.error();
        } else if (written->outcome.ok() && written->outcome.value().receipt.header.id.seq != 0) {
          sync_->on_local_commit(written->outcome.value().receipt.header);
        }
        answer(written);
      });
}

}  // namespace quadrille::replica
