#include "policies/deciding_now.h"

#include <algorithm>
#include <atomic>

namespace quadrille::policies {
namespace {

// A buffer of fixed size that the thread has from its start: a signal handler may neither allocate nor wait.
constexpr size_t note_bytes = 1024;
struct alignas(16) Note {
  char text[note_bytes] = {};
  char not_zero = 1;  // mold 1.10 links programs that do not start if all that is thread_local is zero
};
constinit thread_local Note note;

class NoteWriter {
 public:
  void add(std::string_view text) noexcept {
    const size_t size = std::min(text.size(), note_bytes - 1 - size_);
    std::copy_n(text.begin(), size, note.text + size_);
    size_ += size;
    note.text[size_] = 0;
  }
  void add(const model::Term& term) noexcept {
    constexpr size_t shown_max = 200;
    const std::string_view text = std::string_view(term.text()).substr(0, shown_max);
    add(term.is_iri() ? " <" : term.is_blank_node() ? " _:" : " \"");
    add(text);
    if (text.size() < term.text().size()) add("...");
    add(term.is_iri() ? ">" : term.is_blank_node() ? "" : "\"");
  }

 private:
  size_t size_ = 0;
};

NoteWriter write_policy(std::string_view name) noexcept {
  NoteWriter writer;
  writer.add("policy '");
  writer.add(name);
  writer.add("'");
  return writer;
}

}  // namespace

DecidingNow::DecidingNow(std::string_view policy) noexcept {
  write_policy(policy);
  std::atomic_signal_fence(std::memory_order_release);
}

DecidingNow::DecidingNow(std::string_view policy, const reconcile::CellName& cell) noexcept {
  NoteWriter writer = write_policy(policy);
  writer.add(" on the cell");
  writer.add(cell.subject);
  writer.add(cell.property);
  if (cell.object) writer.add(*cell.object);
  if (cell.graph) {
    writer.add(" in graph");
    writer.add(*cell.graph);
  }
  std::atomic_signal_fence(std::memory_order_release);
}

DecidingNow::~DecidingNow() {
  std::atomic_signal_fence(std::memory_order_release);
  note.text[0] = 0;
}

const char* deciding_now() noexcept { return note.text; }

}  // namespace quadrille::policies
