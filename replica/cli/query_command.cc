#include <fmt/format.h>
#include <unistd.h>

#include <utility>

#include "engine/io/media_type.h"
#include "engine/io/output_sink.h"
#include "engine/io/result_format.h"
#include "engine/io/result_reader.h"
#include "engine/io/result_writer.h"
#include "replica/cli/commands.h"
#include "replica/cli/http_client.h"
#include "replica/cli/local_store.h"
#include "replica/cli/site_answer.h"
#include "replica/cli/text_argument.h"
#include "replica/cli/trouble.h"
#include "replica/site/answer_text.h"

namespace quadrille::cli {
namespace {

struct QueryWork {
  std::string target;
  TextArgument query;
  io::ResultFormat format;
  bool explain = false;
  bool profile = false;
  VersionOptions version;
};

base::Result<void> query_directory(const QueryWork& work, io::OutputSink& out) {
  QUADRILLE_ASSIGN(const auto local, LocalStore::open(work.target));
  QUADRILLE_TRY(local->read_federation());
  if (work.explain || work.profile) {
    const auto show = work.profile ? replica::profile_query : replica::explain_query;
    auto plan = show(local->store(), work.query.text, {}, local->run_parts());
    return plan.ok() ? out.write(*plan) : error_in_text(work.query.where, plan.error());
  }
  auto answer = replica::run_query(local->store(), work.query.text, {}, local->run_parts());
  if (!answer.ok()) return error_in_text(work.query.where, answer.error());
  const bool is_graph = std::holds_alternative<std::unique_ptr<exec::Triples>>(answer->content);
  return is_graph ? replica::write_graph(*answer, io::RdfFormat::NTriples, out)
                  : replica::write_results(*answer, work.format, out);
}

// Shown as a table what a site sent as JSON; triples as they came.
base::Result<void> show_table(const HttpReply& reply, io::OutputSink& out) {
  if (io::result_format_by_media_type(reply.content_type) != io::ResultFormat::Json) return out.write(reply.body);
  QUADRILLE_ASSIGN(const auto results, io::read_json_results(reply.body));
  const auto writer = io::make_result_writer(io::ResultFormat::Table, out);
  return io::write_result_set(results, *writer);
}

base::Result<void> query_site(const QueryWork& work, io::OutputSink& out) {
  const bool is_table = work.format == io::ResultFormat::Table;
  const auto media_type = io::media_type_of(is_table ? io::ResultFormat::Json : work.format);
  HttpCall call;
  call.method = "POST";
  call.url = join_url(work.target, work.profile   ? "/sparql?profile=true"
                                   : work.explain ? "/sparql?explain=true"
                                                  : "/sparql");
  call.headers = {"Content-Type: application/sparql-query",
                  fmt::format("Accept: {}, application/n-triples;q=0.5", io::without_parameters(media_type))};
  ask_for_version(work.version, call.headers);
  call.body = work.query.text;
  if (!is_table || work.explain || work.profile) {
    const auto reply = send(call, &out);
    return reply.ok() ? base::Result<void>() : reply.error();
  }
  QUADRILLE_ASSIGN(const auto reply, send(call));
  return show_table(reply, out);
}

}  // namespace

int run_query_command(const QueryCommandOptions& options) {
  const auto format = io::result_format_by_name(options.results);
  if (!format) {
    return report_usage(
        fmt::format("--results {}: no such format; expected table, json, xml, csv or tsv", options.results));
  }
  if (const auto wrong = check_text_argument(options.text, options.file, "query")) return report_usage(*wrong);
  if (const auto wrong = check_version_options(options.version, options.target)) return report_usage(*wrong);
  auto query = read_text_argument(options.text, options.file, "query");
  if (!query.ok()) return report(query.error());
  const QueryWork work{options.target,  std::move(query).value(), *format,
                       options.explain, options.profile,          options.version};
  io::DescriptorSink out(STDOUT_FILENO, "standard output");
  const auto done = is_url(options.target) ? query_site(work, out) : query_directory(work, out);
  return done.ok() ? Done : report(done.error());
}

}  // namespace quadrille::cli
