// The writer of a load for who has a store to itself, without a site around it.
#pragma once

#include <functional>
#include <mutex>

#include "engine/load/prepared_load.h"
#include "engine/store/store.h"

namespace quadrille::load {

class DirectStoreWriter final : public StoreWriter {
 public:
  explicit DirectStoreWriter(store::Store& store) : store_(store) {}
  base::Result<void> write(const std::function<void(store::Transaction&)>& work) override {
    const std::lock_guard lock(mutex_);
    return base::catch_storage_error([&]() -> base::Result<void> {
      const auto transaction = store_.begin();
      work(*transaction);
      return transaction->commit();
    });
  }

 private:
  std::mutex mutex_;  // the load's threads take turns
  store::Store& store_;
};

}  // namespace quadrille::load
