@0x9d1f6c1f2f3a7b52;
# How two Quadrille sites talk. This file is the specification of the protocol, version 1.
#
# A connection is one Cap'n Proto two-party RPC session over a stream of bytes. Who dialed is the RPC client, who was
# dialed the RPC server, and its bootstrap capability is a Greeter. After the greeting the two sides are equals: each
# holds a Sink of the other and pushes to it what the other lacks.
#
# The life of a connection:
#   1. The dialing side calls Greeter.hello, once, within 10 seconds. Both sides compare the greetings by the rules at
#      Greeting. What differs is refused: the answer says why, both sides report it, and the connection is closed.
#      The dialing side, once welcome, calls Sink.report; the other side calls nothing before that.
#   2. Each side walks its own change log in the order in which changesets entered there, which agrees with causality,
#      from the first one that the other lacks by its version vector, and pushes in that order
#        - every changeset of its own, and
#        - every changeset of a third site, unless the receiver says that it is connected to that site directly.
#      What the receiver is known to have is left out.
#   3. When a direct connection of the receiver goes, it calls Sink.report with a new round, and the sender starts again
#      at the first changeset that the vector of the report lacks.
#   4. Either side may end the connection at any time. Nothing is lost by that: the next greeting says what each has.
#
# Between one pair of sites one connection is kept: of two, the one that was dialed by the site whose id is smaller
# (by name, then incarnation); of two that the same site dialed, the newer one. The other is closed with Sink.goodbye.
#
# Nothing in a message is believed. A message is at most 64 MiB, its pointers nest at most 64 deep, and what a sender
# does against these rules ends the connection.

using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("quadrille::sync::wire");

struct SiteId {
  # A site in one of its lives.
  name @0 :Text;             # 1 to 63 of a-z, 0-9 and '-', first and last not '-'
  incarnation @1 :UInt64;    # random, new each time the site starts from nothing
}

struct Stamp {
  # Hybrid logical time.
  physicalMs @0 :Int64;      # milliseconds since 1970-01-01T00:00:00Z
  counter @1 :UInt32;
}

struct Vector {
  # A version vector: of each origin all changesets from 1 to `seq`. Sorted by site, no site twice, no seq 0.
  entries @0 :List(Entry);

  struct Entry {
    site @0 :SiteId;
    seq @1 :UInt64;
  }
}

struct Greeting {
  # Refused, in this order: no protocol version in common; another cluster; the site itself (same id and nonce); another
  # process with this site's id; another site with this site's name; other founding members; a side that is no member
  # as far as the other one knows; another changeset format; no policy assignment that both have, or another digest of one that both have; a vector
  # that claims more changesets of this site than it has written.
  versionMin @0 :UInt16;     # protocol versions that this side speaks; the largest in common is spoken
  versionMax @1 :UInt16;
  cluster @2 :Text;
  founders @3 :List(Text);   # names of the founding members, sorted
  site @4 :SiteId;
  nonce @5 :UInt64;          # random, one for each run of the process
  format @6 :UInt16;         # of the bytes of changeset chunks
  assignments @7 :List(AssignmentDigest);  # all that still count, ascending by number; at most 1024
  vector @8 :Vector;         # what this site has, durably
  direct @9 :List(SiteId);   # sites that it is connected to, the other side of this connection left out
  # Of these, those whose eviction is complete: the vector has all of theirs that any member will ever have.
  evictedForGood @13 :List(SiteId);
  isFounder @12 :Bool = true; # it did not join with a copy of another site's store
  evicted @11 :List(SiteId); # lives of sites that were evicted, as far as it knows; ascending
  members @10 :List(Text);   # names of all members that it knows of now, sorted, this one included
}

struct AssignmentDigest {
  # The number of a policy assignment: the stamp and the origin of the changeset that brought it. That of the founding
  # sites has no origin.
  physicalMs @0 :Int64;
  counter @1 :UInt32;
  origin @2 :SiteId;         # null: that of the founding sites
  digest @3 :Data;           # of its rules, and of the policies that it names: 16 bytes
}

interface Greeter {
  hello @0 (greeting :Greeting, sink :Sink) -> (answer :Answer);

  struct Answer {
    greeting @0 :Greeting;   # of the side that answers, also where it refuses
    union {
      sink @1 :Sink;         # welcome
      refused @2 :Text;      # why, in one line
    }
  }
}

interface Sink {
  push @0 (batch :Batch) -> (ack :Ack);
  # Hands over the next part of the stream. Batches are handled in the order in which they were called. The answer comes
  # when every changeset that is complete with this batch is durable at the receiver; a part of a larger changeset is
  # answered once it is staged. A changeset that depends on one that the receiver still expects from another connection
  # waits there for it. At most 8 calls may be unanswered: that is all the memory that a slow receiver costs either side.

  report @1 (direct :List(SiteId), vector :Vector, round :UInt32, heldBack :Vector) -> ();
  # The caller's direct connections have changed, or what it holds back. A round larger than the last means: what was
  # pushed in earlier rounds and not yet acknowledged is dropped, start again from `vector`.
  #
  # heldBack: of each site named there, changesets from that `seq` on are stamped too far ahead of the caller's clock, or
  # depend on ones that are. The caller has dropped what it got of them. They stay at the sender, with all that depends
  # on them, until a report of a new round no longer names them; all else goes on. A sender that does not know the field
  # sends them again, and they are dropped again. Of heartbeats that are stamped too far ahead the receiver keeps one a
  # site for when its time comes, and drops the others.

  ping @2 () -> (wallMs :Int64, skewMaxMs :UInt64);
  # Answered at once. Sent every ten seconds to compare clocks, and when nothing was heard for long; no answer means that
  # the connection is dead.
  #
  # wallMs: milliseconds since 1970 by the clock of who answers; 0 from who does not know the field. skewMaxMs: what is
  # stamped further ahead of that clock is held back there. So who asks knows how far the clocks are apart, and whether
  # its own is too far ahead for the other side; then it is the one to act (clock_watch.h).

  goodbye @3 (reason :Reason, text :Text) -> ();
  # The caller closes the connection, and says why, in one line.

  compare @4 () -> (comparison :Comparison, vector :Vector);
  # Asks the other side to say what it holds. It stops folding as long as `comparison` is kept, a minute at most;
  # `vector` is what it has, durably, since then. One at a time.

  enum Reason {
    another @0;              # of two connections between this pair the other one is kept
    refused @1;              # the answer to hello does not fit the caller
    violation @2;            # the other side broke the rules
    trouble @3;              # the caller cannot go on now, as when its disk is full; try again later
  }
}

interface Comparison {
  # What a site holds as of a cut, which each side must have or get, and which covers what both had when they stopped
  # folding: then neither has folded what is not in it, and each can tell what it held without what came since.

  totals @0 (cut :Vector) -> TotalsAnswer;
  # Once. Waits for what the site lacks of the cut. Local graphs are left out.

  graphs @1 () -> GraphsAnswer;
  # After totals: of each graph that has quads. At most 10,000.

  struct TotalsAnswer {
    union {
      totals @0 :QuadTotals;
      notNow @1 :Text;       # why, in one line
    }
  }
  struct GraphsAnswer {
    union {
      graphs @0 :List(GraphTotals);
      notNow @1 :Text;
    }
  }
}

struct QuadTotals {
  quads @0 :UInt64;
  digest @1 :Data;           # 16 bytes: engine/store/digest.h
}

struct GraphTotals {
  graph @0 :Text;            # as N-Triples has it; empty: the default graph
  totals @1 :QuadTotals;
}

struct Batch {
  round @0 :UInt32;          # the last round that the receiver reported, 0 before; an older one is answered and dropped
  entries @1 :List(Entry);   # in stream order
  # What the entries speak of, one after the other; empty if nothing: the next part of a Zstandard stream that begins with
  # the connection's first batch, flushed at its end, with a window of 2 MiB at most. So a batch is to be read after all
  # those before it, dropped ones too. A frame may end with a batch; the next one then begins another.
  data @2 :Data;
  dataBytes @3 :UInt64;      # its length before compression, at most 64 MiB
}

struct Entry {
  # The stream is a sequence of changesets and heartbeats. A changeset is its header, followed by pieces until all its
  # chunks are complete; nothing else may stand between these, but a batch may end anywhere. A transaction that is larger
  # than a batch so takes several; it is applied when it is complete, whole. If the connection is lost before, it is sent
  # again from its header.
  union {
    header @0 :UInt64;       # the next so many bytes of the data are a changeset's header (log/changeset_codec.h)
    piece @1 :UInt64;        # ... are the next part of its current chunk
    lastPiece @2 :UInt64;    # ... are the rest of its current chunk
    heartbeat @3 :Heartbeat;
  }
}

struct Heartbeat {
  # What a member says of itself: "this is all I have, and whatever I write from now on is stamped later". Sent every
  # second while something at its site is unsettled or its vector is not the one that it told last, every ten else. In
  # the stream it stands after every changeset that its vector names and that takes this connection, so that it never
  # overtakes one. The latest one of a third site is passed on likewise, to those that are not directly connected to that
  # site. It counts at a receiver only once that has all that the vector names.
  site @0 :SiteId;
  number @1 :UInt64;         # grows with each heartbeat of that incarnation
  stamp @2 :Stamp;
  vector @3 :Vector;
}

struct Ack {
  vector @0 :Vector;         # what the receiver has now, durably
  round @1 :UInt32;          # the receiver's; if it is larger than the batch's, the batch was dropped
}
