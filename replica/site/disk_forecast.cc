#include "replica/site/disk_forecast.h"

namespace quadrille::replica {

void DiskForecast::note(int64_t now_us, uint64_t store_bytes, uint64_t free_bytes) {
  free_bytes_ = free_bytes;
  const size_t size = samples_.size();
  if (size >= 2 && samples_[size - 1].at_us - samples_[size - 2].at_us < between_samples_us) samples_.pop_back();
  samples_.push_back({now_us, store_bytes});
  while (now_us - samples_.front().at_us > looked_back_us) samples_.pop_front();
}

DiskStatus DiskForecast::status() const {
  DiskStatus status;
  if (samples_.empty()) return status;
  const Sample& first = samples_.front();
  const Sample& last = samples_.back();
  status.store_bytes = last.store_bytes;
  status.free_bytes = free_bytes_;
  const int64_t watched_us = last.at_us - first.at_us;
  if (watched_us < watched_least_us) return status;
  const double bytes = static_cast<double>(last.store_bytes) - static_cast<double>(first.store_bytes);
  const double bytes_per_s = bytes / (static_cast<double>(watched_us) / 1e6);
  status.growth_bytes_per_hour = static_cast<int64_t>(bytes_per_s * 3600);
  constexpr double farthest_s = 3e9;  // a hundred years
  const double left_s = bytes_per_s > 0 ? static_cast<double>(free_bytes_) / bytes_per_s : farthest_s;
  if (left_s < farthest_s) status.full_in_s = static_cast<uint64_t>(left_s);
  return status;
}

}  // namespace quadrille::replica
