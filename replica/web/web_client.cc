#include "replica/web/web_client.h"

#include <curl/curl.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "engine/io/media_type.h"
#include "engine/model/utf8.h"
#include "replica/web/address.h"
#include "replica/web/curl_handles.h"

namespace quadrille::web {
namespace {

using base::Error;
using base::ErrorKind;
using replica::Reach;
using replica::UrlParts;

constexpr int redirects_max = 5;
constexpr size_t error_body_max = 4096;
constexpr size_t shown_bytes_max = 200;
constexpr long connect_patience_ms = 10'000;

// A URL as curl reads it: what is compared with the list is what curl will ask for.
struct ParsedUrl {
  UrlHandle handle;
  UrlParts parts;
  std::string text;
};

Error error(ErrorKind kind, std::string message) { return {kind, std::move(message), {}}; }

std::string part_of(const UrlHandle& url, CURLUPart part, unsigned flags = 0) {
  char* text = nullptr;
  if (curl_url_get(url.get(), part, &text, flags) != CURLUE_OK) return {};
  return CurlText(text).get();
}

std::string lower(std::string text) {
  for (char& c : text) c = io::ascii_lower(c);
  return text;
}

base::Result<ParsedUrl> parse_url(const std::string& text) {
  ParsedUrl url{UrlHandle(curl_url()), {}, {}};
  if (!url.handle) return error(ErrorKind::IoFailure, "libcurl does not start");
  const auto code = curl_url_set(url.handle.get(), CURLUPART_URL, text.c_str(), CURLU_NON_SUPPORT_SCHEME);
  url.parts.scheme = lower(part_of(url.handle, CURLUPART_SCHEME));
  if (code != CURLUE_OK || (url.parts.scheme != "http" && url.parts.scheme != "https")) {
    return error(ErrorKind::InvalidInput, fmt::format("<{}>; expected an address with http or https", text));
  }
  if (!part_of(url.handle, CURLUPART_USER).empty() || !part_of(url.handle, CURLUPART_PASSWORD).empty()) {
    return error(ErrorKind::InvalidInput, fmt::format("<{}>; expected an address without a user", text));
  }
  curl_url_set(url.handle.get(), CURLUPART_FRAGMENT, nullptr, 0);
  url.parts.host = lower(part_of(url.handle, CURLUPART_HOST));
  url.parts.port = static_cast<uint16_t>(std::atoi(part_of(url.handle, CURLUPART_PORT, CURLU_DEFAULT_PORT).c_str()));
  url.parts.path = part_of(url.handle, CURLUPART_PATH);
  url.text = part_of(url.handle, CURLUPART_URL);
  return url;
}

// What curl calls back into, for one transfer.
struct Transfer {
  CURL* handle = nullptr;
  const WebRequest& request;
  Reach reach;
  std::string body;
  bool is_too_large = false;
  bool is_private = false;  // the address of a socket that was wanted
};

size_t on_body(char* data, size_t, size_t size, void* user) {
  auto& transfer = *static_cast<Transfer*>(user);
  if (status_of(transfer.handle) / 100 != 2) {
    transfer.body.append(data, std::min(size, error_body_max - std::min(error_body_max, transfer.body.size())));
    return size;
  }
  if (transfer.body.size() + size > transfer.request.bytes_max) {
    transfer.is_too_large = true;
    return 0;
  }
  transfer.body.append(data, size);
  return size;
}

int on_progress(void* user, curl_off_t, curl_off_t, curl_off_t, curl_off_t) {
  const auto* cancelled = static_cast<Transfer*>(user)->request.cancelled;
  return cancelled != nullptr && *cancelled ? 1 : 0;
}

curl_socket_t on_socket(void* user, curlsocktype purpose, curl_sockaddr* address) {
  auto& transfer = *static_cast<Transfer*>(user);
  const bool is_allowed = transfer.reach == Reach::AnyAddress || is_public_address(address->addr);
  if (purpose != CURLSOCKTYPE_IPCXN || !is_allowed) {
    transfer.is_private = true;
    return CURL_SOCKET_BAD;
  }
  return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

void set_up(CURL* handle, const ParsedUrl& url, const WebRequest& request, Transfer& transfer,
            const HeaderList& headers, char* details) {
  curl_easy_setopt(handle, CURLOPT_CURLU, url.handle.get());
  curl_easy_setopt(handle, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(handle, CURLOPT_PROXY, "");
  curl_easy_setopt(handle, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(handle, CURLOPT_CONNECTTIMEOUT_MS, connect_patience_ms);
  curl_easy_setopt(handle, CURLOPT_ERRORBUFFER, details);
  curl_easy_setopt(handle, CURLOPT_HTTPHEADER, headers.get());
  curl_easy_setopt(handle, CURLOPT_USERAGENT, "quadrille");
  curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, on_body);
  curl_easy_setopt(handle, CURLOPT_WRITEDATA, &transfer);
  curl_easy_setopt(handle, CURLOPT_OPENSOCKETFUNCTION, on_socket);
  curl_easy_setopt(handle, CURLOPT_OPENSOCKETDATA, &transfer);
  curl_easy_setopt(handle, CURLOPT_NOPROGRESS, 0L);
  curl_easy_setopt(handle, CURLOPT_XFERINFOFUNCTION, on_progress);
  curl_easy_setopt(handle, CURLOPT_XFERINFODATA, &transfer);
  if (request.form) {
    curl_easy_setopt(handle, CURLOPT_POSTFIELDS, request.form->data());
    curl_easy_setopt(handle, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request.form->size()));
  }
}

Error transfer_error(const std::string& url, CURLcode code, const char* details, const Transfer& transfer) {
  const char* why = *details ? details : curl_easy_strerror(code);
  if (transfer.is_private) {
    return error(
        ErrorKind::Refused,
        fmt::format("<{}> is on this machine or in a private network; expected its origin in [federation] allow "
                    "of site.toml",
                    url));
  }
  if (transfer.is_too_large) {
    return error(ErrorKind::ResourceExhausted, fmt::format("<{}>: the answer is longer than {} MB, the limit in "
                                                           "[federation] of site.toml",
                                                           url, transfer.request.bytes_max >> 20));
  }
  if (code == CURLE_OPERATION_TIMEDOUT && transfer.request.deadline_us) {
    return error(ErrorKind::Timeout, fmt::format("<{}>: no answer within the time limit", url));
  }
  if (code == CURLE_ABORTED_BY_CALLBACK) return error(ErrorKind::Unavailable, "the request was cancelled");
  return error(ErrorKind::Unavailable, fmt::format("<{}>: {}", url, why));
}

// One line of what a stranger says, safe to show.
std::string shown(std::string_view text) {
  return model::describe_text(text.substr(0, std::min(text.find_first_of("\r\n"), shown_bytes_max)));
}

}  // namespace

base::Result<WebReply> WebClient::send(const WebRequest& request) {
  std::string next = request.url;
  for (int redirects = 0;; ++redirects) {
    QUADRILLE_ASSIGN(const ParsedUrl url, parse_url(next));
    const Reach reach = allowed_.reach(url.parts);
    if (reach == Reach::Nowhere) {
      return error(ErrorKind::Refused,
                   allowed_.is_empty()
                       ? fmt::format("<{}>: SERVICE and LOAD are off here; expected the addresses that may be asked in "
                                     "[federation] allow of site.toml",
                                     url.text)
                       : fmt::format("<{}> is not allowed; expected it in [federation] allow of site.toml", url.text));
    }
    Easy easy = connections_.take(reach);
    if (!easy) return error(ErrorKind::IoFailure, "libcurl does not start");
    Transfer transfer{easy.get(), request, reach, {}};
    char details[CURL_ERROR_SIZE] = "";
    curl_slist* list = curl_slist_append(nullptr, "Expect:");  // without "100-continue" the body goes out at once
    const HeaderList headers(curl_slist_append(list, ("Accept: " + request.accept).c_str()));
    set_up(easy.get(), url, request, transfer, headers, details);
    if (request.deadline_us) {
      const int64_t left_ms = (*request.deadline_us - clock_.now_us()) / 1000;
      curl_easy_setopt(easy.get(), CURLOPT_TIMEOUT_MS, static_cast<long>(std::clamp<int64_t>(left_ms, 1, 1 << 30)));
    }
    const CURLcode code = curl_easy_perform(easy.get());
    if (code != CURLE_OK) return transfer_error(url.text, code, details, transfer);
    const long status = status_of(transfer.handle);
    const char* location = nullptr;
    curl_easy_getinfo(easy.get(), CURLINFO_REDIRECT_URL, &location);
    // 303 says that the answer to a POST lies elsewhere, to be got: no endpoint means that for a query.
    const bool is_redirect = status / 100 == 3 && location != nullptr && !(request.form && status == 303);
    if (is_redirect && redirects < redirects_max) {
      next = location;
      connections_.give_back(reach, std::move(easy));
      continue;
    }
    if (status / 100 != 2) {
      return error(ErrorKind::Unavailable, fmt::format("<{}>: answered with HTTP status {}{}", url.text, status,
                                                       is_redirect             ? ", once too often"
                                                       : transfer.body.empty() ? ""
                                                                               : ": " + shown(transfer.body)));
    }
    const char* type = nullptr;
    curl_easy_getinfo(easy.get(), CURLINFO_CONTENT_TYPE, &type);
    WebReply reply{url.text, type == nullptr ? "" : type, std::move(transfer.body)};
    connections_.give_back(reach, std::move(easy));
    return reply;
  }
}

}  // namespace quadrille::web
