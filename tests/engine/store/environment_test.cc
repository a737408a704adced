#include "engine/store/environment.h"

#include <catch2/catch.hpp>

#include "engine/store/key.h"
#include "tests/engine/store/store_fixture.h"

using namespace quadrille::store;
using namespace quadrille::store::testing;

namespace {

struct OneTable {
  TemporaryDirectory directory;
  Environment environment{directory.path(), quick_options().environment};
  Table table = environment.open_table("numbers");

  // Rows "10", "20" ... with the key's number as value.
  void fill(WriteTransaction& transaction, int rows) {
    for (int i = 1; i <= rows; ++i) transaction.put(table, std::to_string(i * 10), std::to_string(i));
  }
};

}  // namespace

TEST_CASE("a cursor finds the row at, after and before a key") {
  OneTable fixture;
  WriteTransaction transaction(fixture.environment);
  fixture.fill(transaction, 5);
  Cursor cursor(transaction, fixture.table);
  CHECK(cursor.seek("20"));
  CHECK(cursor.value() == "2");
  CHECK(cursor.seek("21"));
  CHECK(cursor.key() == "30");
  CHECK(cursor.previous());
  CHECK(cursor.key() == "20");
  CHECK(cursor.seek_before("20"));
  CHECK(cursor.key() == "10");
  CHECK_FALSE(cursor.seek_before("10"));
  CHECK(cursor.seek_before("99"));
  CHECK(cursor.key() == "50");
  CHECK_FALSE(cursor.find("25"));
  CHECK(cursor.find("50"));
  CHECK_FALSE(cursor.next());
}

TEST_CASE("a cursor that found nothing stays nowhere instead of starting over") {
  OneTable fixture;
  WriteTransaction transaction(fixture.environment);
  fixture.fill(transaction, 5);
  Cursor cursor(transaction, fixture.table);
  CHECK_FALSE(cursor.seek("99"));
  CHECK_FALSE(cursor.next());
  CHECK_FALSE(cursor.previous());
  CHECK_FALSE(cursor.at_row());
  Cursor fresh(transaction, fixture.table);
  CHECK(fresh.next());
  CHECK(fresh.key() == "10");
}

TEST_CASE("rows written in ascending order are all there, between, over and behind those of the table") {
  OneTable fixture;
  WriteTransaction transaction(fixture.environment);
  fixture.fill(transaction, 5);
  {
    Cursor cursor(transaction, fixture.table);
    for (const char* key : {"15", "20", "45", "50", "51", "60"}) cursor.put_ascending(key, "new");
    for (bool at_row = cursor.first(); at_row; at_row = cursor.next()) {
      const bool is_old = cursor.key() == "10" || cursor.key() == "30" || cursor.key() == "40";
      CHECK((cursor.value() == "new") == !is_old);
    }
  }
  CHECK(transaction.row_count(fixture.table) == 9);
}

TEST_CASE("pages are full of rows that were written in ascending order behind a few others") {
  OneTable fixture;
  WriteTransaction transaction(fixture.environment);
  fixture.fill(transaction, 5);
  constexpr int rows = 1000;
  const std::string value(1000 - 10 - 6, 'x');  // four with their keys and heads, and no more, go on a page
  {
    Cursor cursor(transaction, fixture.table);
    for (int i = 0; i < rows; ++i) cursor.put_ascending(std::to_string(100'000 + i), value);
  }
  // A page whose rows came one by one into its middle would be split into halves.
  CHECK(transaction.byte_count(fixture.table) < (rows / 4 + 10) * 4096);
}

TEST_CASE("rows can be erased while a cursor walks over them") {
  OneTable fixture;
  WriteTransaction transaction(fixture.environment);
  fixture.fill(transaction, 9);
  {
    Cursor cursor(transaction, fixture.table);
    int seen = 0;
    for (bool at_row = cursor.first(); at_row; at_row = cursor.next()) {
      if (++seen % 2 == 0) cursor.erase_here();
    }
    CHECK(seen == 9);
  }
  CHECK(transaction.row_count(fixture.table) == 5);
  CHECK(transaction.contains(fixture.table, "10"));
  CHECK_FALSE(transaction.contains(fixture.table, "20"));
}

TEST_CASE("a child transaction's writes are its parent's once it commits, and never were if not") {
  OneTable fixture;
  WriteTransaction parent(fixture.environment);
  parent.put(fixture.table, "a", "1");
  {
    WriteTransaction child(parent);
    child.put(fixture.table, "a", "2");
    WriteTransaction grandchild(child);
    grandchild.put(fixture.table, "b", "3");
    grandchild.commit();
    CHECK(child.get(fixture.table, "b") == "3");
  }
  CHECK(parent.get(fixture.table, "a") == "1");
  CHECK(parent.get(fixture.table, "b") == std::nullopt);
  {
    WriteTransaction child(parent);
    CHECK(child.erase(fixture.table, "a"));
    child.put(fixture.table, "c", "4");
    child.commit();
  }
  parent.commit();
  const ReadTransaction reading(fixture.environment);
  CHECK(reading.get(fixture.table, "a") == std::nullopt);
  CHECK(reading.get(fixture.table, "c") == "4");
}

TEST_CASE("values of megabytes are written in place and read back") {
  OneTable fixture;
  WriteTransaction transaction(fixture.environment);
  const std::span<char> room = transaction.reserve(fixture.table, "large", 3'000'000);
  std::fill(room.begin(), room.end(), 'x');
  CHECK(transaction.get(fixture.table, "large") == std::string(3'000'000, 'x'));
}

TEST_CASE("keys of integers sort as the integers do, and a prefix has an end") {
  std::string small, large;
  append_big_endian(small, 255);
  append_big_endian(large, 256);
  CHECK(small < large);
  CHECK(big_endian_at("x" + large, 1) == 256);
  CHECK(after_prefix("ab") == "ac");
  CHECK(after_prefix("a\xff") == "b");
  CHECK(after_prefix("\xff\xff") == "");
}
