// Wrong: remembers which versions it has met, and takes one that is new to it.
#include <mutex>
#include <quadrille/policy.hpp>
#include <set>
#include <tuple>

using namespace quadrille::plugin;

class PrefersLastArrival : public Policy {
 public:
  PrefersLastArrival() : Policy({.name = "prefers-last-arrival", .version = 1, .decides = values}) {}

  Content resolve(const Conflict& conflict) const override {
    const std::lock_guard lock(mutex_);
    const Version* newest = &conflict.versions.front();
    for (const Version& version : conflict.versions) {
      if (met_.emplace(version.site, version.incarnation, version.seq).second) newest = &version;
    }
    return newest->left;
  }

 private:
  mutable std::mutex mutex_;
  mutable std::set<std::tuple<std::string, uint64_t, uint64_t>> met_;
};
QUADRILLE_POLICY(PrefersLastArrival)
