#include "bench/crash_soak/client.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <sstream>
#include <utility>

namespace quadrille::crash_soak {
namespace {

constexpr size_t items_max = 150;
constexpr int load_lines_max = 3000;
constexpr size_t differences_shown_max = 5;

const char* const update_type = "application/sparql-update";

}  // namespace

Client::Client(uint64_t seed, std::string site, int number, const std::string& journal)
    : random_(seed * 1000 + static_cast<uint64_t>(number)),
      site_(std::move(site)),
      name_(fmt::format("{}-{}", site_, number)),
      graph_("urn:soak:client:" + name_),
      journal_(journal) {}

void Client::write_until_gone(const std::string& url, const std::atomic<bool>& is_ending) {
  while (findings_.empty()) {
    under_way_ = make_request();
    record(*under_way_, "sent");
    const auto answer = http_.post(url + under_way_->path, under_way_->content_type, under_way_->body);
    if (answer.status != 200) {
      record(*under_way_, "unanswered");
      if (!is_ending) {
        findings_.push_back(fmt::format("{}: {} is answered with {}: {}", name_, under_way_->kind,
                                        answer.status == 0 ? "nothing" : std::to_string(answer.status), answer.body));
      }
      return;
    }
    record(*under_way_, "acknowledged");
    settle(*under_way_);
    under_way_.reset();
    ++counts_.acknowledged;
  }
}

void Client::check(const std::string& url) {
  const auto answer = http_.get(url + "/data?graph=" + graph_, "application/n-triples");
  if (answer.status != 200) {
    findings_.push_back(fmt::format("{}: its graph is answered with {}: {}", name_, answer.status, answer.body));
    return;
  }
  Lines found;
  std::istringstream text(answer.body);
  for (std::string line; std::getline(text, line);) found.insert(line);

  if (!under_way_) {
    if (found != lines()) report_difference(found);
    return;
  }
  const auto before = lines();
  const auto request = *std::exchange(under_way_, {});
  if (found == before) {
    record(request, "absent");
    ++counts_.caught_absent;
    return;
  }
  settle(request);
  if (found == lines()) {
    record(request, "whole");
    ++counts_.caught_whole;
    return;
  }
  report_difference(found);
}

void Client::report_difference(const Lines& found) {
  const auto expected = lines();
  Lines missing, surplus;
  std::set_difference(expected.begin(), expected.end(), found.begin(), found.end(),
                      std::inserter(missing, missing.end()));
  std::set_difference(found.begin(), found.end(), expected.begin(), expected.end(),
                      std::inserter(surplus, surplus.end()));
  auto text = fmt::format("{}: {} quads missing, {} too many", name_, missing.size(), surplus.size());
  for (const auto& [what, which] : {std::pair{"missing", &missing}, std::pair{"too many", &surplus}}) {
    size_t shown = 0;
    for (const auto& line : *which) {
      if (shown++ == differences_shown_max) break;
      text += fmt::format("\n  {}: {}", what, line.substr(0, 200));
    }
  }
  findings_.push_back(std::move(text));
}

Client::Request Client::make_request() {
  if (items_.size() > items_max) return number_up_to(3) == 0 ? clear() : remove();
  if (number_up_to(3) == 0) return contend();
  const int kind = number_up_to(99);
  if (kind < 30 || items_.empty()) return insert();
  if (kind < 45) return replace();
  if (kind < 60) return remove();
  if (kind < 94) return transfer();
  return load();
}

Client::Request Client::insert() {
  Request request{.kind = "insert", .path = "/sparql", .content_type = update_type};
  add_item(request, 1 + number_up_to(40));
  request.body = fmt::format("INSERT DATA {{ {} }}", graph_block(request.added_lines));
  return request;
}

Client::Request Client::remove() {
  Request request{.kind = "remove", .path = "/sparql", .content_type = update_type, .removed = {any_item()}};
  request.body = fmt::format("DELETE WHERE {{ {} }}", graph_block(request.removed.front()));
  return request;
}

// Two operations, one request: both or none.
Client::Request Client::replace() {
  Request request{.kind = "replace", .path = "/sparql", .content_type = update_type, .removed = {any_item()}};
  add_item(request, 1 + number_up_to(10));
  request.body = fmt::format("DELETE WHERE {{ {} }} ;\nINSERT DATA {{ {} }}", graph_block(request.removed.front()),
                             graph_block(request.added_lines));
  return request;
}

Client::Request Client::transfer() {
  Request request{.kind = "transfer", .path = "/sparql", .content_type = update_type};
  add_item(request, 1);
  const int from = number_up_to(account_count - 1);
  const int to = (from + 1 + number_up_to(account_count - 2)) % account_count;
  const int amount = 1 + number_up_to(20);
  request.balance_changes[static_cast<size_t>(from)] -= amount;
  request.balance_changes[static_cast<size_t>(to)] += amount;
  const auto accounts = [&](const char* of_from, const char* of_to) {
    return fmt::format("GRAPH <{}> {{ {} <urn:soak:balance> {} . {} <urn:soak:balance> {} }}", accounts_graph(site_),
                       account(from), of_from, account(to), of_to);
  };
  request.body =
      fmt::format("DELETE {{ {} }}\nINSERT {{ {} {} }}\nWHERE {{ {} BIND(?x - {} AS ?less) BIND(?y + {} AS ?more) }}",
                  accounts("?x", "?y"), accounts("?less", "?more"), graph_block(request.added_lines),
                  accounts("?x", "?y"), amount, amount);
  return request;
}

Client::Request Client::contend() {
  Request request{.kind = "contend", .path = "/sparql", .content_type = update_type};
  const int number = number_up_to(contended_count - 1);
  switch (number_up_to(3)) {
    case 0: request.body = set_flag(number, true); return request;
    case 1: request.body = set_flag(number, false); return request;
    case 2: request.body = set_register(number, fmt::format("{} {}", name_, next_number_++)); return request;
    default: break;
  }
  const int by = 1 + number_up_to(9);
  add_item(request, 1);
  request.counter_changes[static_cast<size_t>(number)] = by;
  request.body = count_up(number, by, graph_block(request.added_lines));
  return request;
}

Client::Request Client::load() {
  Request request{.kind = "load", .path = "/data?graph=" + graph_, .content_type = "application/n-triples"};
  add_item(request, 1 + number_up_to(load_lines_max));
  for (const auto& line : request.added_lines) request.body += line + "\n";
  return request;
}

Client::Request Client::clear() {
  Request request{.kind = "clear", .path = "/sparql", .content_type = update_type};
  request.body = fmt::format("CLEAR GRAPH <{}>", graph_);
  for (const auto& [item, lines] : items_) request.removed.push_back(item);
  return request;
}

int Client::number_up_to(int last) { return std::uniform_int_distribution<int>(0, last)(random_); }

const std::string& Client::any_item() {
  return std::next(items_.begin(), number_up_to(static_cast<int>(items_.size()) - 1))->first;
}

// Terms of every kind that a store treats in its own way.
std::string Client::value() {
  const int number = number_up_to(1'000'000);
  switch (number_up_to(9)) {
    case 0: return fmt::format("\"{}\"^^<http://www.w3.org/2001/XMLSchema#integer>", number);
    case 1: return fmt::format("\"0{}\"^^<http://www.w3.org/2001/XMLSchema#integer>", number);
    case 2: return fmt::format("\"{}.50\"^^<http://www.w3.org/2001/XMLSchema#decimal>", number);
    case 3: return fmt::format("<urn:soak:shared:{}>", number % 500);
    case 4: return fmt::format("\"wort {}\"@de", number);
    case 5: return fmt::format("\"{}{}\"", std::string(static_cast<size_t>(number % 700), 'x'), number);
    case 6:
      if (number % 20 == 0)
        return fmt::format("\"{}{}\"", std::string(static_cast<size_t>(number % 50'000), 'y'), name_);
      [[fallthrough]];
    default: return fmt::format("\"value {}\"", number);
  }
}

void Client::add_item(Request& request, int lines) {
  request.added = fmt::format("<urn:soak:item:{}-{}>", name_, next_number_++);
  for (int i = 0; i < lines; ++i) {
    request.added_lines.insert(fmt::format("{} <urn:soak:part:{}> {} .", request.added, i, value()));
  }
}

std::string Client::graph_block(const Lines& lines) const {
  std::string text = fmt::format("GRAPH <{}> {{\n", graph_);
  for (const auto& line : lines) text += line + "\n";
  return text + "}";
}

std::string Client::graph_block(const std::string& item) const {
  return fmt::format("GRAPH <{}> {{ {} ?p ?o }}", graph_, item);
}

void Client::settle(const Request& request) {
  for (const auto& item : request.removed) items_.erase(item);
  if (!request.added.empty()) items_.emplace(request.added, request.added_lines);
  for (size_t i = 0; i < account_count; ++i) balance_changes_[i] += request.balance_changes[i];
  for (size_t i = 0; i < contended_count; ++i) counter_changes_[i] += request.counter_changes[i];
}

Client::Lines Client::lines() const {
  Lines all;
  for (const auto& [item, lines] : items_) all.insert(lines.begin(), lines.end());
  return all;
}

void Client::record(const Request& request, const std::string& outcome) {
  journal_ << request.kind << ' ' << request.added;
  for (const auto& item : request.removed) journal_ << " -" << item;
  journal_ << ' ' << outcome << std::endl;
}

}  // namespace quadrille::crash_soak
