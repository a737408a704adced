// Talks to a running site over HTTP (libcurl). With the token of the environment's QUADRILLE_TOKEN, if it has one; the
// certificate of an https site is signed by an authority of the system's, or one in the PEM file QUADRILLE_CA.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/io/output_sink.h"

namespace quadrille::cli {

struct HttpCall {
  std::string method = "GET";
  std::string url;
  std::vector<std::string> headers;  // "Accept: text/csv"
  std::string body;

  // Instead of `body`: files as multipart/form-data, streamed from the disk. "-": standard input.
  struct File {
    std::string name;
    std::string media_type;
    std::string encoding;  // Content-Encoding; empty: none
  };
  std::vector<File> files;
  std::function<void(uint64_t sent, uint64_t total)> on_upload;  // now and then
};

struct HttpReply {
  int status = 0;
  std::string content_type;  // without parameters
  std::string body;          // empty if it went to a sink
};

// The answer of a call that succeeded (2xx). Its body goes to `sink`, if one is given. Unavailable: nobody answers, or
// the answer broke off. Another status becomes an error with the first line that the server sent.
base::Result<HttpReply> send(const HttpCall& call, io::OutputSink* sink = nullptr);

// "http://HOST:PORT" + path; the base may end in '/'.
std::string join_url(std::string_view base, std::string_view path);
bool is_url(std::string_view target) noexcept;

}  // namespace quadrille::cli
