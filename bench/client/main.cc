// Drives a SPARQL endpoint with a list of queries, and says how long each kind of query took.
//
//   quadrille-bench-client URL LIST [--clients N] [--passes P] [--warm-up W] [--json FILE]
//   quadrille-bench-client URL --check DIRECTORY
//
// Each client has a thread and a connection of its own, and goes through the list P times, one request after the other,
// each client from another mix on. Only the passes after W unmeasured ones count.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>
#include <deque>
#include <fstream>
#include <latch>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "bench/client/answer_check.h"
#include "bench/client/connection.h"
#include "bench/client/measurement.h"
#include "bench/client/query_list.h"

namespace {

using namespace quadrille;
using Clock = std::chrono::steady_clock;

struct Options {
  std::string url;
  std::string list;
  std::string check;
  std::string json;
  size_t clients = 1;
  size_t passes = 1;
  size_t warm_up = 1;
};

struct Request {
  const bench::BenchQuery* query;
  std::string bytes;
  bool ends_mix;
};

class Client {
 public:
  Client(const bench::Endpoint& endpoint, const std::vector<Request>& requests, size_t first)
      : connection_(endpoint), requests_(requests), first_(first) {}

  void run(size_t passes, bool measured) {
    for (size_t i = 0; i < passes * requests_.size(); ++i) {
      run_one(requests_[(first_ + i) % requests_.size()], measured);
    }
  }
  bench::Measurement take() { return std::move(measurement_); }

 private:
  void run_one(const Request& request, bool measured) {
    const auto start = Clock::now();
    const auto answer = connection_.exchange(request.bytes);
    const std::chrono::duration<double, std::milli> took = Clock::now() - start;
    const std::string failure = answer.ok() ? std::string() : answer.error().message;
    if (measured) {
      measurement_.add(request.query->kind, took.count(), failure, request.ends_mix);
    } else if (!failure.empty() && measurement_.first_failure.empty()) {
      measurement_.first_failure = fmt::format("q{}, before what is measured: {}", request.query->kind, failure);
    }
  }

  bench::Connection connection_;
  const std::vector<Request>& requests_;
  size_t first_;
  bench::Measurement measurement_;
};

std::vector<Request> make_requests(const bench::Endpoint& endpoint, const std::vector<bench::BenchQuery>& queries) {
  std::vector<Request> requests;
  for (size_t i = 0; i < queries.size(); ++i) {
    requests.push_back({&queries[i], bench::make_request(endpoint, queries[i]), bench::ends_mix(queries, i)});
  }
  return requests;
}

// Where the client begins: the first request of a mix, as far from the other clients as can be.
size_t first_request(const std::vector<Request>& requests, size_t client, size_t clients) {
  size_t first = requests.size() * client / clients;
  while (first > 0 && !requests[first - 1].ends_mix) --first;
  return first;
}

bench::Measurement measure(const Options& options, const bench::Endpoint& endpoint,
                           const std::vector<Request>& requests) {
  std::deque<Client> clients;  // they stay where they are
  for (size_t i = 0; i < options.clients; ++i) {
    clients.emplace_back(endpoint, requests, first_request(requests, i, options.clients));
  }
  std::latch warm(static_cast<std::ptrdiff_t>(options.clients) + 1);
  std::vector<std::thread> threads;
  for (Client& client : clients) {
    threads.emplace_back([&] {
      client.run(options.warm_up, false);
      warm.arrive_and_wait();
      client.run(options.passes, true);
    });
  }
  warm.arrive_and_wait();
  const auto start = Clock::now();
  for (auto& thread : threads) thread.join();
  bench::Measurement all;
  all.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  all.clients = options.clients;
  for (Client& client : clients) all.merge(client.take());
  return all;
}

int fail(const base::Error& error) {
  fmt::print(stderr, "quadrille-bench-client: {}\n", error.message);
  return 1;
}

int check(const Options& options) {
  const auto report = bench::check_directory(options.url, options.check);
  if (!report.ok()) return fail(report.error());
  fmt::print("{} right, {} wrong, {} without an expected answer\n", report->right, report->wrong, report->unknown);
  return report->wrong == 0 && report->right > 0 ? 0 : 1;
}

int run(const Options& options) {
  const auto endpoint = bench::parse_endpoint(options.url);
  if (!endpoint.ok()) return fail(endpoint.error());
  const auto queries = bench::read_query_list(options.list);
  if (!queries.ok()) return fail(queries.error());
  const bench::Measurement measurement = measure(options, *endpoint, make_requests(*endpoint, *queries));
  fmt::print("{}", bench::to_table(measurement));
  if (!options.json.empty()) std::ofstream(options.json) << bench::to_json(measurement);
  return measurement.first_failure.empty() ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Drives a SPARQL endpoint with a list of queries");
  Options options;
  app.add_option("url", options.url, "http://HOST:PORT/PATH")->required();
  auto* list = app.add_option("list", options.list, "blocks of queries between lines \"###\"");
  app.add_option("--check", options.check, "a directory of queries and expected answers")->excludes(list);
  app.add_option("--clients", options.clients, "connections at a time")->check(CLI::Range(1, 1000));
  app.add_option("--passes", options.passes, "how often each client goes through the list, measured")
      ->check(CLI::PositiveNumber);
  app.add_option("--warm-up", options.warm_up, "how often before that");
  app.add_option("--json", options.json, "a file for the figures");
  CLI11_PARSE(app, argc, argv);
  if (options.check.empty() == options.list.empty()) {
    fmt::print(stderr, "quadrille-bench-client: expected a list of queries, or --check DIRECTORY\n");
    return 2;
  }
  return options.check.empty() ? run(options) : check(options);
}
