#include "policies/check/questions.h"

#include "engine/model/vocabulary.h"
#include "log/bytes.h"
#include "policies/check/generated_context.h"
#include "policies/check/laws.h"

namespace quadrille::policies::check {
namespace {

using log::ByteReader;
using log::ByteWriter;
using model::Term;
using reconcile::Conflict;
using reconcile::Content;

enum Mark : uint8_t { NewGroup = 1, AConflict = 2, AChange = 3 };

void write(ByteWriter& out, const Term& term) {
  out.byte(static_cast<uint8_t>(term.kind()));
  out.sized(term.text());
  if (!term.is_literal()) return;
  out.sized(term.language());
  if (term.language().empty()) out.sized(term.is_plain_string() ? std::string_view() : term.datatype());
}

void write(ByteWriter& out, const std::optional<Term>& term) {
  out.byte(term ? 1 : 0);
  if (term) write(out, *term);
}

void write(ByteWriter& out, const Content& content) {
  out.varint(content.size());
  for (const auto& [property, object] : content) {
    write(out, property);
    write(out, object);
  }
}

void write(ByteWriter& out, const reconcile::CellName& cell) {
  out.byte(static_cast<uint8_t>(cell.kind));
  write(out, cell.graph);
  write(out, cell.subject);
  write(out, cell.property);
  write(out, cell.object);
}

Term read_term(ByteReader& in) {
  const uint8_t kind = in.byte();
  std::string text(in.sized());
  if (kind == static_cast<uint8_t>(model::TermKind::Iri)) return Term::iri(std::move(text));
  if (kind == static_cast<uint8_t>(model::TermKind::BlankNode)) return Term::blank_node(std::move(text));
  const std::string_view language = in.sized();
  if (!language.empty()) return Term::language_literal(std::move(text), std::string(language));
  const std::string_view datatype = in.sized();
  return datatype.empty() ? Term::literal(std::move(text))
                          : Term::typed_literal(std::move(text), std::string(datatype));
}

std::optional<Term> read_optional_term(ByteReader& in) {
  if (in.byte() == 0) return std::nullopt;
  return read_term(in);
}

Content read_content(ByteReader& in) {
  Content content;
  for (uint64_t count = in.count(4); count > 0; --count) {
    Term property = read_term(in);
    content.push_back({std::move(property), read_term(in)});
  }
  return content;
}

reconcile::CellName read_cell(ByteReader& in) {
  reconcile::CellName cell;
  cell.kind = static_cast<log::CellKind>(in.byte());
  cell.graph = read_optional_term(in);
  cell.subject = read_term(in);
  cell.property = read_term(in);
  cell.object = read_optional_term(in);
  return cell;
}

Conflict read_conflict(ByteReader& in, Request& request) {
  Conflict conflict;
  conflict.cell = read_cell(in);
  conflict.base = read_content(in);
  conflict.argument = in.sized();
  if (in.byte() != 0) {
    request.contexts.push_back(
        std::make_unique<GeneratedContext>(in.fixed64(), conflict.cell.subject, conflict.cell.property));
    conflict.context = request.contexts.back().get();
  }
  const uint64_t count = in.count(8);
  for (uint64_t i = 0; i < count; ++i) {
    reconcile::Version version;
    version.id.origin.name = in.sized();
    version.id.origin.incarnation = in.fixed64();
    version.id.seq = in.varint();
    version.stamp.physical_ms = in.signed_varint();
    version.stamp.counter = static_cast<uint32_t>(in.varint());
    version.is_maximal = in.byte() != 0;
    version.saw = read_content(in);
    version.left = read_content(in);
    conflict.versions.push_back(std::move(version));
    std::vector<bool>& row = conflict.seen.emplace_back();
    for (uint64_t k = 0; k < count; ++k) row.push_back(in.byte() != 0);
  }
  return conflict;
}

base::Error damaged(const char* what) {
  return {
      base::ErrorKind::InvalidInput, std::string(what) + ": expected what another process of this program writes", {}};
}

}  // namespace

void RequestWriter::set_rounds(std::span<const Round> rounds) {
  rounds_.clear();
  ByteWriter out(rounds_);
  out.varint(rounds.size());
  for (const Round& round : rounds) {
    out.varint(round.pause_ms);
    out.byte(round.in_forks ? 1 : 0);
    out.byte(round.stirs_heap ? 1 : 0);
  }
}

void RequestWriter::begin_group() { ByteWriter(groups_).byte(NewGroup); }

void RequestWriter::add(const Conflict& conflict) {
  ByteWriter out(groups_);
  out.byte(AConflict);
  write(out, conflict.cell);
  write(out, conflict.base);
  out.sized(conflict.argument);
  const auto* const context = dynamic_cast<const GeneratedContext*>(conflict.context);
  out.byte(context ? 1 : 0);
  if (context) out.fixed64(context->seed());
  out.varint(conflict.versions.size());
  for (size_t i = 0; i < conflict.versions.size(); ++i) {
    const reconcile::Version& version = conflict.versions[i];
    out.sized(version.id.origin.name);
    out.fixed64(version.id.origin.incarnation);
    out.varint(version.id.seq);
    out.signed_varint(version.stamp.physical_ms);
    out.varint(version.stamp.counter);
    out.byte(version.is_maximal ? 1 : 0);
    write(out, version.saw);
    write(out, version.left);
    for (const bool has_seen : conflict.seen[i]) out.byte(has_seen ? 1 : 0);
  }
  ++questions_;
}

void RequestWriter::add(const reconcile::LocalChange& change) {
  ByteWriter out(groups_);
  out.byte(AChange);
  write(out, change.cell);
  write(out, change.saw);
  write(out, change.left);
  out.sized(change.argument);
  ++questions_;
}

base::Result<Request> read_request(std::string_view bytes) {
  ByteReader in(bytes);
  Request request;
  for (uint64_t count = in.count(3); count > 0; --count) {
    Round round;
    round.pause_ms = static_cast<uint32_t>(in.varint());
    round.in_forks = in.byte() != 0;
    round.stirs_heap = in.byte() != 0;
    request.rounds.push_back(round);
  }
  while (in.ok() && !in.at_end()) {
    const uint8_t mark = in.byte();
    if (mark == NewGroup) request.groups.emplace_back();
    if (mark == NewGroup) continue;
    if (request.groups.empty()) return damaged("a request");
    if (mark == AConflict) {
      request.groups.back().push_back(read_conflict(in, request));
    } else if (mark == AChange) {
      reconcile::LocalChange change;
      change.cell = read_cell(in);
      change.saw = read_content(in);
      change.left = read_content(in);
      change.argument = in.sized();
      request.groups.back().push_back(std::move(change));
    } else {
      return damaged("a request");
    }
  }
  if (!in.ok()) return damaged("a request");
  return request;
}

Answer ask(const reconcile::Policy& policy, const Question& question) {
  if (const auto* conflict = std::get_if<Conflict>(&question)) return ask(policy, *conflict);
  return ask_check(policy, std::get<reconcile::LocalChange>(question));
}

void write_answer(std::string& bytes, const Answer& answer) {
  ByteWriter out(bytes);
  write(out, answer.content);
  out.sized(answer.failure);
  out.byte(answer.is_outside ? 1 : 0);
}

base::Result<std::vector<Answer>> read_answers(std::string_view bytes) {
  ByteReader in(bytes);
  std::vector<Answer> answers;
  while (in.ok() && !in.at_end()) {
    Answer answer;
    answer.content = read_content(in);
    answer.failure = in.sized();
    answer.is_outside = in.byte() != 0;
    answers.push_back(std::move(answer));
  }
  if (!in.ok()) return damaged("answers");
  return answers;
}

}  // namespace quadrille::policies::check
