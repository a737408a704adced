// The web client against servers that mean well, and others.
#include "replica/web/web_client.h"

#include <catch2/catch.hpp>

#include "replica/system_clocks.h"
#include "replica/web/web_federation.h"
#include "tests/support/raw_server.h"

using namespace quadrille;
using base::ErrorKind;
using Catch::Matchers::Contains;
using test::RawServer;

namespace {

constexpr uint64_t one_mb = uint64_t{1} << 20;

const std::string json_type = "application/sparql-results+json";
const std::string one_solution =
    R"({"head":{"vars":["x"]},"results":{"bindings":[{"x":{"type":"uri","value":"urn:a"}}]}})";

struct Client {
  explicit Client(const std::vector<std::string>& entries)
      : client(replica::AllowList::parse(entries).value(), clock) {}

  base::Result<web::WebReply> get(const std::string& url) {
    return client.send({.url = url, .accept = "*/*", .form = {}, .bytes_max = one_mb});
  }
  std::string trouble(const std::string& url) {
    const auto reply = get(url);
    return reply.ok() ? "none" : reply.error().message;
  }

  replica::SystemSteadyClock clock;
  web::WebClient client;
};

// Solutions as N-Triples.
struct Told final : exec::ServiceSolutions {
  base::Result<void> add(Solution solution) override {
    for (const auto& [name, term] : solution) text += name + "=" + model::to_ntriples(term) + " ";
    return {};
  }
  std::string text;
};

// What a service client says to this answer.
base::Result<std::string> ask(const std::string& answer) {
  const RawServer server(answer);
  Client client({server.url()});
  web::WebServiceClient services(client.client, one_mb);
  Told told;
  QUADRILLE_TRY(services.ask({.endpoint = server.url("/sparql"), .query = "SELECT * {}"}, told));
  return told.text;
}

base::Result<replica::FetchedDocument> fetch(const std::string& path, const std::string& answer) {
  const RawServer server(answer);
  Client client({server.url()});
  web::WebDocumentClient documents(client.client, one_mb);
  return documents.fetch({.iri = server.url(path)});
}

}  // namespace

TEST_CASE("nothing is asked while nothing is allowed") {
  const RawServer server(RawServer::response("text/plain", "hello"));
  Client client({});
  const auto reply = client.get(server.url());
  CHECK(reply.error().kind == ErrorKind::Refused);
  CHECK_THAT(reply.error().message, Contains("are off here") && Contains("[federation] allow"));
  CHECK(server.connections() == 0);
}

TEST_CASE("what is listed is asked, and its neighbours are not") {
  const RawServer server(RawServer::response("text/plain", "hello"));
  Client client({server.url("/data")});
  CHECK(client.get(server.url("/data?x=1#fragment"))->body == "hello");
  CHECK(client.get(server.url("/data?x=1#fragment"))->url == server.url("/data?x=1"));
  CHECK(server.connections() == 2);
  for (const std::string path : {"/", "/database", "/data/../secret", "/data/./../secret", "/data/%2e%2e/secret"}) {
    INFO(path);
    CHECK(client.get(server.url(path)).error().kind == ErrorKind::Refused);
  }
  CHECK(server.connections() == 2);
}

TEST_CASE("a star does not lead to this machine, by whatever name") {
  const RawServer server(RawServer::response("text/plain", "hello"));
  Client client({"*"});
  const std::string port = server.url().substr(server.url().rfind(':'));
  for (const std::string host : {"127.0.0.1", "localhost", "2130706433", "0x7f.1", "0", "[::1]", "[::ffff:127.0.0.1]",
                                 "[::ffff:7f00:1]", "127.1"}) {
    INFO(host);
    const auto reply = client.get("http://" + host + port);
    REQUIRE_FALSE(reply.ok());
    CHECK(reply.error().kind == ErrorKind::Refused);
    CHECK_THAT(reply.error().message, Contains("private network"));
  }
  CHECK(server.connections() == 0);
}

TEST_CASE("a connection is kept, but not for who may not open it") {
  const RawServer server([](const RawServer::Connection& connection) {
    const std::string answer = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 5\r\n\r\nhello";
    while (connection.send(answer) && connection.wait_for_more()) {
    }
  });
  Client client({server.url("/data"), "*"});
  CHECK(client.get(server.url("/data"))->body == "hello");
  CHECK(client.get(server.url("/data/more"))->body == "hello");
  CHECK(server.connections() == 1);
  CHECK(client.get(server.url("/secret")).error().kind == ErrorKind::Refused);
  CHECK(client.get(server.url("/data"))->body == "hello");
  CHECK(server.connections() == 1);
}

TEST_CASE("addresses that are none of the web's are refused") {
  Client client({"*"});
  for (const std::string url : {"file:///etc/passwd", "ftp://example.org/", "gopher://example.org/", "urn:a", "",
                                "http://user:secret@example.org/", "http://"}) {
    INFO(url);
    CHECK(client.get(url).error().kind == ErrorKind::InvalidInput);
  }
}

TEST_CASE("a redirect is followed to what is allowed only, and not for ever") {
  const RawServer goal(RawServer::response("text/plain", "hello"));
  const RawServer there(RawServer::redirect("302 Found", goal.url("/goal")));
  Client both({there.url(), goal.url()});
  CHECK(both.get(there.url())->url == goal.url("/goal"));
  Client one({there.url()});
  CHECK_THAT(one.trouble(there.url()), Contains("/goal> is not allowed"));
  Client star({there.url(), "*"});
  CHECK_THAT(star.trouble(there.url()), Contains("/goal> is on this machine"));
  const RawServer file(RawServer::redirect("302 Found", "file:///etc/passwd"));
  CHECK_FALSE(Client({file.url(), "*"}).get(file.url()).ok());
  const RawServer loop(RawServer::redirect("307 Temporary Redirect", "/again"));
  CHECK_THAT(Client({loop.url()}).trouble(loop.url()), Contains("HTTP status 307, once too often"));
  CHECK(loop.connections() == 6);
}

TEST_CASE("an answer without an end is read as far as the limit") {
  std::atomic<uint64_t> sent{0};
  const RawServer server([&](const RawServer::Connection& connection) {
    const std::string some(65536, ' ');
    connection.send("HTTP/1.1 200 OK\r\nContent-Type: " + json_type + "\r\n\r\n");
    while (connection.send(some)) sent += some.size();
  });
  const auto reply = Client({server.url()}).get(server.url());
  CHECK(reply.error().kind == ErrorKind::ResourceExhausted);
  CHECK_THAT(reply.error().message, Contains("longer than 1 MB"));
  CHECK(sent < 64 * one_mb);
}

TEST_CASE("an answer that is cut short, or none, is an error") {
  const RawServer cut("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 100\r\n\r\nhello");
  CHECK(Client({cut.url()}).get(cut.url()).error().kind == ErrorKind::Unavailable);
  const RawServer noise("\x01\x02 this is no HTTP\r\n\r\n");
  CHECK(Client({noise.url()}).get(noise.url()).error().kind == ErrorKind::Unavailable);
  std::string dead;
  { dead = RawServer(std::string()).url(); }
  CHECK(Client({dead}).get(dead).error().kind == ErrorKind::Unavailable);
}

TEST_CASE("an answer with another status is an error that shows it, and one line of what was said") {
  const RawServer server(RawServer::response("text/plain", "too\tbad\x1b[2J\nsecond line", "500 Oops"));
  const auto reply = Client({server.url()}).get(server.url());
  CHECK(reply.error().kind == ErrorKind::Unavailable);
  CHECK_THAT(reply.error().message, Contains("HTTP status 500: too") && !Contains("second") && !Contains("\x1b"));
}

TEST_CASE("who never answers is left at the deadline, and when nobody wants the answer any more") {
  const RawServer server([](const RawServer::Connection& connection) { connection.wait_for_close(); });
  Client client({server.url()});
  web::WebRequest request{.url = server.url(), .accept = "*/*", .form = {}, .bytes_max = one_mb};
  request.deadline_us = client.clock.now_us() + 50'000;
  CHECK(client.client.send(request).error().kind == ErrorKind::Timeout);
  std::atomic<bool> cancelled{true};
  request.deadline_us.reset();
  request.cancelled = &cancelled;
  CHECK(client.client.send(request).error().kind == ErrorKind::Unavailable);
}

TEST_CASE("a query is sent as a form, and its answer read in JSON or XML") {
  std::string request;
  const RawServer server([&](const RawServer::Connection& connection) {
    request = connection.request();
    connection.send(RawServer::response(json_type + "; charset=utf-8", one_solution));
  });
  Client client({server.url()});
  web::WebServiceClient services(client.client, one_mb);
  Told told;
  REQUIRE(services.ask({.endpoint = server.url("/sparql?key=1"), .query = "SELECT * { ?x ?y \"ü&\" }"}, told).ok());
  CHECK(told.text == "x=<urn:a> ");
  CHECK_THAT(request, Contains("POST /sparql?key=1 HTTP/1.1\r\n") &&
                          Contains("Content-Type: application/x-www-form-urlencoded") &&
                          Contains("\r\n\r\nquery=SELECT%20%2A%20%7B%20%3Fx%20%3Fy%20%22%C3%BC%26%22%20%7D"));
  const auto xml = ask(RawServer::response(
      "application/sparql-results+xml",
      "<sparql xmlns='http://www.w3.org/2005/sparql-results#'><head/><results><result><binding name='x'>"
      "<literal xml:lang='en'>a</literal></binding></result></results></sparql>"));
  CHECK(xml.value() == "x=\"a\"@en ");
}

TEST_CASE("an endpoint that answers something else is told of as what it is") {
  CHECK_THAT(ask(RawServer::response("text/html", "<html>")).error().message,
             Contains("Content-Type \"text/html\"; expected application/sparql-results+json"));
  const auto bad =
      ask(RawServer::response(json_type, R"({"results":{"bindings":[{"x":{"type":"uri","value":"a b"}}]}})"));
  CHECK(bad.error().kind == ErrorKind::Unavailable);
  CHECK_THAT(bad.error().message, Contains("/sparql>: bad answer: solution 1, ?x: expected an absolute IRI"));
  CHECK_THAT(ask(RawServer::response(json_type, one_solution.substr(0, 60))).error().message,
             Contains("expected JSON"));
  CHECK_THAT(ask(RawServer::response(json_type, R"({"boolean":true})")).error().message, Contains("as of a SELECT"));
}

TEST_CASE("a document is what its Content-Type says, or else the ending of its path") {
  CHECK(fetch("/a.nt", RawServer::response("text/turtle; charset=utf-8", ""))->format == io::RdfFormat::Turtle);
  CHECK(fetch("/a", RawServer::response("application/rdf+xml", ""))->format == io::RdfFormat::RdfXml);
  CHECK(fetch("/a.ttl", RawServer::response("text/plain", ""))->format == io::RdfFormat::Turtle);
  CHECK_THAT(fetch("/a", RawServer::response("text/plain", "")).error().message, Contains("expected text/turtle"));
  CHECK(fetch("/a.rdf?x", RawServer::response("application/octet-stream", ""))->format == io::RdfFormat::RdfXml);
  CHECK_THAT(fetch("/a", RawServer::response("application/octet-stream", "")).error().message,
             Contains("expected text/turtle"));
  CHECK_THAT(fetch("/a", RawServer::response("application/trig", "")).error().message,
             Contains("expected text/turtle"));
  CHECK_THAT(fetch("/a.ttl", RawServer::response("text/html", "")).error().message, Contains("expected text/turtle"));
}
