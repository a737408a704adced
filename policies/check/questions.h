// Questions to a policy, and its answers, as bytes: for another process that is asked the same.
//
// A request has rounds and groups. In each round every group is asked, question after question; the answers come in the
// order of rounds, groups and questions.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "engine/base/result.h"
#include "policies/check/answer.h"

namespace quadrille::policies::check {

struct Round {
  uint32_t pause_ms = 0;    // before it
  bool in_forks = false;    // each group in a fork of its own, so that all find the same memory; in all rounds, or none
  bool stirs_heap = false;  // memory is taken and given back before each group, so that what is new lies elsewhere
};

using Question = std::variant<reconcile::Conflict, reconcile::LocalChange>;

class RequestWriter {
 public:
  explicit RequestWriter(std::span<const Round> rounds) { set_rounds(rounds); }
  void set_rounds(std::span<const Round> rounds);
  void begin_group();
  void add(const reconcile::Conflict& conflict);
  void add(const reconcile::LocalChange& change);
  size_t questions() const noexcept { return questions_; }
  bool empty() const noexcept { return questions_ == 0; }
  std::string bytes() const { return rounds_ + groups_; }

 private:
  std::string rounds_;
  std::string groups_;
  size_t questions_ = 0;
};

struct Request {
  std::vector<Round> rounds;
  std::vector<std::vector<Question>> groups;
  std::vector<std::unique_ptr<const reconcile::Context>> contexts;  // that conflicts point to
};
base::Result<Request> read_request(std::string_view bytes);

Answer ask(const reconcile::Policy& policy, const Question& question);

void write_answer(std::string& out, const Answer& answer);
// As many as the bytes hold.
base::Result<std::vector<Answer>> read_answers(std::string_view bytes);

// Another process that has loaded the same policy.
class Elsewhere {
 public:
  virtual ~Elsewhere() = default;
  // Starts one, hands it a request and returns its answers. With `other_surroundings`: another locale, time zone, user,
  // home and working directory. Callable from several threads. An error says how the process ended.
  virtual base::Result<std::vector<Answer>> ask(std::string_view request, bool other_surroundings) const = 0;
};

}  // namespace quadrille::policies::check
