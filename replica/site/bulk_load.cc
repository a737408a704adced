#include "replica/site/bulk_load.h"

#include <chrono>
#include <condition_variable>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace quadrille::replica {
namespace {

// How often a load looks again before it gives up: each time only at what came since.
constexpr int looks_max = 20;

class WriteAside final : public load::StoreWriter {
 public:
  explicit WriteAside(LoadWriter& writer) : writer_(writer) {}
  base::Result<void> write(const std::function<void(store::Transaction&)>& work) override {
    return writer_.run([&work](reconcile::WriteGroup& group) { return group.write_aside(work); });
  }

 private:
  LoadWriter& writer_;
};

// A job of the queue, and who waits for it. The two live as long as either needs it.
class QueuedJob {
 public:
  explicit QueuedJob(const LoadWriter::Job& job) : job_(&job) {}

  void run(reconcile::WriteGroup& group) {
    {
      const std::lock_guard lock(mutex_);
      if (state_ == State::Abandoned) return;
      state_ = State::Running;
    }
    auto outcome = (*job_)(group);
    change(State::Ran, std::move(outcome));
  }

  void end(const base::Result<void>& committed) {
    const std::lock_guard lock(mutex_);
    if (!committed.ok()) outcome_ = committed;
    state_ = State::Ended;
    changed_.notify_all();
  }

  // Afterwards nobody runs the job any more.
  base::Result<void> wait(const std::atomic<bool>& stopping) {
    constexpr auto patience = std::chrono::milliseconds(50);
    std::unique_lock lock(mutex_);
    while (state_ != State::Ended) {
      changed_.wait_for(lock, patience);
      if (!stopping || state_ == State::Running || state_ == State::Ended) continue;
      state_ = State::Abandoned;
      return base::Error{base::ErrorKind::Unavailable, "the load was given up: the site stops", {}};
    }
    return outcome_;
  }

 private:
  enum class State : uint8_t { Waiting, Running, Ran, Ended, Abandoned };

  void change(State state, base::Result<void> outcome) {
    const std::lock_guard lock(mutex_);
    state_ = state;
    outcome_ = std::move(outcome);
    changed_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  State state_ = State::Waiting;
  base::Result<void> outcome_;
  const LoadWriter::Job* job_;
};

std::vector<std::string> names_of(const std::vector<load::Document>& documents) {
  std::vector<std::string> names;
  for (const auto& document : documents) names.push_back(document.name);
  return names;
}

// A load that is being built, or ready. What is not switched in is given up at the end.
class SiteLoad {
 public:
  SiteLoad(const BulkLoadParts& parts, std::vector<std::string> names)
      : parts_(parts), aside_(parts.writer), names_(std::move(names)) {}
  ~SiteLoad() {
    if (is_done_) return;
    // What cannot be removed now is removed at the next opening.
    if (prepared_) static_cast<void>(prepared_->give_up(aside_));
  }
  SiteLoad(const SiteLoad&) = delete;
  SiteLoad& operator=(const SiteLoad&) = delete;

  base::Result<void> prepare(std::vector<load::Document> documents, const load::LoadOptions& options) {
    QUADRILLE_ASSIGN(staged_, parts_.store.stage_load(aside_));
    const load::LoadParts load_parts{
        staged_->quads(),    aside_,
        parts_.runner,       parts_.random,
        staged_->asserted(), [this](const model::Quad& quad) { return staged_->is_bulk(quad); }};
    QUADRILLE_ASSIGN(prepared_, load::prepare_load(std::move(documents), load_parts, options));
    return staged_->finish(aside_);
  }

  base::Result<reconcile::CommitReceipt> adopt() {
    base::Result<reconcile::CommitReceipt> outcome = try_to_adopt();
    for (int look = 0; look < looks_max && !outcome.ok() && outcome.error().kind == base::ErrorKind::Busy; ++look) {
      QUADRILLE_TRY(prepared_->look_again(aside_));
      outcome = try_to_adopt();
    }
    // A site that stops does not tell whether it was switched in: then the next opening finds that out.
    is_done_ = outcome.ok() || outcome.error().kind == base::ErrorKind::Unavailable;
    return outcome;
  }

 private:
  base::Result<reconcile::CommitReceipt> try_to_adopt() {
    std::optional<reconcile::CommitReceipt> outcome;
    QUADRILLE_TRY(parts_.writer.run([&](reconcile::WriteGroup& group) -> base::Result<void> {
      QUADRILLE_ASSIGN(outcome, group.adopt(*staged_, *prepared_, names_));
      return {};
    }));
    return *std::move(outcome);
  }

  const BulkLoadParts& parts_;
  WriteAside aside_;
  std::vector<std::string> names_;
  std::unique_ptr<reconcile::StagedLoad> staged_;
  std::unique_ptr<load::PreparedLoad> prepared_;
  bool is_done_ = false;
};

}  // namespace

base::Result<void> DirectLoadWriter::run(const Job& job) {
  const std::lock_guard lock(mutex_);
  QUADRILLE_ASSIGN(const auto group, store_.begin());
  QUADRILLE_TRY(job(*group));
  return group->commit();
}

base::Result<void> QueuedLoadWriter::run(const Job& job) {
  const auto queued = std::make_shared<QueuedJob>(job);
  queue_.submit([queued](reconcile::WriteGroup& group) { queued->run(group); },
                [queued](const base::Result<void>& committed) { queued->end(committed); });
  return queued->wait(stopping_);
}

base::Result<reconcile::CommitReceipt> bulk_load(std::vector<load::Document> documents, const BulkLoadParts& parts,
                                                 const load::LoadOptions& options) {
  SiteLoad site_load(parts, names_of(documents));
  QUADRILLE_TRY(site_load.prepare(std::move(documents), options));
  return site_load.adopt();
}

}  // namespace quadrille::replica
