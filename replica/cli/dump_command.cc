#include <fmt/format.h>
#include <unistd.h>

#include "engine/io/output_sink.h"
#include "engine/io/rdf_format.h"
#include "replica/cli/commands.h"
#include "replica/cli/http_client.h"
#include "replica/cli/local_store.h"
#include "replica/cli/trouble.h"
#include "replica/site/dump.h"

namespace quadrille::cli {
namespace {

base::Result<void> dump_directory(const std::string& directory, io::RdfFormat format, io::OutputSink& out) {
  QUADRILLE_ASSIGN(const auto local, LocalStore::open(directory));
  return replica::write_dump(*local->store().snapshot(), {}, format, out);
}

base::Result<void> dump_site(const std::string& url, io::RdfFormat format, io::OutputSink& out) {
  HttpCall call;
  call.url = join_url(url, "/data");
  call.headers = {fmt::format("Accept: {}", io::media_type_of(format))};
  const auto reply = send(call, &out);
  return reply.ok() ? base::Result<void>() : reply.error();
}

}  // namespace

int run_dump(const DumpCommandOptions& options) {
  const auto format = io::rdf_format_by_name(options.format);
  if (!format || !io::is_written(*format)) {
    return report_usage(fmt::format("--format {}: no such format; expected nq, trig, nt or ttl", options.format));
  }
  io::DescriptorSink out(STDOUT_FILENO, "standard output");
  const auto done =
      is_url(options.target) ? dump_site(options.target, *format, out) : dump_directory(options.target, *format, out);
  return done.ok() ? Done : report(done.error());
}

}  // namespace quadrille::cli
