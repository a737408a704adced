// What libcurl gives out, owned.
#pragma once

#include <curl/curl.h>

#include <memory>

namespace quadrille::web {

struct FreeEasy {
  void operator()(CURL* handle) const { curl_easy_cleanup(handle); }
};
struct FreeList {
  void operator()(curl_slist* list) const { curl_slist_free_all(list); }
};
struct FreeMime {
  void operator()(curl_mime* mime) const { curl_mime_free(mime); }
};
struct FreeUrl {
  void operator()(CURLU* url) const { curl_url_cleanup(url); }
};
struct FreeText {
  void operator()(char* text) const { curl_free(text); }
};

using Easy = std::unique_ptr<CURL, FreeEasy>;
using HeaderList = std::unique_ptr<curl_slist, FreeList>;
using Mime = std::unique_ptr<curl_mime, FreeMime>;
using UrlHandle = std::unique_ptr<CURLU, FreeUrl>;
using CurlText = std::unique_ptr<char, FreeText>;

// Of the answer that came last; 0: none did.
inline long status_of(CURL* handle) {
  long status = 0;
  curl_easy_getinfo(handle, CURLINFO_RESPONSE_CODE, &status);
  return status;
}

}  // namespace quadrille::web
