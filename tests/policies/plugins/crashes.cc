// Does not return, by what was written: a bad address, an abort, a recursion without end. Or has no memory.
#include <cstdlib>
#include <new>
#include <quadrille/policy.hpp>

using namespace quadrille::plugin;

class Crashes : public Policy {
 public:
  Crashes() : Policy({.name = "crashes", .version = 1, .decides = values}) {}
  Content resolve(const Conflict& conflict) const override {
    std::string how;
    for (const Version& version : conflict.versions) how += version.left.empty() ? "" : version.left[0].object.text;
    if (how == "abort") std::abort();
    if (how == "memory") throw std::bad_alloc();
    if (how == "recursion") return Content(recurse(1), conflict.versions.front().left.front());
    int* volatile nowhere = nullptr;
    return Content(static_cast<size_t>(*nowhere), conflict.base.front());
  }

 private:
  static size_t recurse(size_t depth) {
    volatile size_t kept = depth;
    return depth == 0 ? 0 : recurse(depth + 1) + kept;
  }
};
QUADRILLE_POLICY(Crashes)
