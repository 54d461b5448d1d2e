// Names of problems and of bucket sets; see problems.h.
#include "tools/moec/problems.h"

#include "tools/moec/terminal.h"

#include <fmt/format.h>

#include <cctype>
#include <unistd.h>

namespace moec::tool {

extern const char *const problemsText; // problems_data.cpp, made by CMake.

static const Json &table() {
  static const Json parsed = Json::parse(problemsText);
  return parsed;
}

static std::vector<std::string> keys(const Json &object) {
  std::vector<std::string> names;
  for (const auto &item : object.items())
    names.push_back(item.key());
  return names;
}

std::vector<std::string> knownProblems() { return keys(table()["problems"]); }

bool isKnownProblem(const std::string &name) {
  return table()["problems"].contains(name);
}

static Expected<NamedProblem> makeProblem(const std::string &name,
                                          const std::string &text) {
  Expected<Problem> problem = parseProblem(text);
  if (!problem)
    return problem.status().withContext(name);
  NamedProblem named{name, problem.take(), ""};
  const Json fields = Json::parse(text);
  if (fields.contains("target") && fields["target"].is_string())
    named.target = fields["target"].get<std::string>();
  return named;
}

/// JSON on the command line: what `moec test` prints to rerun a case.
static bool looksLikeJson(const std::string &name) {
  return name.starts_with("{");
}

static bool looksLikeFile(const std::string &name) {
  return name == "-" || name.find('/') != std::string::npos ||
         name.ends_with(".json") || access(name.c_str(), F_OK) == 0;
}

Expected<NamedProblem> resolveProblem(const std::string &nameOrFile) {
  if (isKnownProblem(nameOrFile))
    return makeProblem(nameOrFile, table()["problems"][nameOrFile].dump());
  if (looksLikeJson(nameOrFile))
    return makeProblem("--problem", nameOrFile);
  if (!looksLikeFile(nameOrFile))
    return Status(
        ErrorCode::Usage,
        fmt::format("unknown problem '{}'{}; known: {}; or give a JSON file "
                    "with the fields of kernels/problems.json",
                    nameOrFile, suggestion(nameOrFile, knownProblems()),
                    join(knownProblems(), ", ")));
  Expected<std::string> text = readInput(nameOrFile);
  if (!text)
    return text.status();
  return makeProblem(nameOrFile, *text);
}

Expected<std::vector<int64_t>> resolveBuckets(const std::string &text) {
  const Json &sets = table()["buckets"];
  if (sets.contains(text))
    return sets[text].get<std::vector<int64_t>>();
  if (!text.empty() && std::isalpha(static_cast<unsigned char>(text[0])))
    return Status(ErrorCode::Usage,
                  fmt::format("--buckets={}: unknown set of buckets{}; known: "
                              "{}; or give numbers of tokens, as in 1,16,64",
                              text, suggestion(text, keys(sets)),
                              join(keys(sets), ", ")));
  return parseNumbers(text, "--buckets", /*zero=*/false);
}

Expected<std::string> resolveTarget(const std::string &chosen,
                                    const NamedProblem &problem) {
  if (!chosen.empty())
    return chosen;
  if (!problem.target.empty())
    return problem.target;
  return Status(ErrorCode::Usage,
                fmt::format("no target: problem '{}' names none; give "
                            "--target=NAME ('moec targets' lists them)",
                            problem.name));
}

std::string problemLabel(const std::string &canonical) {
  if (canonical.empty())
    return "any";
  for (const std::string &name : knownProblems()) {
    Expected<NamedProblem> known = resolveProblem(name);
    if (known && known->problem.canonical() == canonical)
      return name;
  }
  Expected<Problem> p = parseProblem(canonical);
  if (!p)
    return canonical;
  return fmt::format("{} x {} E{} top{} {} g{}", p->hidden, p->inter,
                     p->experts, p->topk, p->weights, p->group);
}

} // namespace moec::tool
