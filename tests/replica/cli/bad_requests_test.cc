// Requests that are wrong in every way that we could think of, each with the status that it gets. The site goes on.
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <catch2/catch.hpp>

#include "tests/replica/cli/processes.h"

using namespace quadrille::test;

namespace {

struct Bad {
  int status;
  std::string bytes;
};

std::string asked(const std::string& method, const std::string& target, const std::string& headers = {},
                  const std::string& body = {}) {
  return method + " " + target + " HTTP/1.1\r\nHost: localhost\r\n" + headers +
         (body.empty() ? "" : fmt::format("Content-Length: {}\r\n", body.size())) + "\r\n" + body;
}
std::string got(const std::string& target, const std::string& headers = {}) { return asked("GET", target, headers); }
std::string posted(const std::string& target, const std::string& type, const std::string& body,
                   const std::string& headers = {}) {
  return asked("POST", target, "Content-Type: " + type + "\r\n" + headers, body);
}

const std::string query_type = "application/sparql-query";
const std::string update_type = "application/sparql-update";
const std::string form_type = "application/x-www-form-urlencoded";
const std::string triples = "application/n-triples";
const std::string ask_all = "/sparql?query=ASK%7B%7D";

// What is no HTTP, or too much of it.
std::vector<Bad> wrong_messages() {
  const std::string host = "Host: localhost\r\n\r\n";
  std::string many;
  for (int i = 0; i < 300; ++i) many += fmt::format("X-{}: y\r\n", i);
  return {
      {400, "\x16\x03\x01\x02\x01\x01"},  // TLS
      {400, "nonsense\r\n\r\n"},
      {501, "GET\r\n\r\n"},
      {501, "BREW /pot HTTP/1.1\r\n" + host},
      {400, "get /health HTTP/1.1\r\n" + host},
      {505, "GET /health\r\n" + host},
      {505, "GET /health HTTP/2.0\r\n" + host},
      {505, "GET /health HTTP/1.9\r\n" + host},
      {505, "GET /health HTTP/0.9\r\n" + host},
      {505, "GET /health HTTP/x.1\r\n" + host},
      {400, "GET /health XTTP/1.1\r\n" + host},
      {400, "GET health HTTP/1.1\r\n" + host},
      {400, "GET /a b HTTP/1.1\r\n" + host},
      {400, "GET /health HTTP/1.1\r\n\r\n"},  // no Host
      {400, "GET /health HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n"},
      {400, "GET /health HTTP/1.1\r\nHo st: a\r\n\r\n"},
      {400, "GET /health HTTP/1.1\r\n: a\r\n" + host},
      {400, "GET /health HTTP/1.1\r\nX\x01: a\r\n" + host},
      {400, "GET /health HTTP/1.1\r\nX: a\x01\r\n" + host},
      {400, "GET /%zz HTTP/1.1\r\n" + host},
      {400, "GET /% HTTP/1.1\r\n" + host},
      {414, got("/" + std::string(70'000, 'x'))},
      {414, got(ask_all + "&x=" + std::string(70'000, 'x'))},
      {431, got("/health", "X: " + std::string(70'000, 'x') + "\r\n")},
      {431, got("/health", std::string(70'000, 'x') + ": x\r\n")},
      {431, got("/health", many)},
      {417, asked("POST", "/sparql", "Expect: miracles\r\nContent-Length: 1\r\n")},
      {400, asked("POST", "/sparql", "Content-Length: -1\r\n")},
      {400, asked("POST", "/sparql", "Content-Length: ten\r\n")},
      {400, asked("POST", "/sparql", "Content-Length: 99999999999999999999999\r\n")},
      {400, asked("POST", "/sparql", "Content-Length: 1\r\nContent-Length: 2\r\n") + "ab"},
      {400, asked("POST", "/sparql", "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n") + "0\r\n\r\n"},
      {400, asked("POST", "/sparql", "Transfer-Encoding: gzip\r\n")},
      {400, asked("POST", "/sparql", "Transfer-Encoding: chunked\r\n") + "xyz\r\n"},
      {400, asked("POST", "/sparql", "Transfer-Encoding: chunked\r\n") + "fffffffffffffffff\r\n"},
      {413, asked("POST", "/sparql", "Content-Length: 1048577\r\n")},
      {413, asked("POST", "/sparql", "Transfer-Encoding: chunked\r\n") + "200000\r\n" + std::string(0x200000, 'x')},
      {413, asked("POST", "/policy", "Content-Length: 1048577\r\n")},
      {413, asked("POST", "/data", "Content-Length: 4194305\r\n")},
  };
}

// What nobody answers there, or not in that way.
std::vector<Bad> wrong_places() {
  std::vector<Bad> all = {
      {404, got("/")},
      {404, got("/index.html")},
      {404, got("/../etc/passwd")},
      {404, got("/sparql/extra")},
      {404, got("/SPARQL")},
      {404, got("//sparql")},
      {404, got("/status/x")},
      {404, got("*")},
      {404, got("http://localhost/nowhere")},
      {404, got("/data?graph=urn:nowhere")},
      {404, asked("HEAD", "/data?graph=urn:nowhere")},
      {404, got("/data/nowhere")},
      {404, asked("DELETE", "/data?graph=urn:nowhere")},
      {403, got("/health", "Origin: https://evil.example\r\n")},
      {403, got(ask_all, "Origin: https://evil.example\r\n")},
      {403, got(ask_all, "Origin: null\r\n")},
      {403, asked("OPTIONS", "/sparql", "Origin: https://evil.example\r\n")},
      {403, posted("/sparql", form_type, "update=CLEAR+ALL", "Origin: https://evil.example\r\n")},
      {406, got(ask_all, "Accept: image/png\r\n")},
      {406, got(ask_all, "Accept: application/sparql-results+json;q=0\r\n")},
      {406, got("/sparql?query=CONSTRUCT%7B%7DWHERE%7B%7D", "Accept: text/csv\r\n")},
      {406, got("/data", "Accept: application/json\r\n")},
      {406, got("/sparql", "Accept: text/html\r\n")},
      {404, got("/copies?copy=none")},
  };
  for (const std::string path : {"/status", "/digest", "/conflicts", "/metrics", "/health"}) {
    for (const std::string method : {"POST", "PUT", "DELETE", "PATCH", "TRACE"}) {
      all.push_back({405, asked(method, path)});
    }
  }
  for (const std::string path : {"/sparql", "/policy", "/members"}) {
    for (const std::string method : {"PUT", "DELETE", "PATCH"}) all.push_back({405, asked(method, path)});
  }
  all.push_back({405, asked("PATCH", "/data")});
  all.push_back({405, asked("PUT", "/copies")});
  return all;
}

// What is asked wrongly of the right place.
std::vector<Bad> wrong_queries() {
  std::string deep = "ASK ";
  for (int i = 0; i < 100'000; ++i) deep += '{';
  return {
      {400, got("/sparql?query=ASK%7B")},
      {400, got("/sparql?query=")},
      {400, got("/sparql?query=%zz")},
      {400, got("/sparql?query=ASK%7B%7D&query=ASK%7B%7D")},
      {400, got("/sparql?update=CLEAR+ALL")},
      {400, got("/sparql?other=1")},
      {400, got(ask_all + "&default-graph-uri=relative")},
      {400, got(ask_all + "&default-graph-uri=")},
      {400, got(ask_all + "&named-graph-uri=urn:a%20b")},
      {400, got(ask_all + "&using-graph-uri=urn:a")},
      {400, got(ask_all, "Quadrille-Version: nonsense\r\n")},
      {400, got(ask_all, "Quadrille-Version: ams.0000000000000001:1\r\nQuadrille-Wait-Ms: soon\r\n")},
      {503, got(ask_all, "Quadrille-Version: nyc.0000000000000001:1\r\nQuadrille-Wait-Ms: 1\r\n")},
      {415, asked("POST", "/sparql")},
      {415, posted("/sparql", "text/plain", "ASK {}")},
      {415, posted("/sparql", "application/json", "{}")},
      {415, posted("/sparql", "multipart/form-data; boundary=x", "--x--")},
      {415, posted("/sparql", query_type + "; charset=utf-16", "ASK {}")},
      {415, posted("/sparql", form_type + "; charset=latin1", "query=ASK{}")},
      {400, posted("/sparql", form_type, "nothing=here")},
      {400, posted("/sparql", form_type, "query=ASK{}&update=CLEAR+ALL")},
      {400, posted("/sparql?query=ASK%7B%7D", form_type, "query=ASK{}")},
      {400, posted("/sparql?query=ASK%7B%7D", query_type, "ASK {}")},
      {400, posted("/sparql", query_type, "CLEAR ALL")},
      {400, posted("/sparql", query_type, "\xff\xfe")},
      {400, posted("/sparql", query_type, "ASK { ?s ?p \"\xc3\x28\" }")},
      {400, posted("/sparql", query_type, std::string("ASK {} \0", 8))},
      {400, posted("/sparql", query_type, deep)},
      {400, posted("/sparql", query_type, "SELECT (COUNT(*) AS ?n) ?s { ?s ?p ?o }")},
      {400, posted("/sparql", update_type, "ASK {}")},
      {400, posted("/sparql", update_type, "INSERT DATA { <urn:a> <urn:b> ?c }")},
      {400, posted("/sparql", update_type, "DELETE DATA { _:a <urn:b> 1 }")},
      {400, posted("/sparql?default-graph-uri=urn:a", update_type, "CLEAR ALL")},
      {400,
       posted("/sparql?using-graph-uri=urn:a", update_type, "WITH <urn:g> DELETE { ?s ?p ?o } WHERE { ?s ?p ?o }")},
      {403, posted("/sparql", update_type, "LOAD <http://127.0.0.1:1/x>")},
      {403, posted("/sparql", query_type, "ASK { SERVICE <http://127.0.0.1:1/x> { ?s ?p ?o } }")},
      {400, got("/conflicts?limit=many")},
      {400, got("/conflicts?since=yesterday")},
      {400, got("/conflicts?nonsense=1")},
      {400, got("/conflicts?limit=1&limit=2")},
  };
}

std::vector<Bad> wrong_data() {
  const std::string graph = "/data?graph=urn:g";
  return {
      {415, posted("/data", "image/png", "x")},
      {415, asked("POST", "/data", "", "<urn:a> <urn:b> <urn:c> .")},
      {415, asked("PUT", graph, "Content-Type: text/html\r\n", "x")},
      {415, posted("/data", triples, "x", "Content-Encoding: br\r\n")},
      {400, posted("/data", triples, "x", "Content-Encoding: gzip\r\n")},
      {400, posted("/data", triples, "x", "Content-Encoding: zstd\r\n")},
      {400, posted("/data", triples, "<urn:a> <urn:b> .")},
      {400, posted("/data", triples, "<urn:a> <urn:b> \"\xff\" .")},
      {400, posted("/data", "text/turtle", "@prefix : <x .")},
      {400, posted("/data", "text/turtle", "<relative> <urn:b> 1 .")},
      {400, posted("/data", "application/trig", "{")},
      {400, posted("/data", "application/rdf+xml", "<rdf")},
      {400, posted("/data", "multipart/form-data", "x")},
      {400, posted("/data", "multipart/form-data; boundary=x", "--y")},
      {400, posted("/data", "multipart/form-data; boundary=x", "--x\r\n\r\ncut off")},
      {400, asked("PUT", "/data", "Content-Type: " + triples + "\r\n", "<urn:a> <urn:b> <urn:c> .")},
      {400, asked("DELETE", "/data")},
      {400, asked("DELETE", "/data/")},
      {400, got("/data?graph=relative")},
      {400, got("/data?graph=urn:a&graph=urn:b")},
      {400, got("/data?graph=urn:a&default")},
      {400, got("/data?nonsense=1")},
      {400, got("/data/name?graph=urn:a")},
      {400, asked("PUT", "/data/bad%3Cname%3E?default", "Content-Type: " + triples + "\r\n", "x")},
      {400, posted("/policy", "text/plain", "nonsense")},
      {400, posted("/policy", "text/plain", "default_policy = \"no such policy\"")},
      {400, posted("/members", "application/json", "nonsense")},
      {400, posted("/members", "application/json", "{}")},
      {400, posted("/members", "application/json", "{\"evict\": 1}")},
      {400, posted("/members", "application/json", "{\"evict\": \"a\", \"join\": \"b.0000000000000001\"}")},
      {400, posted("/members", "application/json", "{\"join\": \"nonsense\"}")},
  };
}

// The status line's number, or 0 if the connection ends before there is one.
int status_of(const std::string& http, const std::string& bytes) {
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<uint16_t>(std::stoi(http.substr(http.find(':') + 1))));
  REQUIRE(::connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
  const timeval patience{20, 0};
  ::setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
  std::string answer;
  char some[4096];
  while (answer.find("\r\n\r\n") == std::string::npos) {
    const ssize_t count = ::recv(socket, some, sizeof some, 0);
    if (count <= 0) break;
    answer.append(some, static_cast<size_t>(count));
  }
  ::close(socket);
  return answer.starts_with("HTTP/1.1 ") ? std::stoi(answer.substr(9, 3)) : 0;
}

}  // namespace

TEST_CASE("every bad request gets its status, and the site goes on") {
  const TemporaryDirectory files;
  const auto config = files.file("limits.toml", "[limits]\nrequest_mb = 1\nupload_mb = 4\n");
  init(files.path("ams"), "ams", {"--config", config});
  const ServedSite site(files.path("ams"));
  size_t count = 0;
  for (const auto& table : {wrong_messages(), wrong_places(), wrong_queries(), wrong_data()}) {
    for (const auto& bad : table) {
      INFO(bad.bytes.substr(0, 300));
      CHECK(status_of(site.http(), bad.bytes) == bad.status);
      ++count;
    }
  }
  CHECK(count > 150);
  CHECK(http("GET", site.url() + "/health").body == "ok\n");
  CHECK_FALSE(ask(site, "?s ?p ?o"));  // nothing of it left anything
}
