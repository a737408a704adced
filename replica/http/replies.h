// How trouble is told over HTTP: a status and one line of text.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "engine/base/clock.h"
#include "engine/base/result.h"
#include "engine/io/output_sink.h"
#include "reconcile/site_store.h"
#include "replica/http/content_coding.h"
#include "replica/http/message.h"
#include "replica/site/site.h"

namespace quadrille::http {

inline constexpr char text_type[] = "text/plain; charset=utf-8";
inline constexpr char json_type[] = "application/json";

int status_of(base::ErrorKind kind) noexcept;
Response plain_response(int status, const std::string& line);
// "line 3, column 14: …" where the error has a position.
Response error_response(const base::Error& error);
Response not_allowed(const char* allowed_methods);

// 406, with what there is.
Response not_acceptable(const Request& request, std::span<const std::string_view> offered);
// "text/turtle; charset=utf-8"; what is no text goes without.
std::string content_type_of(std::string_view media_type);

// The version token (replica/site/version_token.h): what the state that answered includes.
Header version_header(const replica::Site& site, const reconcile::SiteSnapshot& snapshot);

// What a transaction did, as JSON: {"inserted": 1, "deleted": 0, "changeset": "ams.…:12", "version": "ams.…:12:…"}.
Response outcome_response(const replica::Site& site, const reconcile::CommitReceipt& receipt);

inline constexpr uint64_t no_limit = ~uint64_t{0};

// Collects an answer: a short one is sent whole, with its length, and one that fails early becomes an error response;
// a long one is sent as it is made. Compressed, if the client takes that. Call finish() or fail() at the end. What it
// is made from is a snapshot, so all of it must be sent by `deadline_us` of the clock: then write() fails (Timeout),
// whether maker or receiver is slow. So it does (ResourceExhausted) after `bytes_max`, before compression.
class AnswerBody final : public io::OutputSink {
 public:
  AnswerBody(Exchange& exchange, Response head, const base::SteadyClock& clock, int64_t deadline_us,
             uint64_t bytes_max = no_limit)
      : exchange_(exchange), head_(std::move(head)), clock_(clock), deadline_us_(deadline_us), bytes_left_(bytes_max) {}
  base::Result<void> write(std::string_view bytes) override;
  void finish();
  void fail(const base::Error& error);

 private:
  void choose_compressor();
  base::Result<void> send(std::string_view bytes, int64_t patience_ms);

  Exchange& exchange_;
  Response head_;
  const base::SteadyClock& clock_;
  int64_t deadline_us_;
  uint64_t bytes_left_;
  bool is_started_ = false;
  std::unique_ptr<Compressor> compressor_;  // null: as it is
  std::string compressed_;
};

}  // namespace quadrille::http
