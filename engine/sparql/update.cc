// SPARQL Update. Grammar rules 3, 29 to 51.
#include "engine/sparql/parser.h"

namespace quadrille::sparql {
namespace {

constexpr TriplePlace insert_data_place = {"INSERT DATA", false, false, true, false, true};
constexpr TriplePlace delete_data_place = {"DELETE DATA", false, false, false, false, true};
constexpr TriplePlace delete_where_place = {"DELETE WHERE", false, true, false, false, false};
constexpr TriplePlace delete_place = {"DELETE", false, true, false, false, false};
constexpr TriplePlace insert_place = {"INSERT", false, true, true, false, false};

}  // namespace

bool Parser::update(Update& out) {
  for (;;) {
    if (!prologue()) return false;
    if (in_.at(TokenKind::End)) return true;
    ++operation_number_;
    if (!operation(out.operations.emplace_back())) return false;
    if (in_.at(TokenKind::End)) return true;
    if (!in_.expect(TokenKind::Semicolon, "';' or the end of the text")) return false;
  }
}

bool Parser::operation(UpdateOperation& out) {
  if (in_.take_word("INSERT")) return insert_operation(out);
  if (in_.take_word("DELETE")) return delete_operation(out);
  if (in_.take_word("WITH")) return with_operation(out);
  if (in_.take_word("LOAD")) return load_operation(out);
  if (in_.take_word("CLEAR")) return graph_operation(UpdateKind::Clear, out);
  if (in_.take_word("DROP")) return graph_operation(UpdateKind::Drop, out);
  if (in_.take_word("CREATE")) return create_operation(out);
  if (in_.take_word("ADD")) return transfer_operation(UpdateKind::Add, out);
  if (in_.take_word("MOVE")) return transfer_operation(UpdateKind::Move, out);
  if (in_.take_word("COPY")) return transfer_operation(UpdateKind::Copy, out);
  const std::string expected = "INSERT, DELETE, WITH, LOAD, CLEAR, DROP, CREATE, ADD, MOVE, COPY, BASE or PREFIX";
  const bool is_query =
      in_.at_word("SELECT") || in_.at_word("ASK") || in_.at_word("CONSTRUCT") || in_.at_word("DESCRIBE");
  return in_.fail_expected(is_query ? expected + ": a query is none of an update's operations" : expected);
}

bool Parser::at_operation() const noexcept {
  for (const std::string_view word :
       {"INSERT", "DELETE", "WITH", "LOAD", "CLEAR", "DROP", "CREATE", "ADD", "MOVE", "COPY"}) {
    if (in_.at_word(word)) return true;
  }
  return false;
}

bool Parser::insert_operation(UpdateOperation& out) {
  if (in_.take_word("DATA")) {
    out.kind = UpdateKind::InsertData;
    return quads(insert_data_place, out.inserts);
  }
  if (!in_.at(TokenKind::LeftBrace)) return in_.fail_expected("DATA or '{'");
  out.kind = UpdateKind::Modify;
  return quads(insert_place, out.inserts) && modify_rest(out);
}

bool Parser::delete_operation(UpdateOperation& out) {
  if (in_.take_word("DATA")) {
    out.kind = UpdateKind::DeleteData;
    return quads(delete_data_place, out.deletes);
  }
  if (in_.take_word("WHERE")) return delete_where(out);
  if (!in_.at(TokenKind::LeftBrace)) return in_.fail_expected("DATA, WHERE or '{'");
  out.kind = UpdateKind::Modify;
  if (!quads(delete_place, out.deletes)) return false;
  if (in_.take_word("INSERT") && !quads(insert_place, out.inserts)) return false;
  return modify_rest(out);
}

// The quads are template and pattern at once.
bool Parser::delete_where(UpdateOperation& out) {
  out.kind = UpdateKind::Modify;
  std::vector<QuadSegment> segments;
  if (!quad_segments(delete_where_place, segments)) return false;
  PatternTree pattern = make_unit();
  for (auto& segment : segments) {
    for (const auto& triple : segment.triples) out.deletes.push_back({triple, segment.graph});
    PatternTree part = make_triples(std::move(segment.triples));
    if (segment.graph) part = make_graph(*std::move(segment.graph), std::move(part));
    pattern = make_join(std::move(pattern), std::move(part));
    if (!check_depth(pattern.depth)) return false;
  }
  out.pattern = std::move(pattern.root);
  return true;
}

bool Parser::with_operation(UpdateOperation& out) {
  if (!iri_term(out.with)) return false;
  out.kind = UpdateKind::Modify;
  if (in_.take_word("INSERT")) return quads(insert_place, out.inserts) && modify_rest(out);
  if (!in_.take_word("DELETE")) return in_.fail_expected("INSERT or DELETE");
  if (!quads(delete_place, out.deletes)) return false;
  if (in_.take_word("INSERT") && !quads(insert_place, out.inserts)) return false;
  return modify_rest(out);
}

bool Parser::modify_rest(UpdateOperation& out) {
  if (!using_clauses(out.dataset)) return false;
  if (!in_.take_word("WHERE")) return in_.fail_expected("USING or WHERE");
  PatternTree pattern;
  if (!group(pattern)) return false;
  out.pattern = std::move(pattern.root);
  return true;
}

bool Parser::using_clauses(Dataset& out) {
  while (in_.take_word("USING")) {
    const bool is_named = in_.take_word("NAMED");
    std::string graph;
    if (!iri(graph, is_named ? "the IRI of a graph" : "NAMED or the IRI of a graph")) return false;
    (is_named ? out.named_graphs : out.default_graphs).push_back(model::Term::iri(std::move(graph)));
  }
  return true;
}

bool Parser::load_operation(UpdateOperation& out) {
  out.kind = UpdateKind::Load;
  out.silent = in_.take_word("SILENT");
  if (!iri_term(out.load_from)) return false;
  if (!in_.take_word("INTO")) return true;
  if (!in_.expect_word("GRAPH")) return false;
  out.into.kind = GraphTargetKind::One;
  return iri_term(out.into.graph);
}

bool Parser::graph_operation(UpdateKind kind, UpdateOperation& out) {
  out.kind = kind;
  out.silent = in_.take_word("SILENT");
  if (in_.take_word("DEFAULT")) {
    out.from.kind = GraphTargetKind::Default;
  } else if (in_.take_word("NAMED")) {
    out.from.kind = GraphTargetKind::Named;
  } else if (in_.take_word("ALL")) {
    out.from.kind = GraphTargetKind::All;
  } else if (in_.take_word("GRAPH")) {
    out.from.kind = GraphTargetKind::One;
    return iri_term(out.from.graph);
  } else {
    return in_.fail_expected(out.silent ? "GRAPH, DEFAULT, NAMED or ALL" : "SILENT, GRAPH, DEFAULT, NAMED or ALL");
  }
  return true;
}

bool Parser::create_operation(UpdateOperation& out) {
  out.kind = UpdateKind::Create;
  out.silent = in_.take_word("SILENT");
  if (!in_.take_word("GRAPH")) return in_.fail_expected(out.silent ? "GRAPH" : "SILENT or GRAPH");
  out.from.kind = GraphTargetKind::One;
  return iri_term(out.from.graph);
}

bool Parser::transfer_operation(UpdateKind kind, UpdateOperation& out) {
  out.kind = kind;
  out.silent = in_.take_word("SILENT");
  return graph_or_default(out.from) && in_.expect_word("TO") && graph_or_default(out.into);
}

bool Parser::graph_or_default(GraphTarget& out) {
  if (in_.take_word("DEFAULT")) {
    out.kind = GraphTargetKind::Default;
    return true;
  }
  out.kind = GraphTargetKind::One;
  if (!in_.take_word("GRAPH") && !at_iri()) return in_.fail_expected("DEFAULT, GRAPH or the IRI of a graph");
  return iri_term(out.graph);
}

bool Parser::quads(const TriplePlace& place, std::vector<QuadTemplate>& out) {
  std::vector<QuadSegment> segments;
  if (!quad_segments(place, segments)) return false;
  for (auto& segment : segments) {
    for (auto& triple : segment.triples) out.push_back({std::move(triple), segment.graph});
  }
  return true;
}

bool Parser::quad_segments(const TriplePlace& place, std::vector<QuadSegment>& out) {
  if (!in_.expect(TokenKind::LeftBrace, "'{'")) return false;
  std::string_view more = "a triple";
  bool may_start_triples = true;
  while (!in_.take(TokenKind::RightBrace)) {
    if (may_start_triples && at_triples_start()) {
      if (!template_triples(place, out.emplace_back().triples, more)) return false;
      may_start_triples = false;
    } else if (in_.take_word("GRAPH")) {
      QuadSegment& segment = out.emplace_back();
      if (!place.allows_variables && !at_iri()) return in_.fail_expected("the IRI of a graph");
      if (!variable_or_iri(segment.graph.emplace()) || !in_.expect(TokenKind::LeftBrace, "'{'") ||
          !template_triples(place, segment.triples, more) ||
          !in_.expect(TokenKind::RightBrace, std::string(more) + " or '}' (GRAPH does not nest)")) {
        return false;
      }
      in_.take(TokenKind::Dot);
      more = "a triple";
      may_start_triples = true;
    } else {
      return in_.fail_expected(std::string(more) + ", GRAPH or '}'");
    }
  }
  return true;
}

}  // namespace quadrille::sparql
