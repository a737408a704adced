/* A reconciliation policy as a shared library: the C interface. C99; no other header of Quadrille is needed.
 *
 * A policy says what a cell holds after sites wrote it against each other. It is a pure function: the same question
 * gets the same answer at every site, on every machine, in every call. Nothing but what it is shown may enter: no
 * clock, chance, memory of earlier calls, address, locale, environment or order of a hash table. Given that, sites
 * converge, whatever it computes. `quadrille policy check FILE.so` looks for what breaks this.
 *
 * The library exports one function, quadrille_policy(), that returns a quadrille_policy_v1. It lives as long as the
 * library; strings in it are UTF-8 and end with a zero.
 *
 * What is shown: everything that a call is handed, and all that it points to, belongs to the caller, does not change
 * during the call, and is gone after it. A text is UTF-8 with its length and need not end with a zero.
 *
 * What is answered: through the functions of quadrille_answer, which copy.
 *
 * Trouble: a call returns QUADRILLE_OK, QUADRILLE_FAILED (say why through answer->fail) or QUADRILLE_NO_MEMORY. A
 * policy that fails does not decide: the site falls back to add-wins for quads and to last-writer-wins else, and the
 * conflict record says why. So failing must be as deterministic as an answer; no memory is not, and stops the site. No
 * C++ exception and no longjmp may cross this interface; what crashes stops the site.
 *
 * Threads: every function may be called from several threads at once.
 *
 * Growth: quadrille_text, _term, _statement, and _quad stay as they are within a version of the interface. Every other
 * struct begins with its size as its maker knows it: later versions add fields at the end, and one who reads a field
 * that came later compares the size first. Version 1 has all fields below.
 */
#ifndef QUADRILLE_POLICY_H
#define QUADRILLE_POLICY_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define QUADRILLE_POLICY_ABI_VERSION 1u

/* What a call returns. */
enum { QUADRILLE_OK = 0, QUADRILLE_FAILED = 1, QUADRILLE_NO_MEMORY = 2 };

typedef struct quadrille_text {
  const char* data; /* may be null where size is 0 */
  size_t size;
} quadrille_text;

enum { QUADRILLE_ABSENT = 0, QUADRILLE_IRI = 1, QUADRILLE_BLANK_NODE = 2, QUADRILLE_LITERAL = 3 };

typedef struct quadrille_term {
  uint32_t kind;           /* QUADRILLE_ABSENT: the default graph, the object of a cell that has none, any term */
  quadrille_text text;     /* the IRI, the label of the blank node (without "_:"), or the lexical form */
  quadrille_text datatype; /* literals: the whole IRI; in an answer, empty means xsd:string, or what `language` says */
  quadrille_text language; /* literals: the tag in lower case; empty: none */
} quadrille_term;

/* A quad's part of a cell. */
typedef struct quadrille_statement {
  quadrille_term property;
  quadrille_term object;
} quadrille_statement;

typedef struct quadrille_quad {
  quadrille_term graph; /* absent: the default graph */
  quadrille_term subject;
  quadrille_term property;
  quadrille_term object;
} quadrille_quad;

/* By property, then object: kind (blank nodes, IRIs, literals), then text, bytewise. No repeats. */
typedef struct quadrille_content {
  const quadrille_statement* statements;
  size_t count;
} quadrille_content;

/* Kinds of cells; values of quadrille_cell.kind, and bits of quadrille_policy_v1.decides (1u << kind). */
enum { QUADRILLE_QUAD_CELL = 0, QUADRILLE_VALUE_CELL = 1, QUADRILLE_RECORD_CELL = 2 };

typedef struct quadrille_cell {
  size_t struct_size;
  uint32_t kind;
  quadrille_term graph; /* absent: the default graph */
  quadrille_term subject;
  quadrille_term property; /* of a record: the IRI that names the group */
  quadrille_term object;   /* quad cells only, else absent */
} quadrille_cell;

/* What one transaction of one site did to the cell. */
typedef struct quadrille_version {
  size_t struct_size;
  quadrille_text site;  /* its name */
  uint64_t incarnation; /* which of the site's lives */
  uint64_t seq;         /* the transaction's number at that site */
  int64_t stamp_ms;     /* hybrid logical time: milliseconds since 1970, and a counter */
  uint32_t stamp_counter;
  uint32_t is_maximal;   /* 1: no version shown has seen it */
  uint32_t left_nothing; /* 1: `left` is empty */
  quadrille_content saw; /* empty for quad cells: they log assertions only */
  quadrille_content left;
} quadrille_version;

/* Quads to look for. An absent term: any. */
typedef struct quadrille_pattern {
  size_t struct_size;
  quadrille_term graph;
  quadrille_term subject;
  quadrille_term property;
  quadrille_term object;
  uint32_t default_graph_only; /* 1: `graph` must be absent, and only the default graph is looked at */
} quadrille_pattern;

/* The settled state as of the conflict, the same at every site. */
typedef struct quadrille_context {
  size_t struct_size;
  void* host; /* the caller's own */
  /* Calls `receive` for every quad that matches: by graph (the default graph first), subject, property, object; no
     repeats. It stops where `receive` returns other than QUADRILLE_OK, and returns that. Where it fails of itself, the
     call of the policy has failed, whatever it returns. */
  int32_t (*match)(const struct quadrille_context* context, const quadrille_pattern* pattern,
                   int32_t (*receive)(void* receiver, const quadrille_quad* quad), void* receiver);
} quadrille_context;

typedef struct quadrille_conflict {
  size_t struct_size;
  const quadrille_cell* cell;
  quadrille_content base;                   /* what the cell held before these versions */
  const quadrille_version* const* versions; /* by stamp, then site; at least two of them maximal */
  size_t version_count;
  /* has_seen[i * version_count + j] is 1 where versions[i] was made by a transaction that had seen versions[j]. */
  const unsigned char* has_seen;
  quadrille_text argument;          /* what stands in parentheses in the assignment: my-policy(this) */
  const quadrille_context* context; /* null unless the policy reads it */
} quadrille_conflict;

/* A conflict without the text of any content: `saw` and `left` of its versions are empty, `left_nothing` counts. */
typedef struct quadrille_outline {
  size_t struct_size;
  const quadrille_version* const* versions;
  size_t version_count;
  quadrille_text argument;
} quadrille_outline;

/* A local update of one cell, before it is committed. */
typedef struct quadrille_local_change {
  size_t struct_size;
  const quadrille_cell* cell;
  quadrille_content saw;
  quadrille_content left;
  quadrille_text argument;
} quadrille_local_change;

/* Where an answer goes. The functions copy. One that returns other than QUADRILLE_OK has refused: the call has failed
   then, whatever the policy returns, and the first reason counts. */
typedef struct quadrille_answer {
  size_t struct_size;
  void* host; /* the caller's own */
  /* resolve, and check after complete(): a statement of the cell. In any order; repeats count once. At most 100,000
     statements and 64 MiB of text. */
  int32_t (*add_statement)(struct quadrille_answer* answer, const quadrille_statement* statement);
  /* Why the policy does not decide, for the conflict record; of check_argument: what was expected. One line. */
  int32_t (*fail)(struct quadrille_answer* answer, quadrille_text why);
  /* check: the whole request is refused, and its sender is told why. */
  int32_t (*refuse)(struct quadrille_answer* answer, quadrille_text why);
  /* check: the cell is left with what add_statement() adds, instead of what the request left. */
  int32_t (*complete)(struct quadrille_answer* answer);
} quadrille_answer;

/* How much of a component that keeps growing must be kept. */
enum {
  QUADRILLE_RETAIN_ALL = 0,       /* the answer may depend on each version: the window of a hot cell grows */
  QUADRILLE_RETAIN_MAXIMAL = 1,   /* it depends on the base and the maximal versions alone: others leave at once */
  QUADRILLE_RETAIN_AS_IT_SAYS = 2 /* may_leave() says */
};

typedef struct quadrille_policy_v1 {
  size_t struct_size;
  uint32_t abi_version;            /* QUADRILLE_POLICY_ABI_VERSION */
  const char* name;                /* by behaviour, 1 to 63 of a-z, 0-9 and '-'; no built-in's */
  uint32_t version;                /* a new one whenever any answer changes */
  uint32_t decides;                /* 1u << QUADRILLE_VALUE_CELL | ... */
  uint32_t accepts_several_values; /* 1: one local update may leave several values in a value cell */
  uint32_t retention;
  uint32_t reads_context; /* 1: asks conflict->context */
  const char* fallback;   /* reads_context: the built-in that decides until that can be read; else null */

  /* Null: every argument but the empty one is refused. QUADRILLE_FAILED: say what was expected through fail(). */
  int32_t (*check_argument)(quadrille_text argument, quadrille_answer* answer);
  /* What the cell holds. May be null if `choose` is given. */
  int32_t (*resolve)(const quadrille_conflict* conflict, quadrille_answer* answer);
  /* Null, or for a policy whose answer is always what one of the versions left: *place is its number. If both are
     given they must agree. Spares the site the text of all terms. */
  int32_t (*choose)(const quadrille_outline* outline, size_t* place, quadrille_answer* answer);
  /* QUADRILLE_RETAIN_AS_IT_SAYS: *may_leave is set to 1 if no answer can depend on versions[version], which is not
     maximal, whatever versions still come, as each of them will have seen it. */
  int32_t (*may_leave)(const quadrille_conflict* conflict, size_t version, int32_t* may_leave,
                       quadrille_answer* answer);
  /* Null, or a look at what a local update leaves in a cell: it may refuse() or complete() it. A failure refuses too.
     Changes that come from other sites are never asked about. */
  int32_t (*check)(const quadrille_local_change* change, quadrille_answer* answer);
} quadrille_policy_v1;

/* What the library exports. */
#if defined(__GNUC__)
__attribute__((visibility("default")))
#endif
const quadrille_policy_v1*
quadrille_policy(void);

#ifdef __cplusplus
}
#endif

#endif /* QUADRILLE_POLICY_H */
