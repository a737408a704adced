#include "tests/replica/cli/processes.h"

#include <curl/curl.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <chrono>
#include <fstream>
#include <sstream>
#include <thread>

namespace quadrille::test {
namespace {

std::string read_file(const std::string& name) {
  std::ifstream in(name, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

// Starts a program, named by the first of the words, with its standard streams in files.
pid_t start(std::vector<std::string> words, const std::string& in, const std::string& out, const std::string& err) {
  std::vector<char*> argv;
  for (auto& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  const pid_t process = fork();
  REQUIRE(process >= 0);
  if (process != 0) return process;
  const int stdin_file = open(in.c_str(), O_RDONLY | O_CLOEXEC);
  const int stdout_file = open(out.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  const int stderr_file = open(err.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (dup2(stdin_file, 0) < 0 || dup2(stdout_file, 1) < 0 || dup2(stderr_file, 2) < 0) _exit(126);
  execv(argv[0], argv.data());
  _exit(127);
}

int status_of(int wait_status) {
  return WIFEXITED(wait_status) ? WEXITSTATUS(wait_status) : 128 + WTERMSIG(wait_status);
}

// What stands between two marks; empty if they are not there yet.
std::string between(const std::string& text, const std::string& begin, const std::string& end) {
  const size_t from = text.find(begin);
  if (from == std::string::npos) return {};
  const size_t to = text.find(end, from + begin.size());
  return to == std::string::npos ? std::string() : text.substr(from + begin.size(), to - from - begin.size());
}

size_t on_header(char* data, size_t, size_t size, void* to) {
  const std::string line(data, size);
  const size_t colon = line.find(": ");
  if (colon == std::string::npos) return size;
  std::string name = line.substr(0, colon);
  std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
  static_cast<HttpAnswer*>(to)->headers[name] = line.substr(colon + 2, line.find('\r') - colon - 2);
  return size;
}

}  // namespace

std::string HttpAnswer::header(const std::string& name) const {
  const auto found = headers.find(name);
  return found == headers.end() ? std::string() : found->second;
}

TemporaryDirectory::TemporaryDirectory() {
  std::string name = (std::filesystem::temp_directory_path() / "quadrille-test-XXXXXX").string();
  REQUIRE(mkdtemp(name.data()) != nullptr);
  path_ = name;
}

TemporaryDirectory::~TemporaryDirectory() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string TemporaryDirectory::file(const std::string& name, const std::string& content) const {
  std::ofstream(path_ / name, std::ios::binary) << content;
  return path(name);
}

Finished run_quadrille(const std::vector<std::string>& arguments, const std::string& standard_input) {
  return run_program(QUADRILLE_PROGRAM, arguments, standard_input);
}

Finished run_program(const std::string& program, const std::vector<std::string>& arguments,
                     const std::string& standard_input) {
  const TemporaryDirectory files;
  const auto in = files.file("in", standard_input);
  std::vector<std::string> words = {program};
  words.insert(words.end(), arguments.begin(), arguments.end());
  const pid_t process = start(std::move(words), in, files.path("out"), files.path("err"));
  int wait_status = 0;
  REQUIRE(waitpid(process, &wait_status, 0) == process);
  return {status_of(wait_status), read_file(files.path("out")), read_file(files.path("err"))};
}

ServedSite::ServedSite(const std::string& directory, std::vector<std::string> more_arguments) {
  std::vector<std::string> arguments = {QUADRILLE_PROGRAM, "serve", directory, "--http", "127.0.0.1:0"};
  if (std::find(more_arguments.begin(), more_arguments.end(), "--sync") == more_arguments.end()) {
    arguments.insert(arguments.end(), {"--sync", "127.0.0.1:0"});
  }
  arguments.insert(arguments.end(), more_arguments.begin(), more_arguments.end());
  process_ = start(arguments, "/dev/null", output_.path("out"), output_.path("err"));
  const bool is_ready = eventually([&] {
    const auto out = read_file(output_.path("out"));
    http_ = between(out, "http://", " ");
    sync_ = between(out, " sync ", "\n");
    return !sync_.empty() || waitpid(process_, nullptr, WNOHANG) == process_;
  });
  INFO(trace());
  REQUIRE(is_ready);
  REQUIRE_FALSE(sync_.empty());
  url_ = "http://" + http_;
}

ServedSite::~ServedSite() { kill_hard(); }

void ServedSite::kill_hard() {
  if (process_ < 0) return;
  kill(process_, SIGKILL);
  wait_for_end();
}

void ServedSite::limit_files_to(uint64_t bytes) {
  const rlimit limit{bytes, uint64_t{1} << 40};
  REQUIRE(prlimit(process_, RLIMIT_FSIZE, &limit, nullptr) == 0);
}

int ServedSite::stop_politely() {
  kill(process_, SIGTERM);
  int wait_status = 0;
  if (!eventually([&] { return waitpid(process_, &wait_status, WNOHANG) == process_; })) {
    kill(process_, SIGKILL);
    return wait_for_end();
  }
  process_ = -1;
  return status_of(wait_status);
}

int ServedSite::wait_for_end() {
  int wait_status = 0;
  waitpid(process_, &wait_status, 0);
  process_ = -1;
  return status_of(wait_status);
}

std::string ServedSite::trace() { return read_file(output_.path("err")); }

void init(const std::string& directory, const std::string& site, std::vector<std::string> more_arguments) {
  std::vector<std::string> arguments = {"init", directory, "--site", site};
  arguments.insert(arguments.end(), more_arguments.begin(), more_arguments.end());
  const auto made = run_quadrille(arguments);
  INFO(made.err);
  REQUIRE(made.status == 0);
}

HttpAnswer http(const std::string& method, const std::string& url, const std::vector<std::string>& headers,
                const std::string& body) {
  HttpAnswer answer;
  CURL* handle = curl_easy_init();
  curl_slist* list = nullptr;
  for (const auto& header : headers) list = curl_slist_append(list, header.c_str());
  curl_easy_setopt(handle, CURLOPT_URL, url.c_str());
  curl_easy_setopt(handle, CURLOPT_NOPROXY, "127.0.0.1");
  curl_easy_setopt(handle, CURLOPT_TIMEOUT, 60L);
  curl_easy_setopt(handle, CURLOPT_HTTPHEADER, list);
  if (method == "HEAD") {
    curl_easy_setopt(handle, CURLOPT_NOBODY, 1L);
  } else if (method != "GET") {
    curl_easy_setopt(handle, CURLOPT_POSTFIELDS, body.data());
    curl_easy_setopt(handle, CURLOPT_POSTFIELDSIZE, static_cast<long>(body.size()));
  }
  curl_easy_setopt(handle, CURLOPT_CUSTOMREQUEST, method.c_str());
  curl_easy_setopt(handle, CURLOPT_WRITEDATA, &answer.body);
  curl_easy_setopt(
      handle, CURLOPT_WRITEFUNCTION, +[](char* data, size_t, size_t size, void* to) {
        static_cast<std::string*>(to)->append(data, size);
        return size;
      });
  curl_easy_setopt(handle, CURLOPT_HEADERDATA, &answer);
  curl_easy_setopt(handle, CURLOPT_HEADERFUNCTION, on_header);
  if (curl_easy_perform(handle) == CURLE_OK) {
    long status = 0;
    const char* type = nullptr;
    curl_easy_getinfo(handle, CURLINFO_RESPONSE_CODE, &status);
    curl_easy_getinfo(handle, CURLINFO_CONTENT_TYPE, &type);
    answer.status = static_cast<int>(status);
    if (type) answer.content_type = type;
    answer.version = answer.header("quadrille-version");
  }
  curl_slist_free_all(list);
  curl_easy_cleanup(handle);
  return answer;
}

DeafClient::DeafClient(const std::string& http, const std::string& request)
    : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
  const int receive_bytes = 4096;
  setsockopt(socket_, SOL_SOCKET, SO_RCVBUF, &receive_bytes, sizeof receive_bytes);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<uint16_t>(std::stoi(http.substr(http.find(':') + 1))));
  REQUIRE(connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
  REQUIRE(::send(socket_, request.data(), request.size(), 0) == static_cast<ssize_t>(request.size()));
}

DeafClient::~DeafClient() { close(socket_); }

bool DeafClient::is_answered() const {
  char byte = 0;
  return recv(socket_, &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 1;
}

void sleep_a_little() { std::this_thread::sleep_for(std::chrono::milliseconds(50)); }

std::string update(const ServedSite& site, const std::string& text) {
  const auto answer = http("POST", site.url() + "/sparql", {"Content-Type: application/sparql-update"}, text);
  INFO(answer.body);
  REQUIRE(answer.status == 200);
  return answer.version;
}

bool ask(const ServedSite& site, const std::string& pattern) {
  const auto answer = http("POST", site.url() + "/sparql",
                           {"Content-Type: application/sparql-query", "Accept: text/csv"}, "ASK { " + pattern + " }");
  return answer.body == "true\r\n";
}

}  // namespace quadrille::test
