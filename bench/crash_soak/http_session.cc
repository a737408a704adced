#include "bench/crash_soak/http_session.h"

#include <curl/curl.h>

namespace quadrille::crash_soak {
namespace {

constexpr long patience_s = 120;

size_t append(char* data, size_t, size_t size, void* body) {
  static_cast<std::string*>(body)->append(data, size);
  return size;
}

}  // namespace

HttpSession::HttpSession() : handle_(curl_easy_init()) {}

HttpSession::~HttpSession() { curl_easy_cleanup(handle_); }

HttpAnswer HttpSession::get(const std::string& url, const std::string& accept) {
  return perform(url, {"Accept: " + accept}, nullptr);
}

HttpAnswer HttpSession::post(const std::string& url, const std::string& content_type, const std::string& body,
                             const std::string& accept) {
  return perform(url, {"Content-Type: " + content_type, "Accept: " + accept, "Expect:"}, &body);
}

HttpAnswer HttpSession::perform(const std::string& url, const std::vector<std::string>& headers,
                                const std::string* body) {
  HttpAnswer answer;
  curl_slist* list = nullptr;
  for (const auto& header : headers) list = curl_slist_append(list, header.c_str());
  curl_easy_reset(handle_);  // the connection stays
  curl_easy_setopt(handle_, CURLOPT_URL, url.c_str());
  curl_easy_setopt(handle_, CURLOPT_NOPROXY, "*");
  curl_easy_setopt(handle_, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(handle_, CURLOPT_TIMEOUT, patience_s);
  curl_easy_setopt(handle_, CURLOPT_HTTPHEADER, list);
  curl_easy_setopt(handle_, CURLOPT_WRITEFUNCTION, append);
  curl_easy_setopt(handle_, CURLOPT_WRITEDATA, &answer.body);
  if (body) {
    curl_easy_setopt(handle_, CURLOPT_POSTFIELDS, body->data());
    curl_easy_setopt(handle_, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(body->size()));
  }
  if (curl_easy_perform(handle_) == CURLE_OK) {
    long status = 0;
    curl_easy_getinfo(handle_, CURLINFO_RESPONSE_CODE, &status);
    answer.status = static_cast<int>(status);
  }
  curl_slist_free_all(list);
  return answer;
}

}  // namespace quadrille::crash_soak
