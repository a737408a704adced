// Updates a second that a running site takes from clients over HTTP, and how that grows with their number: each client
// sends small updates (one quad out, one in), one after another, and waits for each answer.
#include <curl/curl.h>
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;

struct CloseHandle {
  void operator()(CURL* handle) const { curl_easy_cleanup(handle); }
  void operator()(curl_slist* list) const { curl_slist_free_all(list); }
};

size_t drop_answer(char*, size_t size, size_t count, void*) { return size * count; }

// One connection, kept open.
class Client {
 public:
  explicit Client(const std::string& url)
      : handle_(curl_easy_init()), headers_(curl_slist_append(nullptr, "Content-Type: application/sparql-update")) {
    curl_easy_setopt(handle_.get(), CURLOPT_URL, url.c_str());
    curl_easy_setopt(handle_.get(), CURLOPT_HTTPHEADER, headers_.get());
    curl_easy_setopt(handle_.get(), CURLOPT_WRITEFUNCTION, drop_answer);
    curl_easy_setopt(handle_.get(), CURLOPT_NOSIGNAL, 1L);
  }
  // The HTTP status; 0: no answer.
  long update(const std::string& text) {
    curl_easy_setopt(handle_.get(), CURLOPT_POSTFIELDSIZE, static_cast<long>(text.size()));
    curl_easy_setopt(handle_.get(), CURLOPT_POSTFIELDS, text.c_str());
    if (curl_easy_perform(handle_.get()) != CURLE_OK) return 0;
    long status = 0;
    curl_easy_getinfo(handle_.get(), CURLINFO_RESPONSE_CODE, &status);
    return status;
  }

 private:
  std::unique_ptr<CURL, CloseHandle> handle_;
  std::unique_ptr<curl_slist, CloseHandle> headers_;
};

struct Measured {
  std::vector<double> milliseconds;  // of each update, sorted
  uint64_t failures = 0;
  double seconds = 0;
};

void run_client(const std::string& url, int number, Clock::time_point end, Measured& measured) {
  Client client(url);
  uint64_t value = 0;
  while (Clock::now() < end) {
    const auto text = fmt::format(
        "DELETE {{ <urn:bench:{0}> <urn:bench:value> ?old }} INSERT {{ <urn:bench:{0}> <urn:bench:value> {1} }} "
        "WHERE {{ OPTIONAL {{ <urn:bench:{0}> <urn:bench:value> ?old }} }}",
        number, ++value);
    const auto start = Clock::now();
    if (client.update(text) != 200) ++measured.failures;
    measured.milliseconds.push_back(std::chrono::duration<double, std::milli>(Clock::now() - start).count());
  }
}

Measured run_clients(const std::string& url, int clients, double seconds) {
  std::vector<Measured> each(static_cast<size_t>(clients));
  std::vector<std::thread> threads;
  const auto start = Clock::now();
  const auto end = start + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  for (int i = 0; i < clients; ++i) {
    threads.emplace_back([&, i] { run_client(url, i, end, each[static_cast<size_t>(i)]); });
  }
  for (auto& thread : threads) thread.join();
  Measured all;
  all.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  for (const auto& one : each) {
    all.milliseconds.insert(all.milliseconds.end(), one.milliseconds.begin(), one.milliseconds.end());
    all.failures += one.failures;
  }
  std::sort(all.milliseconds.begin(), all.milliseconds.end());
  return all;
}

double percentile(const std::vector<double>& sorted, double share) {
  return sorted.empty() ? 0 : sorted[static_cast<size_t>(static_cast<double>(sorted.size() - 1) * share)];
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App options("Updates a second that a running site takes");
  std::string url;
  std::vector<int> clients{1, 4, 16};
  double seconds = 5;
  options.add_option("URL", url, "the site, as in http://127.0.0.1:7878")->required();
  options.add_option("--clients", clients, "how many at once, one run each")->delimiter(',')->capture_default_str();
  options.add_option("--seconds", seconds, "of each run")->capture_default_str();
  CLI11_PARSE(options, argc, argv);
  curl_global_init(CURL_GLOBAL_DEFAULT);
  fmt::print("{:>8} {:>12} {:>10} {:>10} {:>10}\n", "clients", "updates/s", "p50 ms", "p99 ms", "failures");
  uint64_t failures = 0;
  for (const int count : clients) {
    const Measured run = run_clients(url + "/sparql", count, seconds);
    failures += run.failures;
    fmt::print("{:>8} {:>12.0f} {:>10.2f} {:>10.2f} {:>10}\n", count,
               static_cast<double>(run.milliseconds.size()) / run.seconds, percentile(run.milliseconds, 0.5),
               percentile(run.milliseconds, 0.99), run.failures);
  }
  curl_global_cleanup();
  return failures == 0 ? 0 : 1;
}
