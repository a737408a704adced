#include "replica/web/web_federation.h"

#include <fmt/format.h>

#include <string_view>
#include <utility>

#include "engine/io/media_type.h"
#include "engine/io/result_format.h"
#include "engine/io/solution_reader.h"
#include "engine/model/iri.h"
#include "engine/model/utf8.h"
#include "replica/web/curl_handles.h"

namespace quadrille::web {
namespace {

using base::Error;
using base::ErrorKind;

// Hands on what is read.
class Passed final : public io::SolutionSink {
 public:
  explicit Passed(exec::ServiceSolutions& into) : into_(into) {}
  base::Result<void> add(Solution solution) override { return into_.add(solution); }

 private:
  exec::ServiceSolutions& into_;
};

std::string form_of(const std::string& query) {
  const CurlText escaped(curl_easy_escape(nullptr, query.data(), static_cast<int>(query.size())));
  return "query=" + std::string(escaped ? escaped.get() : "");
}

Error wrong_type(const WebReply& reply, std::string_view expected) {
  return {ErrorKind::Unavailable,
          fmt::format("<{}>: answered with Content-Type \"{}\"; expected {}", reply.url,
                      model::describe_text(reply.content_type), expected),
          {}};
}

std::optional<io::RdfFormat> format_of(const WebReply& reply) {
  const auto type = io::without_parameters(reply.content_type);
  const bool says_nothing = type.empty() || io::equals_ignoring_case(type, "text/plain") ||
                            io::equals_ignoring_case(type, "application/octet-stream");
  if (says_nothing) {
    if (auto format = io::rdf_format_by_file_name(model::split_iri(reply.url).path)) return format;
  }
  return io::rdf_format_by_media_type(type);
}

}  // namespace

base::Result<void> WebServiceClient::ask(const exec::ServiceRequest& request, exec::ServiceSolutions& solutions) {
  QUADRILLE_ASSIGN(const WebReply reply,
                   client_.send({.url = request.endpoint,
                                 .accept = "application/sparql-results+json, application/sparql-results+xml;q=0.8",
                                 .form = form_of(request.query),
                                 .bytes_max = answer_bytes_max_,
                                 .deadline_us = request.deadline_us,
                                 .cancelled = request.cancelled}));
  const auto format = io::result_format_by_media_type(io::without_parameters(reply.content_type));
  Passed passed(solutions);
  base::Result<void> read;
  if (format == io::ResultFormat::Json) {
    read = io::read_json_solutions(reply.body, passed);
  } else if (format == io::ResultFormat::Xml) {
    read = io::read_xml_solutions(reply.body, passed);
  } else {
    return wrong_type(reply, "application/sparql-results+json or application/sparql-results+xml");
  }
  if (read.ok()) return {};
  // Not the fault of who asked us.
  const auto kind = read.error().kind == ErrorKind::InvalidInput ? ErrorKind::Unavailable : read.error().kind;
  return Error{kind, fmt::format("<{}>: bad answer: {}", reply.url, read.error().message), {}};
}

base::Result<replica::FetchedDocument> WebDocumentClient::fetch(const replica::DocumentRequest& request) {
  QUADRILLE_ASSIGN(WebReply reply,
                   client_.send({.url = request.iri,
                                 .accept = "text/turtle, application/n-triples, application/rdf+xml;q=0.9",
                                 .form = std::nullopt,
                                 .bytes_max = document_bytes_max_,
                                 .deadline_us = request.deadline_us,
                                 .cancelled = request.cancelled}));
  const auto format = format_of(reply);
  if (!format || io::carries_graphs(*format)) {
    return wrong_type(reply, "text/turtle, application/n-triples or application/rdf+xml");
  }
  return replica::FetchedDocument{std::move(reply.body), *format, std::move(reply.url)};
}

}  // namespace quadrille::web
