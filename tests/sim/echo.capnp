@0xe1c5b3a7d9f04281;
# What the tests of the simulated links speak.

interface Echo {
  add @0 (number :UInt64, padding :Data) -> (sum :UInt64);
  note @1 (number :UInt64, padding :Data) -> stream;
}
