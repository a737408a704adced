// Reads its context: the greatest text that is at most what the subject's urn:limit says. Also says what may leave, and
// notes what it was shown in its answer where the argument is "show".
#include <quadrille/policy.hpp>

using namespace quadrille::plugin;

class ReadsLimit : public Policy {
 public:
  ReadsLimit()
      : Policy({.name = "reads-limit",
                .version = 1,
                .decides = values | records,
                .accepts_several_values = true,
                .retention = Retention::AsItSays,
                .reads_context = true,
                .fallback = "last-writer-wins"}) {}

  std::optional<std::string> check_argument(std::string_view) const override { return std::nullopt; }

  Content resolve(const Conflict& conflict) const override {
    if (conflict.argument == "show") return {{conflict.cell.property, Term::literal(show(conflict))}};
    Pattern pattern;
    pattern.subject = conflict.cell.subject;
    pattern.property = Term::iri(conflict.argument == "nonsense" ? "" : "urn:limit");
    std::optional<Term> limit;
    for (const Quad& quad : conflict.context->match(pattern)) limit = quad.object;
    std::optional<Statement> best;
    for (const Version& version : conflict.versions) {
      for (const Statement& statement : version.left) {
        const bool fits = !limit || statement.object.text <= limit->text;
        if (fits && (!best || best->object.text < statement.object.text)) best = statement;
      }
    }
    return best ? Content{*best} : Content{};
  }

  bool may_leave(const Conflict& conflict, size_t version) const override {
    if (conflict.argument == "fails") throw std::runtime_error("cannot say");
    return conflict.versions[version].left_nothing;
  }

 private:
  static std::string show(const Content& content) {
    std::string text = "[";
    for (const Statement& statement : content) {
      const Term& object = statement.object;
      text += statement.property.text + "=" + object.text + "^" + object.datatype + "@" + object.language + ";";
    }
    return text + "]";
  }
  static std::string show(const Conflict& conflict) {
    std::string text = conflict.cell.graph ? conflict.cell.graph->text : "default";
    text += " " + conflict.cell.subject.text + " base" + show(conflict.base);
    for (size_t i = 0; i < conflict.versions.size(); ++i) {
      const Version& version = conflict.versions[i];
      text += "\n" + version.site + "." + std::to_string(version.incarnation) + "#" + std::to_string(version.seq) +
              " " + std::to_string(version.stamp.ms) + "+" + std::to_string(version.stamp.counter) + " " +
              (version.is_maximal ? "maximal" : "seen") + (version.left_nothing ? " nothing " : " ") + "saw" +
              show(version.saw) + " left" + show(version.left) + " has seen";
      for (size_t k = 0; k < conflict.versions.size(); ++k) {
        if (conflict.has_seen(i, k)) text += " " + std::to_string(k);
      }
    }
    return text;
  }
};
QUADRILLE_POLICY(ReadsLimit)
