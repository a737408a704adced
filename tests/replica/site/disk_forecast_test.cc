// When the disk will be full.
#include "replica/site/disk_forecast.h"

#include <catch2/catch.hpp>

using quadrille::replica::DiskForecast;

namespace {

constexpr int64_t minute_us = 60'000'000;
constexpr uint64_t mebibyte = 1 << 20;

}  // namespace

TEST_CASE("a store that grows a mebibyte a minute fills what is left in as many minutes") {
  DiskForecast forecast;
  for (int64_t minute = 0; minute <= 30; ++minute) {
    const auto grown = static_cast<uint64_t>(minute) * mebibyte;
    forecast.note(minute * minute_us, 100 * mebibyte + grown, 630 * mebibyte - grown);
  }
  const auto status = forecast.status();
  CHECK(status.store_bytes == 130 * mebibyte);
  CHECK(status.growth_bytes_per_hour == 60 * static_cast<int64_t>(mebibyte));
  REQUIRE(status.full_in_s);
  CHECK(*status.full_in_s == 600 * 60);
}

TEST_CASE("a store that was watched for some minutes, that shrinks, or that does not grow says nothing of the end") {
  DiskForecast forecast;
  CHECK_FALSE(forecast.status().growth_bytes_per_hour);
  forecast.note(0, 100 * mebibyte, 500 * mebibyte);
  forecast.note(9 * minute_us, 200 * mebibyte, 400 * mebibyte);
  CHECK_FALSE(forecast.status().growth_bytes_per_hour);
  CHECK_FALSE(forecast.status().full_in_s);
  forecast.note(20 * minute_us, 100 * mebibyte, 500 * mebibyte);
  CHECK(forecast.status().growth_bytes_per_hour == 0);
  CHECK_FALSE(forecast.status().full_in_s);
  forecast.note(30 * minute_us, 50 * mebibyte, 550 * mebibyte);
  CHECK(*forecast.status().growth_bytes_per_hour < 0);
  CHECK_FALSE(forecast.status().full_in_s);
}

TEST_CASE("what grew long ago does not count any more, and looking often changes nothing") {
  DiskForecast forecast;
  forecast.note(0, 0, 1000 * mebibyte);
  for (int64_t second = 1; second <= 8 * 3600; ++second) {
    forecast.note(second * 1'000'000, 500 * mebibyte, 500 * mebibyte);
  }
  CHECK(forecast.status().growth_bytes_per_hour == 0);
  forecast.note(8 * int64_t{3600} * 1'000'000 + 500'000, 506 * mebibyte, 494 * mebibyte);
  CHECK(*forecast.status().growth_bytes_per_hour > 0);
}
