#include "replica/site/site.h"

#include <fmt/format.h>

#include <utility>

#include "engine/sparql/parse.h"
#include "reconcile/assignment_history.h"
#include "replica/site/bulk_load.h"
#include "replica/site/query.h"
#include "replica/site/update_inputs.h"

namespace quadrille::replica {

// Hears what the node tells the site, and passes it on.
class Site::Observer final : public sync::SyncObserver {
 public:
  Observer(std::unique_ptr<sync::SyncObserver> next, VersionGate& versions)
      : next_(next ? std::move(next) : std::make_unique<sync::SyncObserver>()), versions_(versions) {}

  void on_applied(const reconcile::ApplyReport& report) override {
    for (const auto& header : report.applied) versions_.memory().add(header);
    versions_.on_advance();
    next_->on_applied(report);
  }
  void on_folded(const reconcile::FoldReport& report) override { next_->on_folded(report); }
  void on_own_changeset(const log::ChangesetHeader& header) override {
    versions_.memory().add(header);
    versions_.on_advance();
    next_->on_own_changeset(header);
  }
  void on_trouble(const std::string& line) override { next_->on_trouble(line); }

 private:
  std::unique_ptr<sync::SyncObserver> next_;
  VersionGate& versions_;
};

Site::Site(Parts parts)
    : parts_(std::move(parts)),
      versions_(*parts_.store, parts_.timer),
      observer_(std::make_unique<Observer>(std::move(parts_.sync_observer), versions_)) {
  if (!parts_.stability) {
    const auto membership = parts_.store->membership();
    parts_.stability = std::make_unique<reconcile::Stability>(
        parts_.store->identity().site, std::set<std::string>(membership.names().begin(), membership.names().end()));
  }
  sync_ = sync::SyncNode::make({.store = *parts_.store,
                                .writer = *parts_.writer,
                                .stability = std::move(parts_.stability),
                                .dialer = parts_.dialer,
                                .timer = parts_.timer,
                                .wall_clock = parts_.wall_clock,
                                .random = parts_.random,
                                .observer = *observer_},
                               parts_.sync_options);
}

// What waits for the writer runs when it goes, and uses the rest of the site.
Site::~Site() {
  sync_.reset();
  parts_.writer.reset();
}

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
  base::Result<reconcile::CommitReceipt> outcome =
      base::Error{base::ErrorKind::Unavailable, "the writer did not run the transaction", {}};
  UpdateDone done;       // empty once it was called
  bool is_open = false;  // it was to be answered before it was durable
};

void Site::answer(const std::shared_ptr<Written>& written) {
  if (const auto done = std::exchange(written->done, nullptr)) done(written->outcome);
}

base::Result<reconcile::CommitReceipt> Site::bulk_load(std::vector<load::Document> documents, base::TaskRunner& runner,
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
         [this, done = std::move(done)](auto outcome) {
           const bool is_any_reason = !outcome.ok() && outcome.error().kind == base::ErrorKind::ResourceExhausted;
           const auto missing = is_any_reason ? sync_->waiting_for() : std::vector<std::string>();
           if (!missing.empty() && store().assignment_digests().size() >= reconcile::assignments_max) {
             base::Error error = outcome.error();
             error.message += fmt::format(" (waiting for {})", fmt::join(missing, ", "));
             return done(std::move(error));
           }
           done(std::move(outcome));
         });
}

void Site::add_member(const log::SiteId& site, log::VersionVector has, UpdateDone done) {
  commit([site, has = std::move(has)](reconcile::WriteGroup& group) { return group.add_member(site, has); },
         std::move(done));
}

void Site::evict_member(std::string name, UpdateDone done) {
  commit([name = std::move(name)](reconcile::WriteGroup& group) { return group.evict_member(name); }, std::move(done));
}

void Site::on_local_commit(const log::ChangesetHeader& header) {
  versions_.memory().add(header);
  versions_.on_advance();
  sync_->on_local_commit(header);
}

void Site::commit(GroupWork work, UpdateDone done) {
  auto written = std::make_shared<Written>();
  written->done = std::move(done);
  parts_.writer->submit(
      [this, written, work = std::move(work), alive = std::weak_ptr(is_alive_)](reconcile::WriteGroup& group) {
        written->outcome = work(group);
        if (!parts_.answer_early) return;
        if (written->outcome.ok()) {
          const auto& header = written->outcome->header;
          // What it saw may be undone, and no changeset of its own says so to who comes back with its version.
          if (header.id.seq == 0) return;
          versions_.memory().add_open(header);
          written->is_open = true;
        }
        parts_.answer_early([written, alive] {
          if (!alive.expired()) answer(written);
        });
      },
      [this, written](const base::Result<void>& committed) {
        if (written->is_open) versions_.memory().end_open(written->outcome->header);
        if (!committed.ok()) {
          if (!written->done) {
            observer_->on_trouble("updates that were answered, as durability = \"relaxed\" has it, are undone: " +
                                  committed.error().message);
          }
          written->outcome = committed.error();
          versions_.on_advance();  // who waits for it learns that it is undone
        } else if (written->outcome.ok() && written->outcome->header.id.seq != 0) {
          on_local_commit(written->outcome->header);
        }
        answer(written);
      });
}

}  // namespace quadrille::replica
