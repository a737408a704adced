#include "replica/site/version_gate.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace quadrille::replica {
namespace {

constexpr size_t laggards_shown = 4;
constexpr auto look_for_gone_after = 1 * kj::SECONDS;

std::string name_of(const log::ChangesetId& changeset) {
  return fmt::format("{}:{}", log::to_string(changeset.origin), changeset.seq);
}

base::Error never(std::string why) {
  return {base::ErrorKind::Mismatch,
          fmt::format("the version token can never be satisfied: {}; expected the client to go on without it", why),
          {}};
}

}  // namespace

VersionGate::VersionGate(const reconcile::SiteStore& store, kj::Timer& timer, size_t waiting_max)
    : store_(store), timer_(timer), waiting_max_(waiting_max), alarm_(timer, [this] { end_late(); }), tasks_(*this) {}

base::Result<bool> VersionGate::includes(const VersionToken& token) const {
  QUADRILLE_ASSIGN(const auto lacking, find_lacking(token));
  return lacking.entries.empty();
}

std::string VersionGate::token_text(const reconcile::SiteSnapshot& snapshot) const {
  const auto version = snapshot.version_vector();
  {
    const std::lock_guard lock(mutex_);
    if (last_version_ == version) return last_text_;
  }
  auto text = to_string(token_of(snapshot));
  const std::lock_guard lock(mutex_);
  last_version_ = version;
  last_text_ = text;
  return text;
}

base::Result<VersionToken> VersionGate::find_lacking(const VersionToken& token) const {
  return base::catch_storage_error([&]() -> base::Result<VersionToken> {
    const auto& self = store_.identity().site;
    // Asked before the snapshot is taken: what is open no more is in the snapshot, or undone.
    std::vector<bool> is_open;
    for (const auto& entry : token.entries) {
      is_open.push_back(entry.changeset.origin == self && memory_.is_open(entry));
    }
    const auto snapshot = store_.snapshot();
    const auto version = snapshot->version_vector();
    VersionToken lacking;
    for (size_t i = 0; i < token.entries.size(); ++i) {
      const auto& entry = token.entries[i];
      if (version.covers(entry.changeset.origin, entry.changeset.seq)) {
        QUADRILLE_TRY(check_hash(entry, *snapshot, version));
      } else if (entry.changeset.origin == self && !is_open[i]) {
        return never(
            fmt::format("{} is undone, by a crash or because an older copy of the directory was started: this "
                        "site has written {} changesets",
                        name_of(entry.changeset), version.at(self)));
      } else {
        lacking.entries.push_back(entry);
      }
    }
    return lacking;
  });
}

base::Result<void> VersionGate::check_hash(const VersionToken::Entry& entry, const reconcile::SiteSnapshot& snapshot,
                                           const log::VersionVector& version) const {
  if (!entry.hash) return {};
  auto known = memory_.find(entry.changeset);
  if (!known) known = find_logged_hash(snapshot, version, entry.changeset);
  if (!known || *known == *entry.hash) return {};
  return never(
      fmt::format("{} was undone, and another changeset has its number: its hash is {:08x} here and {:08x} in "
                  "the token",
                  name_of(entry.changeset), *known, *entry.hash));
}

void VersionGate::enter(const VersionToken& token, int64_t patience_ms, const std::atomic<bool>* is_gone,
                        Entered entered) {
  auto lacking = find_lacking(token);
  if (!lacking.ok()) return entered(lacking.error());
  if (lacking->entries.empty()) return entered({});
  Waiting waiting{std::move(lacking).value(), patience_ms, timer_.now() + patience_ms * kj::MILLISECONDS, is_gone,
                  std::move(entered)};
  if (is_closed_) return waiting.entered(base::Error{base::ErrorKind::Unavailable, "the site is stopping", {}});
  if (patience_ms <= 0) return waiting.entered(too_late(waiting));
  if (waiting_.size() >= waiting_max_) {
    return waiting.entered(
        base::Error{base::ErrorKind::Busy,
                    fmt::format("{} requests wait for other versions already; expected the client to try again later",
                                waiting_.size()),
                    {}});
  }
  waiting_.push_back(std::move(waiting));
  set_alarm();
}

void VersionGate::on_advance() {
  if (waiting_.empty() || is_look_scheduled_) return;
  // Later: a group commit brings many changesets, and tells of each.
  is_look_scheduled_ = true;
  tasks_.add(kj::evalLater([this] {
    is_look_scheduled_ = false;
    look_again();
  }));
}

void VersionGate::look_again() {
  const auto version = base::catch_storage_error(
      [&]() -> base::Result<log::VersionVector> { return store_.snapshot()->version_vector(); });
  std::list<std::pair<Waiting, base::Result<void>>> over;
  for (auto each = waiting_.begin(); each != waiting_.end();) {
    const auto current = each++;
    // Most wait for one changeset from elsewhere, and are passed over by one look at the vector.
    const auto& [origin, seq] = current->lacking.entries.front().changeset;
    if (version.ok() && origin != store_.identity().site && !version->covers(origin, seq)) continue;
    auto lacking = find_lacking(current->lacking);
    if (lacking.ok() && !lacking->entries.empty()) {
      current->lacking = std::move(lacking).value();
      continue;
    }
    over.emplace_back(std::move(*current), lacking.ok() ? base::Result<void>() : lacking.error());
    waiting_.erase(current);
  }
  for (const auto& [waiting, outcome] : over) waiting.entered(outcome);
  set_alarm();
}

void VersionGate::end_late() {
  std::list<Waiting> over;
  const auto now = timer_.now();
  for (auto each = waiting_.begin(); each != waiting_.end();) {
    const auto current = each++;
    const bool is_gone = current->is_gone != nullptr && *current->is_gone;
    if (is_gone || current->deadline <= now) over.splice(over.end(), waiting_, current);
  }
  for (const auto& waiting : over) waiting.entered(too_late(waiting));
  set_alarm();
}

void VersionGate::close() {
  is_closed_ = true;
  const auto over = std::exchange(waiting_, {});
  for (const auto& waiting : over) {
    waiting.entered(base::Error{base::ErrorKind::Unavailable, "the site is stopping", {}});
  }
}

void VersionGate::set_alarm() {
  if (waiting_.empty()) return alarm_.call_off();
  const auto first = std::min_element(waiting_.begin(), waiting_.end(),
                                      [](const auto& a, const auto& b) { return a.deadline < b.deadline; });
  // A look now and then at whose client has gone.
  alarm_.set(kj::min(first->deadline, timer_.now() + look_for_gone_after));
}

base::Error VersionGate::too_late(const Waiting& waiting) const {
  std::string laggards;
  size_t count = 0;
  const auto version = base::catch_storage_error(
      [&]() -> base::Result<log::VersionVector> { return store_.snapshot()->version_vector(); });
  if (!version.ok()) return version.error();
  for (const auto& [changeset, hash] : waiting.lacking.entries) {
    const uint64_t here = version->at(changeset.origin);
    if (here >= changeset.seq) continue;
    if (++count > laggards_shown) continue;
    laggards += fmt::format("{}{} by {} (it has {} of {})", count > 1 ? ", " : "", log::to_string(changeset.origin),
                            changeset.seq - here, here, changeset.seq);
  }
  if (count > laggards_shown) laggards += fmt::format(" and {} more", count - laggards_shown);
  return {base::ErrorKind::Timeout,
          fmt::format("after {} ms this site still lacks changesets that the version token names: it lags behind {}",
                      waiting.patience_ms, laggards),
          {}};
}

void VersionGate::taskFailed(kj::Exception&&) {}  // looking throws nothing

}  // namespace quadrille::replica
