#include "replica/http/replies.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include <utility>

namespace quadrille::http {
namespace {

constexpr size_t whole_answer_max = size_t{128} << 10;
constexpr size_t worth_compressing = 1024;

}  // namespace

int status_of(base::ErrorKind kind) noexcept {
  switch (kind) {
    case base::ErrorKind::InvalidInput: return 400;
    case base::ErrorKind::NotFound: return 404;
    case base::ErrorKind::Refused: return 403;
    case base::ErrorKind::Mismatch: return 409;
    case base::ErrorKind::Unsupported: return 501;
    case base::ErrorKind::Busy:
    case base::ErrorKind::Unavailable:
    case base::ErrorKind::ResourceExhausted: return 503;
    case base::ErrorKind::Timeout: return 504;
    case base::ErrorKind::Corruption:
    case base::ErrorKind::IoFailure: return 500;
  }
  return 500;
}

Response plain_response(int status, const std::string& line) { return {status, text_type, line + "\n", {}}; }

Response error_response(const base::Error& error) {
  const int status = status_of(error.kind);
  if (!error.position) return plain_response(status, error.message);
  return plain_response(
      status, fmt::format("line {}, column {}: {}", error.position->line, error.position->column, error.message));
}

Response not_allowed(const char* allowed_methods) {
  auto response = plain_response(405, fmt::format("method not allowed here; expected {}", allowed_methods));
  response.headers.push_back({"Allow", allowed_methods});
  return response;
}

Response not_acceptable(const Request& request, std::span<const std::string_view> offered) {
  return plain_response(406, fmt::format("Accept \"{}\" takes nothing that can be sent; expected one of {}",
                                         request.header("Accept"), fmt::join(offered, ", ")));
}

std::string content_type_of(std::string_view media_type) {
  return media_type.starts_with("text/") ? fmt::format("{}; charset=utf-8", media_type) : std::string(media_type);
}

Header version_header(const replica::Site& site, const reconcile::SiteSnapshot& snapshot) {
  return {"Quadrille-Version", site.versions().token_text(snapshot)};
}

Response outcome_response(const replica::Site& site, const reconcile::CommitReceipt& receipt) {
  nlohmann::ordered_json json{{"inserted", receipt.quads_inserted}, {"deleted", receipt.quads_erased}};
  const auto& id = receipt.header.id;
  if (id.seq != 0) json["changeset"] = fmt::format("{}:{}", log::to_string(id.origin), id.seq);
  // Of a transaction that wrote nothing, what it saw: a state of now includes that.
  const auto version = base::catch_storage_error([&]() -> base::Result<std::string> {
    if (id.seq != 0) return replica::to_string(replica::token_of(receipt.header));
    return site.versions().token_text(*site.store().snapshot());
  });
  if (!version.ok()) return error_response(version.error());
  json["version"] = *version;
  return {200, json_type, json.dump() + "\n", {{"Quadrille-Version", *version}}};
}

base::Result<void> AnswerBody::write(std::string_view bytes) {
  const int64_t left_ms = (deadline_us_ - clock_.now_us()) / 1000;
  if (left_ms <= 0) {
    return base::Error{base::ErrorKind::Timeout, "the answer takes longer than limits.reader_age_ms allows", {}};
  }
  if (bytes.size() > bytes_left_) {
    return base::Error{base::ErrorKind::ResourceExhausted, "the answer is longer than limits.answer_mb allows", {}};
  }
  bytes_left_ -= bytes.size();
  if (!is_started_ && head_.body.size() + bytes.size() <= whole_answer_max) {
    head_.body += bytes;
    return {};
  }
  if (!is_started_) {
    is_started_ = true;
    const auto begun = std::exchange(head_.body, {});
    choose_compressor();
    exchange_.start(std::move(head_));
    QUADRILLE_TRY(send(begun, left_ms));
  }
  return send(bytes, left_ms);
}

void AnswerBody::choose_compressor() {
  head_.headers.push_back({"Vary", "Accept, Accept-Encoding"});
  const auto coding = choose_coding(exchange_.request().header("Accept-Encoding"));
  if (coding == ContentCoding::Identity) return;
  compressor_ = make_compressor(coding);
  head_.headers.push_back({"Content-Encoding", name_of(coding)});
}

base::Result<void> AnswerBody::send(std::string_view bytes, int64_t patience_ms) {
  if (!compressor_) return exchange_.write(bytes, patience_ms);
  compressed_.clear();
  compressor_->compress(bytes, compressed_);
  return compressed_.empty() ? base::Result<void>() : exchange_.write(compressed_, patience_ms);
}

void AnswerBody::finish() {
  if (!is_started_) {
    if (head_.body.size() >= worth_compressing) choose_compressor();
    if (compressor_) {
      const auto whole = std::exchange(head_.body, {});
      compressor_->compress(whole, head_.body);
      compressor_->finish(head_.body);
    }
    return exchange_.respond(std::move(head_));
  }
  if (compressor_) {
    compressed_.clear();
    compressor_->finish(compressed_);
    const int64_t left_ms = (deadline_us_ - clock_.now_us()) / 1000;
    if (!exchange_.write(compressed_, left_ms).ok()) return exchange_.break_off();
  }
  exchange_.finish();
}

void AnswerBody::fail(const base::Error& error) {
  if (is_started_) return exchange_.break_off();
  exchange_.respond(error_response(error));
}

}  // namespace quadrille::http
