#include "replica/cli/http_client.h"

#include <curl/curl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <utility>

#include "engine/io/media_type.h"
#include "replica/web/curl_handles.h"

namespace quadrille::cli {
namespace {

constexpr size_t error_body_max = 64 * 1024;

using web::Easy;
using web::HeaderList;
using web::Mime;

// What curl calls back into, for one transfer.
struct Transfer {
  CURL* handle = nullptr;
  const HttpCall* call = nullptr;
  io::OutputSink* sink = nullptr;
  HttpReply reply;
  std::optional<base::Error> sink_error;
};

size_t on_body(char* data, size_t, size_t size, void* user) {
  auto& transfer = *static_cast<Transfer*>(user);
  const std::string_view bytes(data, size);
  if (web::status_of(transfer.handle) / 100 != 2) {
    if (transfer.reply.body.size() < error_body_max) transfer.reply.body += bytes;
    return size;
  }
  if (!transfer.sink) {
    transfer.reply.body += bytes;
    return size;
  }
  if (auto written = transfer.sink->write(bytes); !written.ok()) {
    transfer.sink_error = written.error();
    return 0;
  }
  return size;
}

int on_progress(void* user, curl_off_t, curl_off_t, curl_off_t total, curl_off_t sent) {
  const auto& call = *static_cast<Transfer*>(user)->call;
  if (call.on_upload) call.on_upload(static_cast<uint64_t>(sent), static_cast<uint64_t>(total));
  return 0;
}

size_t read_standard_input(char* buffer, size_t, size_t size, void*) {
  while (true) {
    const ssize_t count = ::read(STDIN_FILENO, buffer, size);
    if (count >= 0) return static_cast<size_t>(count);
    if (errno != EINTR) return CURL_READFUNC_ABORT;
  }
}

Mime make_mime(CURL* handle, const HttpCall& call) {
  Mime mime(curl_mime_init(handle));
  for (const auto& file : call.files) {
    curl_mimepart* part = curl_mime_addpart(mime.get());
    curl_mime_name(part, "file");
    if (file.name == "-") {
      curl_mime_data_cb(part, -1, read_standard_input, nullptr, nullptr, nullptr);
    } else {
      curl_mime_filedata(part, file.name.c_str());
    }
    curl_mime_filename(part, file.name.c_str());
    curl_mime_type(part, file.media_type.c_str());
    if (!file.encoding.empty()) {
      curl_mime_headers(part, curl_slist_append(nullptr, ("Content-Encoding: " + file.encoding).c_str()), 1);
    }
  }
  return mime;
}

HeaderList make_headers(const HttpCall& call) {
  // Without "Expect: 100-continue" a large body goes out at once.
  curl_slist* list = curl_slist_append(nullptr, "Expect:");
  if (const char* token = std::getenv("QUADRILLE_TOKEN")) {
    list = curl_slist_append(list, fmt::format("Authorization: Bearer {}", token).c_str());
  }
  for (const auto& header : call.headers) list = curl_slist_append(list, header.c_str());
  return HeaderList(list);
}

std::string first_line(std::string_view text) { return std::string(text.substr(0, text.find('\n'))); }

base::ErrorKind kind_of(long status) noexcept {
  switch (status) {
    case 400: return base::ErrorKind::InvalidInput;
    case 404: return base::ErrorKind::NotFound;
    case 413: return base::ErrorKind::ResourceExhausted;
    case 501: return base::ErrorKind::Unsupported;
    case 503: return base::ErrorKind::Unavailable;
    case 504: return base::ErrorKind::Timeout;
    default: return base::ErrorKind::Refused;
  }
}

base::Error transfer_error(const HttpCall& call, CURLcode code, const char* details) {
  const char* why = *details ? details : curl_easy_strerror(code);
  if (code == CURLE_COULDNT_CONNECT || code == CURLE_COULDNT_RESOLVE_HOST) {
    return {base::ErrorKind::Unavailable, fmt::format("{}: {}; expected a running site there", call.url, why), {}};
  }
  if (code == CURLE_URL_MALFORMAT || code == CURLE_UNSUPPORTED_PROTOCOL) {
    return {base::ErrorKind::InvalidInput, fmt::format("{}: {}; expected http://HOST:PORT", call.url, why), {}};
  }
  return {base::ErrorKind::Unavailable, fmt::format("{}: the exchange broke off ({})", call.url, why), {}};
}

}  // namespace

base::Result<HttpReply> send(const HttpCall& call, io::OutputSink* sink) {
  const Easy easy(curl_easy_init());
  CURL* handle = easy.get();
  if (!handle) return base::Error{base::ErrorKind::IoFailure, "libcurl does not start", {}};
  Transfer transfer{handle, &call, sink, {}, {}};
  char details[CURL_ERROR_SIZE] = "";
  const auto headers = make_headers(call);
  const auto mime = call.files.empty() ? Mime() : make_mime(handle, call);
  curl_easy_setopt(handle, CURLOPT_URL, call.url.c_str());
  curl_easy_setopt(handle, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(handle, CURLOPT_NOSIGNAL, 1L);
  if (const char* authorities = std::getenv("QUADRILLE_CA")) curl_easy_setopt(handle, CURLOPT_CAINFO, authorities);
  curl_easy_setopt(handle, CURLOPT_NOPROXY, "127.0.0.1,localhost,::1");
  curl_easy_setopt(handle, CURLOPT_CONNECTTIMEOUT_MS, 10'000L);
  curl_easy_setopt(handle, CURLOPT_ERRORBUFFER, details);
  curl_easy_setopt(handle, CURLOPT_HTTPHEADER, headers.get());
  curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, on_body);
  curl_easy_setopt(handle, CURLOPT_WRITEDATA, &transfer);
  curl_easy_setopt(handle, CURLOPT_UPLOAD_BUFFERSIZE, 1024L * 1024L);
  if (call.on_upload) {
    curl_easy_setopt(handle, CURLOPT_NOPROGRESS, 0L);
    curl_easy_setopt(handle, CURLOPT_XFERINFOFUNCTION, on_progress);
    curl_easy_setopt(handle, CURLOPT_XFERINFODATA, &transfer);
  }
  if (mime) {
    curl_easy_setopt(handle, CURLOPT_MIMEPOST, mime.get());
  } else if (call.method != "GET") {
    curl_easy_setopt(handle, CURLOPT_POSTFIELDS, call.body.data());
    curl_easy_setopt(handle, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(call.body.size()));
  }
  curl_easy_setopt(handle, CURLOPT_CUSTOMREQUEST, call.method.c_str());

  const CURLcode code = curl_easy_perform(handle);
  if (transfer.sink_error) return *transfer.sink_error;
  if (code != CURLE_OK) return transfer_error(call, code, details);
  auto& reply = transfer.reply;
  reply.status = static_cast<int>(web::status_of(transfer.handle));
  const char* type = nullptr;
  curl_easy_getinfo(handle, CURLINFO_CONTENT_TYPE, &type);
  if (type) reply.content_type = io::without_parameters(type);
  if (reply.status / 100 == 2) return std::move(reply);
  return base::Error{
      kind_of(reply.status), fmt::format("{} (HTTP status {})", first_line(reply.body), reply.status), {}};
}

std::string join_url(std::string_view base, std::string_view path) {
  while (base.ends_with('/')) base.remove_suffix(1);
  return fmt::format("{}{}", base, path);
}

bool is_url(std::string_view target) noexcept {
  return target.starts_with("http://") || target.starts_with("https://");
}

}  // namespace quadrille::cli
