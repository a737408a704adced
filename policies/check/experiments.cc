#include "policies/check/experiments.h"

#include <algorithm>

namespace quadrille::policies::check {
namespace {

constexpr Round in_fork{0, true, false};
constexpr Round in_fork_later{1'100, true, false};
constexpr Round in_fork_stirred{0, true, true};
constexpr int other_processes = 2;
constexpr size_t arrivals_max = 60;

void note(Differences& differences, size_t list, size_t conflict, const Answer& one, const Answer& other) {
  if (one == other || differences[list]) return;
  differences[list] = Difference{conflict, one, other};
}

// All in one group: whoever is asked the same in the same order remembers the same.
void add_first_calls(RequestWriter& questions, std::span<const ConflictList> lists) {
  questions.begin_group();
  for (const ConflictList& list : lists) {
    for (const auto& conflict : list) questions.add(conflict);
  }
}

// The answers of two rounds of first calls.
void compare_first_calls(Differences& differences, std::span<const ConflictList> lists, std::span<const Answer> first,
                         std::span<const Answer> second) {
  size_t place = 0;
  for (size_t list = 0; list < lists.size(); ++list) {
    for (size_t i = 0; i < lists[list].size(); ++i, ++place) {
      if (place < first.size() && place < second.size()) note(differences, list, i, first[place], second[place]);
    }
  }
}

std::vector<size_t> maximal_in(const reconcile::Conflict& conflict) {
  std::vector<size_t> maximal;
  for (size_t i = 0; i < conflict.versions.size(); ++i) {
    if (conflict.versions[i].is_maximal) maximal.push_back(i);
  }
  return maximal;
}

// Three and more sites wrote, each something else.
bool has_arrivals(const reconcile::Conflict& conflict) {
  const std::vector<size_t> maximal = maximal_in(conflict);
  if (maximal.size() < 3) return false;
  for (size_t i = 0; i < maximal.size(); ++i) {
    for (size_t k = 0; k < i; ++k) {
      if (conflict.versions[maximal[i]].left == conflict.versions[maximal[k]].left) return false;
    }
  }
  return true;
}

struct Arrival {
  size_t list = 0;
  size_t conflict = 0;
  size_t last = 0;  // version
};

std::vector<Arrival> add_arrivals(RequestWriter& questions, std::span<const ConflictList> lists) {
  std::vector<Arrival> arrivals;
  for (size_t list = 0; list < lists.size(); ++list) {
    for (size_t i = 0; i < lists[list].size(); ++i) {
      const reconcile::Conflict& conflict = lists[list][i];
      if (arrivals.size() >= arrivals_max || !has_arrivals(conflict)) continue;
      for (const size_t last : maximal_in(conflict)) {
        std::vector<bool> kept(conflict.versions.size(), true);
        kept[last] = false;
        questions.begin_group();
        questions.add(only(conflict, kept));
        questions.add(conflict);
        arrivals.push_back({list, i, last});
      }
    }
  }
  return arrivals;
}

}  // namespace

std::vector<Answer> Experiments::ask(RequestWriter& questions, bool other_surroundings) const {
  if (questions.empty()) return {};
  auto answers = elsewhere_.ask(questions.bytes(), other_surroundings);
  return answers ? std::move(answers).value() : std::vector<Answer>();
}

Differences Experiments::between_rounds(std::span<const ConflictList> lists, Round first, Round second) const {
  Differences differences(lists.size());
  const Round rounds[] = {first, second};
  RequestWriter questions(rounds);
  add_first_calls(questions, lists);
  const size_t count = questions.questions();
  const std::vector<Answer> answers = ask(questions, false);
  if (answers.size() != 2 * count) return differences;
  compare_first_calls(differences, lists, std::span(answers).first(count), std::span(answers).last(count));
  return differences;
}

Differences Experiments::at_once(std::span<const ConflictList> lists) const {
  return between_rounds(lists, in_fork, in_fork);
}

Differences Experiments::later(std::span<const ConflictList> lists) const {
  return between_rounds(lists, in_fork, in_fork_later);
}

Differences Experiments::other_addresses(std::span<const ConflictList> lists) const {
  Differences differences = between_rounds(lists, in_fork, in_fork_stirred);
  std::vector<std::vector<Answer>> answers;
  for (int i = 0; i < other_processes; ++i) {
    RequestWriter questions(std::span(&in_fork, 1));
    add_first_calls(questions, lists);
    answers.push_back(ask(questions, false));
    compare_first_calls(differences, lists, answers.front(), answers.back());
  }
  return differences;
}

Differences Experiments::other_surroundings(std::span<const ConflictList> lists) const {
  Differences differences(lists.size());
  std::vector<Answer> answers[2];
  for (const bool other : {false, true}) {
    RequestWriter questions(std::span(&in_fork, 1));
    add_first_calls(questions, lists);
    answers[other ? 1 : 0] = ask(questions, other);
  }
  compare_first_calls(differences, lists, answers[0], answers[1]);
  return differences;
}

Differences Experiments::second_call(std::span<const ConflictList> lists) const {
  Differences differences(lists.size());
  RequestWriter questions(std::span(&in_fork, 1));
  for (const ConflictList& list : lists) {
    questions.begin_group();
    for (const auto& conflict : list) {
      questions.add(conflict);
      questions.add(conflict);
    }
  }
  const std::vector<Answer> answers = ask(questions, false);
  size_t place = 0;
  for (size_t list = 0; list < lists.size(); ++list) {
    for (size_t i = 0; i < lists[list].size(); ++i, place += 2) {
      if (place + 1 < answers.size()) note(differences, list, i, answers[place], answers[place + 1]);
    }
  }
  return differences;
}

Differences Experiments::other_order(std::span<const ConflictList> lists) const {
  Differences differences(lists.size());
  RequestWriter questions(std::span(&in_fork, 1));
  for (const ConflictList& list : lists) {
    questions.begin_group();
    for (const auto& conflict : list) questions.add(conflict);
    questions.begin_group();
    for (size_t i = list.size(); i-- > 0;) questions.add(list[i]);
  }
  const std::vector<Answer> answers = ask(questions, false);
  size_t begin = 0;
  for (size_t list = 0; list < lists.size(); ++list) {
    const size_t count = lists[list].size();
    if (begin + 2 * count > answers.size()) break;
    for (size_t i = 0; i < count; ++i)
      note(differences, list, i, answers[begin + i], answers[begin + 2 * count - 1 - i]);
    begin += 2 * count;
  }
  return differences;
}

Differences Experiments::other_arrival(std::span<const ConflictList> lists) const {
  Differences differences(lists.size());
  RequestWriter questions(std::span(&in_fork, 1));
  const std::vector<Arrival> arrivals = add_arrivals(questions, lists);
  const std::vector<Answer> answers = ask(questions, false);
  if (answers.size() != 2 * arrivals.size()) return differences;
  for (size_t i = 1; i < arrivals.size(); ++i) {
    if (arrivals[i].list != arrivals[i - 1].list || arrivals[i].conflict != arrivals[i - 1].conflict) continue;
    note(differences, arrivals[i].list, arrivals[i].conflict, answers[2 * i - 1], answers[2 * i + 1]);
  }
  return differences;
}

bool Experiments::last_arrival_wins(std::span<const ConflictList> lists) const {
  RequestWriter questions(std::span(&in_fork, 1));
  const std::vector<Arrival> arrivals = add_arrivals(questions, lists);
  const std::vector<Answer> answers = ask(questions, false);
  if (arrivals.empty() || answers.size() != 2 * arrivals.size()) return false;
  for (size_t i = 0; i < arrivals.size(); ++i) {
    const reconcile::Conflict& conflict = lists[arrivals[i].list][arrivals[i].conflict];
    if (answers[2 * i + 1].content != conflict.versions[arrivals[i].last].left) return false;
  }
  return true;
}

}  // namespace quadrille::policies::check
