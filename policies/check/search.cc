#include "policies/check/search.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

namespace quadrille::policies::check {
namespace {

// Of the cases, after the first thousands, that other processes are asked about too.
constexpr uint64_t always_elsewhere = 4'000;
constexpr uint64_t elsewhere_each = 8;
constexpr size_t threads_conflicts = 200;
constexpr uint32_t first_pause_ms = 1'100;  // clocks that count seconds have moved on then

void note(FirstBroken& all, uint64_t number, Broken broken) {
  auto& first = all[static_cast<size_t>(broken.law)];
  if (!first || number < first->number) first = BrokenCase{number, std::move(broken)};
}

}  // namespace

void SearchResult::add(SearchResult&& other) {
  coverage.add(other.coverage);
  for (auto& found : other.broken) {
    if (found) note(broken, found->number, std::move(found->broken));
  }
  questions_elsewhere += other.questions_elsewhere;
  if (!trouble) trouble = std::move(other.trouble);
}

bool SearchResult::is_any_broken() const {
  return std::any_of(broken.begin(), broken.end(), [](const auto& found) { return found.has_value(); });
}

SearchResult Search::run(uint64_t first, uint64_t end, base::TaskRunner& runner) const {
  const uint64_t parts = std::max<size_t>(runner.width(), 1);
  std::vector<SearchResult> results(parts);
  std::vector<std::function<void()>> tasks;
  for (uint64_t part = 0; part < parts; ++part) {
    tasks.push_back([&, part] { results[part] = run_part(first + part, end, parts, first == 0 ? first_pause_ms : 0); });
  }
  runner.run(tasks);
  SearchResult all;
  for (auto& result : results) all.add(std::move(result));
  if (!all.is_any_broken()) ask_in_threads(all, first, end, runner);
  return all;
}

SearchResult Search::run_part(uint64_t first, uint64_t end, uint64_t step, uint32_t pause_ms) const {
  SearchResult result;
  const Round round{pause_ms, false, false};
  RequestWriter questions(std::span(&round, 1));
  std::vector<Answer> answers;
  std::vector<std::pair<uint64_t, size_t>> places;
  for (uint64_t number = first; number < end; number += step) {
    if (watcher_) watcher_->on_case(number);
    const History history = generator_.make(number);
    const Played played = play(history, policy_, pool_);
    result.coverage.count(played);
    for (size_t law = 0; law < law_count; ++law) {
      if (result.broken[law]) continue;
      auto broken = find_broken(static_cast<Law>(law), played, policy_, pool_);
      if (broken) note(result.broken, number, std::move(*broken));
    }
    if (!elsewhere_ || (number >= always_elsewhere && number % elsewhere_each != 0)) continue;
    questions.begin_group();
    for (size_t i = 0; i < played.conflicts.size(); ++i) {
      questions.add(played.conflicts[i].conflict);
      answers.push_back(played.conflicts[i].answer);
      places.emplace_back(number, i);
    }
  }
  if (!questions.empty()) ask_elsewhere(result, questions, answers, places);
  return result;
}

void Search::ask_elsewhere(SearchResult& result, RequestWriter& questions, std::span<const Answer> answers,
                           std::span<const std::pair<uint64_t, size_t>> places) const {
  result.questions_elsewhere += questions.questions();
  auto others = elsewhere_->ask(questions.bytes(), true);
  if (!others) {  // it crashed, or did not come to an end: in a fork for each history all others are answered
    const Round apart{0, true, false};
    questions.set_rounds(std::span(&apart, 1));
    others = elsewhere_->ask(questions.bytes(), true);
  }
  if (others && others->size() != answers.size()) {
    others = base::Error{base::ErrorKind::Unavailable,
                         fmt::format("another process answered {} of {} questions", others->size(), answers.size()),
                         {}};
  }
  if (!others) {
    result.trouble = others.error();
    return;
  }
  for (size_t i = 0; i < answers.size(); ++i) {
    if ((*others)[i] == answers[i]) continue;
    note(result.broken, places[i].first,
         {Law::OtherProcess, places[i].second,
          fmt::format("This process answered {}; another one, with other surroundings and a moment later, {}.",
                      describe(answers[i]), describe((*others)[i])),
          answers[i], (*others)[i]});
    return;
  }
}

// The same conflicts on all threads, each beginning elsewhere among them.
void Search::ask_in_threads(SearchResult& result, uint64_t first, uint64_t end, base::TaskRunner& runner) const {
  if (runner.width() < 2) return;
  std::vector<Played> all;
  std::vector<std::pair<const PlayedConflict*, std::pair<uint64_t, size_t>>> conflicts;
  for (uint64_t number = first; number < end && conflicts.size() < threads_conflicts; ++number) {
    all.push_back(play(generator_.make(number), policy_, pool_));
    for (size_t i = 0; i < all.back().conflicts.size(); ++i) {
      conflicts.emplace_back(&all.back().conflicts[i], std::pair(number, i));
    }
  }
  std::vector<FirstBroken> broken(runner.width());
  std::vector<std::function<void()>> tasks;
  for (size_t thread = 0; thread < broken.size(); ++thread) {
    tasks.push_back([&, thread] {
      for (size_t i = 0; i < conflicts.size(); ++i) {
        const auto& [met, place] = conflicts[(i + thread * conflicts.size() / broken.size()) % conflicts.size()];
        const Answer answer = ask(policy_, met->conflict);
        if (answer == met->answer) continue;
        note(broken[thread], place.first,
             {Law::SeveralThreads, place.second,
              fmt::format("Alone it answered {}; while another thread asked too, {}.", describe(met->answer),
                          describe(answer)),
              met->answer, answer});
      }
    });
  }
  runner.run(tasks);
  for (auto& found : broken) {
    auto& one = found[static_cast<size_t>(Law::SeveralThreads)];
    if (one) note(result.broken, one->number, std::move(one->broken));
  }
}

}  // namespace quadrille::policies::check
