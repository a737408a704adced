#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>

#include "engine/io/input_stream.h"
#include "engine/io/rdf_format.h"
#include "engine/model/iri.h"
#include "replica/cli/commands.h"
#include "replica/cli/http_client.h"
#include "replica/cli/local_store.h"
#include "replica/cli/progress_line.h"
#include "replica/cli/site_answer.h"
#include "replica/cli/size_argument.h"
#include "replica/cli/trouble.h"
#include "replica/http/parameters.h"
#include "replica/thread_task_runner.h"

namespace quadrille::cli {
namespace {

struct InputFile {
  std::string name;
  io::RdfFormat format = io::RdfFormat::NTriples;
};

// The usage error, or the files with their formats.
base::Result<std::vector<InputFile>> read_files(const LoadCommandOptions& options) {
  std::vector<InputFile> files;
  for (const auto& name : options.files) {
    const auto format =
        options.format.empty() ? io::rdf_format_by_file_name(name) : io::rdf_format_by_name(options.format);
    if (!format && !options.format.empty()) {
      return base::Error{base::ErrorKind::InvalidInput,
                         fmt::format("--format {}: no format; expected nt, nq, ttl, trig or rdf", options.format),
                         {}};
    }
    if (!format) {
      return base::Error{
          base::ErrorKind::InvalidInput,
          fmt::format("{}: the name tells no format; expected .nt, .nq, .ttl, .trig or .rdf, or --format", name),
          {}};
    }
    files.push_back({name, *format});
  }
  return files;
}

// A file as the base of its relative IRIs.
std::string base_of(const std::string& name) {
  if (name == "-") return {};
  std::error_code ignored;
  const auto path = std::filesystem::absolute(name, ignored).string();
  std::string iri = "file://";
  for (const char c : path) iri += c == '/' ? "/" : http::percent_encode({&c, 1});
  return iri;
}

void print_loaded(uint64_t inserted, const std::string& version, const ProgressLine& progress) {
  const double seconds = progress.seconds();
  fmt::print("loaded {} new quads in {:.1f} s ({:.0f} a second), version {}\n", inserted, seconds,
             static_cast<double>(inserted) / std::max(seconds, 0.001), version);
}

std::string told(const load::LoadProgress& at, const std::vector<InputFile>& files, double seconds) {
  const bool is_reading = at.phase == load::LoadProgress::Phase::Reading;
  std::string text = fmt::format("{}: {} quads, {:.0f} a second", is_reading ? files[at.document].name : "sorting",
                                 at.quads, static_cast<double>(at.quads) / std::max(seconds, 0.001));
  constexpr double too_early = 0.01;
  if (at.share_done < too_early) return text;
  return text + fmt::format(", {:.0f} % done, {:.0f} s left", at.share_done * 100,
                            seconds * (1 - at.share_done) / at.share_done);
}

std::vector<load::Document> documents_of(const std::vector<InputFile>& files, const std::optional<model::Term>& graph) {
  std::vector<load::Document> documents;
  for (const auto& file : files) {
    std::error_code unknown;
    const auto bytes = std::filesystem::file_size(file.name, unknown);
    documents.push_back({.name = file.name,
                         .format = file.format,
                         .base_iri = base_of(file.name),
                         .graph = graph,
                         .bytes = unknown ? std::nullopt : std::optional<uint64_t>(bytes),
                         .open = [name = file.name] { return io::open_input(name); }});
  }
  return documents;
}

base::Result<void> load_into_directory(const LoadCommandOptions& options, const std::vector<InputFile>& files,
                                       const std::optional<model::Term>& graph) {
  QUADRILLE_ASSIGN(const auto local, LocalStore::open(options.target));
  replica::ThreadTaskRunner runner(replica::load_width());
  ProgressLine progress;
  load::LoadOptions load_options;
  if (!options.memory.empty()) load_options.memory_bytes = *parse_size(options.memory);
  load_options.on_progress = [&](const load::LoadProgress& at) {
    progress.show([&] { return told(at, files, progress.seconds()); });
  };
  QUADRILLE_ASSIGN(const auto outcome, local->load(documents_of(files, graph), runner, load_options));
  QUADRILLE_ASSIGN(const auto version, local->token_text(outcome));
  print_loaded(outcome.quads_inserted, version, progress);
  return {};
}

base::Result<void> load_into_site(const LoadCommandOptions& options, const std::vector<InputFile>& files) {
  HttpCall call;
  call.method = "POST";
  call.url = join_url(options.target, "/data");
  if (!options.graph.empty()) call.url += "?graph=" + http::percent_encode(options.graph);
  for (const auto& file : files) {
    if (file.name != "-" && access(file.name.c_str(), R_OK) != 0) {
      return base::Error{base::ErrorKind::NotFound, fmt::format("{}: no such file, or not readable", file.name), {}};
    }
    const bool is_gzip = file.name.ends_with(".gz");
    const bool is_zstd = file.name.ends_with(".zst");
    call.files.push_back({file.name, std::string(io::media_type_of(file.format)),
                          is_gzip   ? "gzip"
                          : is_zstd ? "zstd"
                                    : ""});
  }
  ProgressLine progress;
  call.on_upload = [&](uint64_t sent, uint64_t total) {
    progress.show([&] {
      if (total != 0 && sent >= total) return fmt::format("sent {} MB; the site loads them", sent >> 20);
      return fmt::format("sent {} MB of {}", sent >> 20, total == 0 ? "?" : std::to_string(total >> 20));
    });
  };
  QUADRILLE_ASSIGN(const auto reply, send(call));
  const auto json = nlohmann::json::parse(reply.body, nullptr, false);
  if (!json.is_object()) {
    return not_a_site(call.url);
  }
  print_loaded(json.value("inserted", uint64_t{0}), json.value("version", ""), progress);
  return {};
}

}  // namespace

int run_load(const LoadCommandOptions& options) {
  const auto files = read_files(options);
  if (!files.ok()) return report_usage(files.error().message);
  std::optional<model::Term> graph;
  if (!options.graph.empty()) {
    if (auto checked = model::check_iri(options.graph); !checked.ok()) {
      return report_usage(
          fmt::format("--graph {}: {}; expected an absolute IRI", options.graph, checked.error().message));
    }
    graph = model::Term::iri(options.graph);
  }
  if (!options.memory.empty() && (is_url(options.target) || !parse_size(options.memory))) {
    return report_usage(is_url(options.target)
                            ? "--memory is for a load into a directory; a site that is served has its own limit"
                            : fmt::format("--memory {}: no size; expected one like 512M or 4G", options.memory));
  }
  const auto done =
      is_url(options.target) ? load_into_site(options, *files) : load_into_directory(options, *files, graph);
  return done.ok() ? Done : report(done.error());
}

}  // namespace quadrille::cli
