// See trace.h.
#include "trace.h"

#include "trace_sources.h"

#include <algorithm>
#include <cctype>
#include <cstring>
#include <fmt/format.h>
#include <unordered_map>

namespace assay::cli::diff {
namespace {

constexpr int kMostCompilations = 10; // with fewer probes each time

// Threads of a side are numbered through its traced dispatches, in the order of positions in the grid.
struct Grids {
  struct Grid {
    uint64_t extent[3], first;
  };
  std::vector<Grid> all;

  /// dispatches   that are traced: so many from the first on
  Grids(const Call &call, size_t dispatches) {
    uint64_t first = 0;
    for (size_t i = 0; i < dispatches; ++i) {
      const DispatchSize &size = call.step(i).size;
      Grid grid{{size.grid.width, size.grid.height, size.grid.depth}, first};
      if (size.wholeThreadgroups) {
        grid.extent[0] *= size.threadgroup.width;
        grid.extent[1] *= size.threadgroup.height;
        grid.extent[2] *= size.threadgroup.depth;
      }
      all.push_back(grid);
      first += grid.extent[0] * grid.extent[1] * grid.extent[2];
    }
  }
  bool has(const Grid &grid, const uint64_t (&at)[3]) const {
    return at[0] < grid.extent[0] && at[1] < grid.extent[1] && at[2] < grid.extent[2];
  }
  static uint64_t numberOf(const Grid &grid, const uint64_t (&at)[3]) {
    return grid.first + at[0] + grid.extent[0] * (at[1] + grid.extent[1] * at[2]);
  }
  uint64_t threads() const {
    const Grid &last = all.back();
    return last.first + last.extent[0] * last.extent[1] * last.extent[2];
  }
};

// Calls visit(statement, thread's number, place, value) for each probe of ours in a traced dispatch.
class ProbeReader : public Observer {
public:
  ProbeReader(const Call &call, size_t dispatches)
      : grids_(call, dispatches), ofSeveral_(call.stepCount() > 1) {}
  void dispatchBegin(const DispatchEvent &event) override {
    std::copy_n(event.threadsPerThreadgroup, 3, whole_);
    ++dispatches_;
    statements_.clear();
  }
  void probe(const GroupEvent &group, const ProbeEvent &event) override {
    if (dispatches_ > grids_.all.size())
      return;
    const auto [known, isNew] = statements_.try_emplace(event.site);
    if (isNew)
      known->second = TraceSources::numberOf(event.site->name);
    const uint32_t index = event.threadIndex;
    const uint64_t local[3] = {index % group.threads[0], index / group.threads[0] % group.threads[1],
                               index / (group.threads[0] * group.threads[1])};
    uint64_t at[3];
    for (int axis = 0; axis < 3; ++axis)
      at[axis] = uint64_t(group.position[axis]) * whole_[axis] + local[axis];
    ProbedValue made{event.site->type, std::min(event.site->count, kMostProbed), {}};
    const size_t bytes = scalarTypeInfo(made.type).bytes;
    for (uint32_t i = 0; i < made.count; ++i)
      std::memcpy(&made.bits[i], static_cast<const char *>(event.value) + i * bytes, bytes);
    TraceVisit place;
    place.dispatch = dispatches_ - 1;
    place.ofSeveral = ofSeveral_;
    place.threadIndex = index;
    for (int axis = 0; axis < 3; ++axis) {
      place.threadgroup[axis] = group.position[axis];
      place.thread[axis] = uint32_t(at[axis]);
    }
    place.made = made;
    visit(known->second, Grids::numberOf(grids_.all[dispatches_ - 1], at), place);
  }

protected:
  virtual void visit(size_t statement, uint64_t thread, TraceVisit &visit) = 0;
  const Grids grids_;

private:
  const bool ofSeveral_; ///< dispatches
  uint32_t whole_[3] = {1, 1, 1}, dispatches_ = 0;
  std::unordered_map<const SiteInfo *, size_t> statements_;
};

// A's visits of paired statements, in their order.
class Keeper : public ProbeReader {
public:
  struct Kept {
    uint32_t statement, threadIndex;
    uint64_t value; ///< offset in values_: type, count, bytes
    uint64_t thread;
  };

  Keeper(const Call &call, size_t dispatches, std::vector<size_t> partners, uint64_t limit)
      : ProbeReader(call, dispatches), partners_(std::move(partners)), limit_(limit) {}

  bool full() const { return full_; }
  const std::vector<Kept> &kept() const { return kept_; }
  /// Of a statement by a thread; null if it never came there.
  const std::vector<uint32_t> *visitsOf(size_t statement, uint64_t thread) const {
    const auto found = byThread_.find(key(statement, thread));
    return found == byThread_.end() ? nullptr : &found->second;
  }
  ProbedValue valueOf(const Kept &one) const {
    ProbedValue value{static_cast<ScalarType>(values_[one.value]), uint32_t(values_[one.value + 1]), {}};
    const size_t bytes = scalarTypeInfo(value.type).bytes;
    for (uint32_t i = 0; i < value.count; ++i)
      std::memcpy(&value.bits[i], &values_[one.value + 2 + i * bytes], bytes);
    return value;
  }
  const Grids &grids() const { return grids_; }

private:
  uint64_t key(size_t statement, uint64_t thread) const { return thread * partners_.size() + statement; }
  void visit(size_t statement, uint64_t thread, TraceVisit &visit) override {
    if (statement >= partners_.size() || partners_[statement] == kNone || full_)
      return;
    const size_t bytes = scalarTypeInfo(visit.made.type).bytes;
    taken_ += sizeof(Kept) + 2 * sizeof(uint32_t) + 2 + visit.made.count * bytes;
    std::vector<uint32_t> &visits = byThread_[key(statement, thread)];
    taken_ += visits.empty() ? 64 : 0;
    full_ = taken_ > limit_ || kept_.size() >= ~uint32_t(0);
    visits.push_back(uint32_t(kept_.size()));
    kept_.push_back({uint32_t(statement), visit.threadIndex, values_.size(), thread});
    values_.push_back(uint8_t(visit.made.type));
    values_.push_back(uint8_t(visit.made.count));
    for (uint32_t i = 0; i < visit.made.count; ++i) {
      const auto *from = reinterpret_cast<const uint8_t *>(&visit.made.bits[i]);
      values_.insert(values_.end(), from, from + bytes);
    }
  }

public:
  static constexpr size_t kNone = ~size_t(0);

private:
  const std::vector<size_t> partners_; ///< by statement of A
  const uint64_t limit_;
  uint64_t taken_ = 0;
  bool full_ = false;
  std::vector<Kept> kept_;
  std::vector<uint8_t> values_;
  std::unordered_map<uint64_t, std::vector<uint32_t>> byThread_;
};

// The worst element of two values; none if all are equal enough.
std::optional<compare::Difference> differenceOf(const ProbedValue &a, const ProbedValue &b, ScalarType type,
                                                const compare::Tolerance &tolerance) {
  std::string bytes[2];
  for (const auto &[value, to] : {std::pair(&a, &bytes[0]), std::pair(&b, &bytes[1])})
    for (uint32_t i = 0; i < value->count; ++i) {
      uint64_t bits = value->bits[i];
      if (value->type != type)
        bits = compare::bitsOf(compare::valueOf(bits, value->type), type);
      to->append(reinterpret_cast<const char *>(&bits), scalarTypeInfo(type).bytes);
    }
  return compare::compare({bytes[0], {}}, {bytes[1], {}}, type, tolerance).worst;
}

// B's visits against A's.
class Comparer : public ProbeReader {
public:
  Comparer(const Call &call, size_t dispatches, const Keeper &kept, std::vector<size_t> partners,
           std::unordered_map<uint64_t, uint64_t> threads, bool sameThreads, const TraceRequest &request)
      : ProbeReader(call, dispatches), kept_(kept), partners_(std::move(partners)),
        threads_(std::move(threads)), sameThreads_(sameThreads), request_(request) {}

  struct Value {
    size_t statement;
    uint32_t a; ///< in kept()
    TraceVisit b;
    compare::Difference difference;
    ScalarType type;
  };
  struct Extra {
    uint64_t position; ///< the number of A's visits up to the last of this thread that has a partner
    size_t statement;
    TraceVisit b;
    uint64_t visitsOfA;
  };
  std::optional<Value> value;
  std::optional<Extra> extra;
  uint64_t compared = 0, different = 0, extras = 0, otherCount = 0;

  /// How often B's thread came to the partner.
  uint64_t visits(size_t statementOfA, uint64_t threadOfA) const {
    const auto found = counts_.find(threadOfA * kStatements + statementOfA);
    return found == counts_.end() ? 0 : found->second;
  }
  /// Whether B has a thread for this one of A.
  bool hasThread(uint64_t threadOfA) const { return sameThreads_ || reached_.contains(threadOfA); }
  void setReached(std::unordered_map<uint64_t, bool> reached) { reached_ = std::move(reached); }

private:
  static constexpr uint64_t kStatements = uint64_t(1) << 24;

  void visit(size_t statement, uint64_t thread, TraceVisit &visit) override {
    if (statement >= partners_.size() || partners_[statement] == Keeper::kNone)
      return;
    const size_t ofA = partners_[statement];
    if (!sameThreads_) {
      const auto found = threads_.find(thread);
      if (found == threads_.end())
        return;
      thread = found->second;
    }
    visit.number = counts_[thread * kStatements + ofA]++;
    const std::vector<uint32_t> *visits = kept_.visitsOf(ofA, thread);
    if (!visits || visit.number >= visits->size()) {
      ++extras;
      const uint64_t position = last_[thread];
      if (!extra || position < extra->position)
        extra = {position, statement, visit, visits ? visits->size() : 0};
      return;
    }
    const uint32_t index = (*visits)[visit.number];
    last_[thread] = std::max<uint64_t>(last_[thread], uint64_t(index) + 1);
    const ProbedValue made = kept_.valueOf(kept_.kept()[index]);
    if (made.count != visit.made.count) {
      ++otherCount;
      return;
    }
    ++compared;
    if (made.type == visit.made.type && made.bits == visit.made.bits &&
        request_.tolerance.nan != compare::NanPolicy::Differ)
      return;
    const ScalarType type = comparedAs({}, made.type, visit.made.type);
    const auto difference = differenceOf(made, visit.made, type, request_.tolerance);
    if (!difference)
      return;
    ++different;
    if (!value || index < value->a)
      value = {statement, index, visit, *difference, type};
  }

  const Keeper &kept_;
  const std::vector<size_t> partners_; ///< by statement of B
  const std::unordered_map<uint64_t, uint64_t> threads_;
  const bool sameThreads_;
  const TraceRequest &request_;
  std::unordered_map<uint64_t, uint64_t> counts_, last_;
  std::unordered_map<uint64_t, bool> reached_;
};

// The first line of an error, with what it is about.
Error withPrefix(Error error, const std::string &side) {
  std::string &message = error.diagnostics.front().message;
  message = fmt::format("{} with probes: {}", side, message);
  return error;
}

// Compiles with all probes, and again without those that do not compile.
Result<std::vector<ComputePipeline>> compileProbed(const Side &side, TraceSources &sources) {
  for (int tries = 0;; ++tries) {
    Result<std::vector<ComputePipeline>> pipelines = side.probedPipelines(sources.probes());
    if (pipelines)
      return pipelines;
    if (tries == kMostCompilations || !sources.drop(pipelines.error().diagnostics))
      return withPrefix(pipelines.error(), side.name());
  }
}

// Which statements have a probe in the code of the traced dispatches.
std::vector<bool> inCode(const std::vector<ComputePipeline> &pipelines, size_t dispatches,
                         size_t statements) {
  std::vector<bool> found(statements, false);
  for (size_t i = 0; i < dispatches; ++i)
    for (const SiteInfo &site : pipelines[i].code().sites)
      if (site.kind == SiteKind::Probe)
        if (const size_t number = TraceSources::numberOf(site.name); number < statements)
          found[number] = true;
  return found;
}

// The statements that the user's lines mean: those with values of one kind, one after the other; if the lines
// have none of one kind, those with a value.
Result<std::vector<std::pair<size_t, size_t>>>
givenPairs(const std::vector<std::pair<uint32_t, uint32_t>> &lines, const TraceSources (&sources)[2],
           const Side (&sides)[2]) {
  std::vector<std::pair<size_t, size_t>> given;
  for (const auto &[a, b] : lines) {
    std::vector<size_t> on[2];
    for (int i = 0; i < 2; ++i) {
      const uint32_t line = i ? b : a;
      const std::string &file = sides[i].call().step(0).file;
      for (size_t s = 0; s < sources[i].statements().size(); ++s)
        if (const TracedStatement &one = sources[i].statements()[s];
            one.where.file == file && one.where.line == line && !one.statement.value.empty())
          on[i].push_back(s);
      if (on[i].empty())
        return Error::usage(
            "bad-option",
            fmt::format("no statement on line {} of {} makes a value that a probe can show", line, file),
            "a statement counts by the line on which it begins");
    }
    const size_t before = given.size();
    for (const ValueKind kind : {ValueKind::Made, ValueKind::Condition, ValueKind::Result}) {
      std::vector<size_t> same[2];
      for (int i = 0; i < 2; ++i)
        std::copy_if(on[i].begin(), on[i].end(), std::back_inserter(same[i]),
                     [&](size_t s) { return sources[i].statements()[s].statement.kind == kind; });
      for (size_t k = 0; k < std::min(same[0].size(), same[1].size()); ++k)
        given.emplace_back(same[0][k], same[1][k]);
    }
    for (size_t k = 0; given.size() == before && k < std::min(on[0].size(), on[1].size()); ++k)
      given.emplace_back(on[0][k], on[1][k]);
  }
  return given;
}

// For each thread of B the thread of A.
Result<std::unordered_map<uint64_t, uint64_t>> threadMap(const Grids &a, const Grids &b,
                                                         const TraceRequest &request) {
  std::unordered_map<uint64_t, uint64_t> threads;
  for (size_t i = 0; i < a.all.size(); ++i) {
    const Grids::Grid &from = a.all[i], &to = b.all[i];
    uint64_t at[3];
    for (at[2] = 0; at[2] < from.extent[2]; ++at[2])
      for (at[1] = 0; at[1] < from.extent[1]; ++at[1])
        for (at[0] = 0; at[0] < from.extent[0]; ++at[0]) {
          std::vector<double> values = request.sizes;
          values.insert(values.end(), {double(at[0]), double(at[1]), double(at[2])});
          uint64_t other[3] = {0, 0, 0};
          bool exists = true;
          for (size_t axis = 0; axis < request.thread.size(); ++axis) {
            const double value = request.thread[axis].evaluate(values);
            exists &= value >= 0 && value < 1e15 && value == double(uint64_t(value));
            other[axis] = exists ? uint64_t(value) : 0;
          }
          if (!exists || !b.has(to, other))
            continue;
          if (!threads.emplace(Grids::numberOf(to, other), Grids::numberOf(from, at)).second)
            return Error::usage("bad-option",
                                fmt::format("thread ({},{},{}) of B corresponds to two threads of A",
                                            other[0], other[1], other[2]),
                                "the expressions give each thread of A another one of B");
        }
  }
  return threads;
}

std::string oneLine(const std::string &text) {
  std::string line;
  for (const char c : text)
    if (c != '\n' && c != '\t' && c != '\r' && c != ' ')
      line += c;
    else if (!line.empty() && line.back() != ' ')
      line += ' ';
  while (line.ends_with(' ') || line.ends_with(';'))
    line.pop_back();
  return line;
}

void describe(TraceVisit &visit, const TracedStatement &statement) {
  visit.where = statement.where;
  visit.statement = oneLine(statement.text);
  const SourceStatement &source = statement.statement;
  if (source.kind == ValueKind::Condition || source.kind == ValueKind::Result) {
    visit.value =
        oneLine(statement.text.substr(source.valueBegin - source.begin, source.valueEnd - source.valueBegin));
    return;
  }
  // Of the spaces between its tokens those that are between words.
  const std::string &tokens = source.value;
  const auto isWord = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
  visit.value.clear();
  for (size_t i = 0; i < tokens.size(); ++i)
    if (tokens[i] != ' ' || (isWord(tokens[i - 1]) && isWord(tokens[i + 1])))
      visit.value += tokens[i];
}

} // namespace

Result<Traced> trace(Side (&sides)[2], const TraceRequest &request) {
  const size_t counts[2] = {sides[0].call().stepCount(), sides[1].call().stepCount()};
  const size_t dispatches = std::min(counts[0], counts[1]);
  const Grids gridsA(sides[0].call(), dispatches), gridsB(sides[1].call(), dispatches);
  bool sameThreads = request.thread.empty();
  for (size_t i = 0; i < gridsA.all.size() && sameThreads; ++i)
    if (!std::equal(gridsA.all[i].extent, gridsA.all[i].extent + 3, gridsB.all[i].extent))
      return Error::usage(
          "bad-option",
          fmt::format("A has {} x {} x {} threads and B {} x {} x {}: which correspond is not known",
                      gridsA.all[i].extent[0], gridsA.all[i].extent[1], gridsA.all[i].extent[2],
                      gridsB.all[i].extent[0], gridsB.all[i].extent[1], gridsB.all[i].extent[2]),
          "--trace-thread X,Y,Z gives the position in B of the thread at x, y, z in A; for example x*32,y,z");
  std::unordered_map<uint64_t, uint64_t> threads;
  if (!sameThreads) {
    Result<std::unordered_map<uint64_t, uint64_t>> map = threadMap(gridsA, gridsB, request);
    if (!map)
      return map.error();
    threads = std::move(*map);
  }

  TraceSources sources[2];
  std::vector<ComputePipeline> pipelines[2];
  std::vector<bool> present[2];
  Traced traced;
  for (int i = 0; i < 2; ++i) {
    Result<TraceSources> read = TraceSources::read(sides[i].call());
    if (!read)
      return read.error();
    sources[i] = std::move(*read);
    Result<std::vector<ComputePipeline>> compiled = compileProbed(sides[i], sources[i]);
    if (!compiled)
      return compiled.error();
    pipelines[i] = std::move(*compiled);
    present[i] = inCode(pipelines[i], dispatches, sources[i].statements().size());
    traced.sides[i].statements = size_t(std::count(present[i].begin(), present[i].end(), true));
    traced.sides[i].dropped = sources[i].dropped();
    traced.sides[i].dispatches = counts[i];
    traced.sides[i].untraced = counts[i] - dispatches;
  }
  const auto given = givenPairs(request.lines, sources, sides);
  if (!given)
    return given.error();
  const Alignment alignment = align(sources[0].texts(), sources[1].texts(), *given);
  traced.names = alignment.names;
  std::vector<size_t> toB(sources[0].statements().size(), Keeper::kNone),
      toA(sources[1].statements().size(), Keeper::kNone);
  for (const auto &[a, b] : alignment.pairs)
    if (present[0][a] && present[1][b]) {
      toB[a] = b;
      toA[b] = a;
      ++traced.pairs;
    }
  for (int i = 0; i < 2; ++i)
    traced.sides[i].unpaired = traced.sides[i].statements - traced.pairs;

  Keeper keeper(sides[0].call(), dispatches, toB, request.limitBytes);
  const Result<bool> sameA = sides[0].runAgain(pipelines[0], keeper);
  if (!sameA)
    return withPrefix(sameA.error(), sides[0].name());
  if (keeper.full())
    return Error::usage(
        "recording-limit",
        fmt::format("the values of {} take more than {} bytes", sides[0].call().kernel, request.limitBytes),
        "use a smaller grid or fewer iterations");
  std::unordered_map<uint64_t, bool> reached;
  for (const auto &[b, a] : threads)
    reached[a] = true;
  Comparer comparer(sides[1].call(), dispatches, keeper, toA, std::move(threads), sameThreads, request);
  comparer.setReached(std::move(reached));
  const Result<bool> sameB = sides[1].runAgain(pipelines[1], comparer);
  if (!sameB)
    return withPrefix(sameB.error(), sides[1].name());
  traced.sides[0].sameBits = *sameA;
  traced.sides[1].sameBits = *sameB;
  traced.compared = comparer.compared;
  traced.different = comparer.different;
  traced.otherCount = comparer.otherCount;
  traced.onlyOneSide = comparer.extras;

  // A visit of A again, from what was kept of it.
  const auto visitOfA = [&](uint32_t index) {
    const Keeper::Kept &one = keeper.kept()[index];
    TraceVisit visit;
    describe(visit, sources[0].statements()[one.statement]);
    visit.threadIndex = one.threadIndex;
    uint32_t dispatch = 0;
    while (dispatch + 1 < gridsA.all.size() && one.thread >= gridsA.all[dispatch + 1].first)
      ++dispatch;
    const Grids::Grid &grid = gridsA.all[dispatch];
    const Size &group = sides[0].call().step(dispatch).size.threadgroup;
    const uint64_t in = one.thread - grid.first, whole[3] = {group.width, group.height, group.depth};
    const uint64_t at[3] = {in % grid.extent[0], in / grid.extent[0] % grid.extent[1],
                            in / (grid.extent[0] * grid.extent[1])};
    visit.dispatch = dispatch;
    for (int axis = 0; axis < 3; ++axis) {
      visit.thread[axis] = uint32_t(at[axis]);
      visit.threadgroup[axis] = uint32_t(at[axis] / whole[axis]);
    }
    const std::vector<uint32_t> &visits = *keeper.visitsOf(one.statement, one.thread);
    visit.ofSeveral = counts[0] > 1;
    visit.number = uint64_t(std::lower_bound(visits.begin(), visits.end(), index) - visits.begin());
    visit.made = keeper.valueOf(one);
    return visit;
  };
  if (comparer.value) {
    ValueParting parting;
    parting.visit[0] = visitOfA(comparer.value->a);
    parting.visit[1] = comparer.value->b;
    describe(parting.visit[1], sources[1].statements()[comparer.value->statement]);
    parting.difference = comparer.value->difference;
    parting.type = comparer.value->type;
    traced.value = std::move(parting);
  }
  // A's first visit that B's thread does not make.
  std::optional<uint32_t> missing;
  for (uint32_t i = 0; i < keeper.kept().size(); ++i) {
    const Keeper::Kept &one = keeper.kept()[i];
    if (!comparer.hasThread(one.thread))
      continue;
    const std::vector<uint32_t> &visits = *keeper.visitsOf(one.statement, one.thread);
    const uint64_t ofB = comparer.visits(one.statement, one.thread);
    if (ofB >= visits.size() || visits[ofB] > i)
      continue;
    ++traced.onlyOneSide;
    if (!missing)
      missing = i;
  }
  uint64_t position = ~uint64_t(0);
  if (missing && !(comparer.extra && comparer.extra->position <= *missing)) {
    FlowParting parting;
    parting.visit = visitOfA(*missing);
    const Keeper::Kept &one = keeper.kept()[*missing];
    parting.partner = sources[1].statements()[toB[one.statement]].where;
    parting.otherVisits = comparer.visits(one.statement, one.thread);
    traced.flow = std::move(parting);
    position = *missing;
  } else if (comparer.extra) {
    FlowParting parting;
    parting.side = 1;
    parting.visit = comparer.extra->b;
    describe(parting.visit, sources[1].statements()[comparer.extra->statement]);
    parting.partner = sources[0].statements()[toA[comparer.extra->statement]].where;
    parting.otherVisits = comparer.extra->visitsOfA;
    traced.flow = std::move(parting);
    position = comparer.extra->position;
  }
  traced.flowFirst = traced.flow && (!comparer.value || position <= comparer.value->a);
  return traced;
}

} // namespace assay::cli::diff
