// SERVICE: asks an endpoint, and gives its solutions as rows.
//
// Seeded, it hands the distinct keys over as VALUES, some hundreds with a request. A row of this store with a blank
// node among its keys has nothing to be joined with: the blank nodes of an answer are its own.
#include <algorithm>
#include <set>
#include <unordered_map>
#include <utility>

#include "engine/exec/column_map.h"
#include "engine/exec/operators.h"
#include "engine/exec/profile.h"
#include "engine/exec/service_client.h"
#include "engine/model/blank_node_source.h"

namespace quadrille::exec {
namespace {

constexpr size_t keys_of_request_max = 500;
constexpr size_t bytes_of_request_max = size_t{64} << 10;

using Key = std::vector<TermId>;

// Takes solutions in as rows of ids.
class Intake final : public ServiceSolutions {
 public:
  // `asked_for`: the keys that were handed over; null: none were.
  Intake(const plan::Plan& plan, RunState& run, TermId endpoint, const std::set<Key>* asked_for, Batch& rows)
      : plan_(plan), run_(run), endpoint_(endpoint), asked_for_(asked_for), rows_(rows), blank_nodes_(run.random()) {
    rows_.reset(plan.columns.size());
    for (size_t i = 0; i < plan.columns.size(); ++i) columns_.emplace(run.names.name_of(plan.columns[i]), i);
    for (plan::VariableId key : plan.keys) keys_.push_back(column_of(plan.columns, key));
  }

  base::Result<void> add(Solution solution) override {
    row_.assign(plan_.columns.size(), TermId());
    for (const auto& [name, term] : solution) {
      const auto column = columns_.find(name);
      if (column == columns_.end()) continue;
      row_[column->second] = run_.terms.id_of(term.is_blank_node() ? blank_nodes_.node_for(term.text()) : term);
    }
    for (size_t i = 0; i < row_.size(); ++i) {
      const plan::VariableId id = plan_.columns[i];
      if (row_[i].is_bound() || id == plan_.variable || !plan_.certain.has(id)) continue;
      return base::Error{
          base::ErrorKind::InvalidInput,
          "a solution has no value for ?" + run_.names.name_of(id) + "; expected one, as the pattern gives it in each",
          std::nullopt};
    }
    if (!is_wanted()) return {};
    bytes_ += row_.size() * sizeof(TermId);
    if (!run_.has_memory_for(bytes_)) {
      return base::Error{base::ErrorKind::ResourceExhausted, "the answer needs too much memory", std::nullopt};
    }
    for (size_t i = 0; i < row_.size(); ++i) rows_.column(i).push_back(row_[i]);
    rows_.set_rows(rows_.rows() + 1);
    return {};
  }

  size_t bytes() const noexcept { return bytes_; }

 private:
  bool is_wanted() {
    if (plan_.variable != plan::no_variable) {
      TermId& endpoint = row_[column_of(plan_.columns, plan_.variable)];
      if (endpoint.is_bound() && endpoint != endpoint_) return false;
      endpoint = endpoint_;
    }
    if (asked_for_ == nullptr) return true;
    key_.clear();
    for (size_t column : keys_) key_.push_back(row_[column]);
    return asked_for_->contains(key_);
  }

  const plan::Plan& plan_;
  RunState& run_;
  const TermId endpoint_;
  const std::set<Key>* asked_for_;
  Batch& rows_;
  model::BlankNodeScope blank_nodes_;
  std::unordered_map<std::string, size_t> columns_;  // by name
  std::vector<size_t> keys_;
  std::vector<TermId> row_;
  Key key_;
  size_t bytes_ = 0;
};

class Service final : public Operator {
 public:
  Service(const plan::Plan& plan, RunState& run) : plan_(plan), run_(run), memory_(run) {
    if (run.limits().services == nullptr && !plan.service->silent) {
      RunState::stop(base::ErrorKind::Refused, "SERVICE is not allowed here");
    }
  }

  void next(Batch& batch, size_t wanted) override {
    batch.reset(plan_.columns.size());
    if (!is_open_) open();
    is_open_ = true;
    while (position_ == rows_->rows()) {
      if (next_request_ == requests_.size()) return;
      run_.check();
      position_ = 0;
      answer(requests_[next_request_++]);
      run_.check();
    }
    const size_t end = std::min(rows_->rows(), position_ + wanted);
    for (size_t i = 0; i < batch.column_count(); ++i) {
      const auto begin = rows_->column(i).begin();
      batch.column(i).assign(begin + static_cast<std::ptrdiff_t>(position_), begin + static_cast<std::ptrdiff_t>(end));
    }
    batch.set_rows(end - position_);
    position_ = end;
  }

 private:
  // One endpoint, and the keys that are handed to it.
  struct Request {
    TermId endpoint;  // unbound: the constant one
    std::vector<Key> keys;
    size_t bytes = 0;
  };

  bool is_seeded() const noexcept { return plan_.row_variable != plan::no_variable; }
  bool hands_over() const noexcept { return !plan_.keys.empty(); }

  void open() {
    if (!is_seeded()) {
      requests_.emplace_back();
      return;
    }
    const SeedTable& seed = run_.seed_tables[plan_.seed];
    const size_t endpoint_column = column_of(plan_.seed_variables, plan_.variable);
    std::vector<size_t> columns;
    for (plan::VariableId key : plan_.keys) columns.push_back(column_of(plan_.seed_variables, key));
    std::map<TermId, size_t> open_requests;  // by endpoint: the one that takes more keys
    std::set<std::pair<TermId, Key>> seen;
    for (size_t row = 0; row < seed.rows; ++row) {
      const TermId endpoint = endpoint_column == no_column ? TermId() : seed.columns[endpoint_column][row];
      Key key;
      for (size_t column : columns) key.push_back(seed.columns[column][row]);
      if (seen.emplace(endpoint, key).second) add_key(endpoint, std::move(key), open_requests);
    }
  }

  void add_key(TermId endpoint, Key key, std::map<TermId, size_t>& open_requests) {
    size_t bytes = 0;
    for (TermId id : key) bytes += model::to_ntriples(run_.terms.term(id)).size();
    const bool is_bounded = run_.limits().services == nullptr || run_.limits().services->takes_values();
    const auto [entry, is_first] = open_requests.try_emplace(endpoint, requests_.size());
    if (!is_first) {
      const Request& open = requests_[entry->second];
      const bool is_full = open.keys.size() >= keys_of_request_max || open.bytes + bytes > bytes_of_request_max;
      if (is_bounded && is_full) entry->second = requests_.size();
    }
    if (entry->second == requests_.size()) requests_.emplace_back().endpoint = endpoint;
    Request& request = requests_[entry->second];
    request.bytes += bytes;
    request.keys.push_back(std::move(key));
  }

  void answer(const Request& request) {
    memory_.give_back();
    own_rows_.reset(plan_.columns.size());
    rows_ = &own_rows_;
    const base::Result<void> done = hands_over() ? ask_with_values(request) : ask_for_all(request);
    if (done.ok()) return;
    run_.check();
    if (!plan_.service->silent) RunState::stop(done.error().kind, done.error().message);
    answer_silently(request);
  }

  // One solution without bindings, joined with what was handed over.
  void answer_silently(const Request& request) {
    own_rows_.reset(plan_.columns.size());
    rows_ = &own_rows_;
    std::vector<size_t> columns;
    for (plan::VariableId key : plan_.keys) columns.push_back(column_of(plan_.columns, key));
    const size_t rows = std::max<size_t>(1, request.keys.size());
    for (size_t i = 0; i < plan_.columns.size(); ++i) {
      own_rows_.column(i).assign(rows, plan_.columns[i] == plan_.variable ? request.endpoint : TermId());
    }
    own_rows_.set_rows(rows);
    for (size_t i = 0; i < columns.size(); ++i) {
      for (size_t row = 0; row < rows; ++row) own_rows_.column(columns[i])[row] = request.keys[row][i];
    }
    memory_.take(own_rows_.bytes());
  }

  base::Result<void> ask_with_values(const Request& request) {
    std::set<Key> sent;
    for (const Key& key : request.keys) {
      const bool is_known_elsewhere =
          std::none_of(key.begin(), key.end(), [&](TermId id) { return run_.terms.term(id).is_blank_node(); });
      if (is_known_elsewhere) sent.insert(key);
    }
    if (sent.empty()) return {};
    if (run_.limits().services == nullptr || run_.limits().services->takes_values()) {
      return ask(request.endpoint, plan_.service->service_text + values_text(sent), &sent, own_rows_, memory_);
    }
    QUADRILLE_TRY(ask_for_all(request));
    Batch wanted;  // not own_rows_ itself, which may hold the answer
    wanted.reset(plan_.columns.size());
    for (size_t row = 0; row < rows_->rows(); ++row) {
      Key key;
      for (plan::VariableId id : plan_.keys) key.push_back(rows_->at(row, column_of(plan_.columns, id)));
      if (!sent.contains(key)) continue;
      for (size_t i = 0; i < plan_.columns.size(); ++i) wanted.column(i).push_back(rows_->at(row, i));
      wanted.set_rows(wanted.rows() + 1);
    }
    memory_.give_back();
    own_rows_ = std::move(wanted);
    rows_ = &own_rows_;
    memory_.take(own_rows_.bytes());
    return {};
  }

  // The operator may be made again, for other rows or another graph: the endpoint is not asked again.
  base::Result<void> ask_for_all(const Request& request) {
    if (request.endpoint.is_bound()) {
      return ask(request.endpoint, plan_.service->service_text, nullptr, own_rows_, memory_);
    }
    auto found = run_.service_answers.find(&plan_);
    if (found == run_.service_answers.end()) {
      Batch rows;
      MemoryUse memory(run_);
      QUADRILLE_TRY(ask(request.endpoint, plan_.service->service_text, nullptr, rows, memory));
      memory.give_back();
      run_.take_memory(rows.bytes());  // as long as the run
      found = run_.service_answers.emplace(&plan_, std::move(rows)).first;
    }
    rows_ = &found->second;
    return {};
  }

  std::string values_text(const std::set<Key>& keys) const {
    std::string text = "\nVALUES (";
    for (plan::VariableId id : plan_.keys) text += " ?" + run_.names.name_of(id);
    text += " ) {\n";
    for (const Key& key : keys) {
      text += '(';
      for (TermId id : key) {
        text += ' ';
        model::append_ntriples(text, run_.terms.term(id));
      }
      text += " )\n";
    }
    return text += "}";
  }

  base::Result<void> ask(TermId endpoint, std::string query, const std::set<Key>* keys, Batch& rows,
                         MemoryUse& memory) {
    const RunLimits& limits = run_.limits();
    if (limits.services == nullptr) {
      return base::Error{base::ErrorKind::Refused, "SERVICE is not allowed here", std::nullopt};
    }
    ServiceRequest request;
    QUADRILLE_ASSIGN(request.endpoint, iri_of(endpoint));
    request.query = std::move(query);
    request.deadline_us = limits.deadline_us;
    request.cancelled = limits.cancelled;
    if (run_.profile != nullptr) ++run_.profile->of(plan_).requests;
    Intake intake(plan_, run_, endpoint, keys, rows);
    const auto done = limits.services->ask(request, intake);
    memory.take(intake.bytes());  // ends the run where the answer was too much for it
    return done;
  }

  base::Result<std::string> iri_of(TermId endpoint) const {
    if (plan_.variable == plan::no_variable) return std::get<model::Term>(plan_.service->graph).text();
    const std::string name = "SERVICE ?" + run_.names.name_of(plan_.variable);
    if (!endpoint.is_bound()) {
      return base::Error{base::ErrorKind::InvalidInput, name + ": unbound; expected the IRI of an endpoint", {}};
    }
    model::Term term = run_.terms.term(endpoint);
    if (term.is_iri()) return term.text();
    return base::Error{base::ErrorKind::InvalidInput,
                       name + ": " + model::to_ntriples(term) + "; expected the IRI of an endpoint",
                       {}};
  }

  const plan::Plan& plan_;
  RunState& run_;
  MemoryUse memory_;  // of own_rows_
  bool is_open_ = false;
  std::vector<Request> requests_;
  size_t next_request_ = 0;
  Batch own_rows_;
  const Batch* rows_ = &own_rows_;  // of the request that is answered
  size_t position_ = 0;
};

}  // namespace

OperatorPointer make_service(const plan::Plan& plan, RunState& run) { return std::make_unique<Service>(plan, run); }

}  // namespace quadrille::exec
