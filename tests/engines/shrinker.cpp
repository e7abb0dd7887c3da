// Makes a program smaller while something stays true of it.
#include "shrinker.h"

#include <algorithm>

namespace assay::engines {
namespace {

class Shrinker {
public:
  Shrinker(Program program, const Predicate &holds, size_t trials)
      : best_(std::move(program)), holds_(holds), left_(trials) {}

  Program run() {
    for (bool changed = true; changed && left_ > 0;) {
      changed = removeStatements();
      changed |= removeHelpers();
      changed |= shrinkGrid();
      changed |= unwrap();
      changed |= simplifyExpressions();
      changed |= shrinkInputs();
    }
    return std::move(best_);
  }

private:
  bool keep(Program candidate) {
    if (left_ == 0 || !wellFormed(candidate))
      return false;
    --left_;
    if (!holds_(candidate))
      return false;
    best_ = std::move(candidate);
    return true;
  }

  static std::vector<Body *> bodiesOf(Program &program) {
    std::vector<Body *> bodies;
    forEachBody(program, [&](Body &body) { bodies.push_back(&body); });
    return bodies;
  }
  static std::vector<Expr *> exprsOf(Program &program) {
    std::vector<Expr *> exprs;
    forEachExpr(program, [&](Expr &expr) { exprs.push_back(&expr); });
    return exprs;
  }

  bool removeStatements() {
    bool changed = false;
    for (size_t which = 0; which < bodiesOf(best_).size(); ++which)
      for (size_t run = bodiesOf(best_)[which]->size(); run > 0; run /= 2)
        for (size_t end = bodiesOf(best_)[which]->size(); end >= run && end > 0;) {
          Program candidate = best_;
          Body &body = *bodiesOf(candidate)[which];
          body.erase(body.begin() + long(end - run), body.begin() + long(end));
          changed |= keep(std::move(candidate));
          end = std::min(end - run, bodiesOf(best_)[which]->size());
          if (which >= bodiesOf(best_).size())
            return changed;
        }
    return changed;
  }

  bool removeHelpers() {
    bool changed = false;
    for (size_t i = best_.helpers.size(); i-- > 0;) {
      Program candidate = best_;
      candidate.helpers.erase(candidate.helpers.begin() + long(i));
      changed |= keep(std::move(candidate));
    }
    return changed;
  }

  bool shrinkGrid() {
    bool changed = false;
    const auto tryExtents = [&](Extent grid, Extent group) {
      // Less than before, or two dispatches could take turns for ever.
      if (std::pair(grid.count(), group.count()) >= std::pair(best_.grid.count(), best_.group.count()))
        return;
      Program candidate = best_;
      candidate.grid = grid;
      candidate.group = group;
      changed |= keep(std::move(candidate));
    };
    tryExtents(best_.group, best_.group);
    for (const uint32_t threads : {2u, 4u, 8u, 32u, 33u, 64u})
      if (threads < best_.group.count() || best_.group.y * best_.group.z > 1)
        tryExtents({threads, 1, 1}, {threads, 1, 1});
    tryExtents({best_.grid.x, best_.grid.y, 1}, {best_.group.x, best_.group.y, 1});
    tryExtents({best_.grid.x, 1, 1}, {best_.group.x, 1, 1});
    for (uint32_t Extent::*along : {&Extent::x, &Extent::y, &Extent::z})
      for (const bool one : {false, true}) {
        Extent grid = best_.grid;
        grid.*along = one ? grid.*along - 1 : (grid.*along + 1) / 2;
        if (grid.*along > 0)
          tryExtents(grid, best_.group);
      }
    return changed;
  }

  // A construct becomes what it contains.
  bool unwrap() {
    bool changed = false;
    for (size_t which = 0; which < bodiesOf(best_).size(); ++which)
      for (size_t at = 0; at < bodiesOf(best_)[which]->size(); ++at) {
        const size_t inner = (*bodiesOf(best_)[which])[at].bodies.size();
        // All bodies one after the other, then each by itself.
        for (size_t chosen = inner > 1 ? 0 : 1; chosen <= inner; ++chosen) {
          Program candidate = best_;
          Body &body = *bodiesOf(candidate)[which];
          Body content;
          for (size_t i = 0; i < inner; ++i)
            if (chosen == 0 || chosen == i + 1)
              content.insert(content.end(), body[at].bodies[i].begin(), body[at].bodies[i].end());
          body.erase(body.begin() + long(at));
          body.insert(body.begin() + long(at), content.begin(), content.end());
          if (keep(std::move(candidate))) {
            changed = true;
            break;
          }
        }
      }
    return changed;
  }

  bool simplifyExpressions() {
    bool changed = false;
    for (size_t which = 0; which < exprsOf(best_).size(); ++which) {
      const Expr now = *exprsOf(best_)[which];
      if (now.literal)
        continue;
      const auto replace = [&](const Expr &by) {
        Program candidate = best_;
        *exprsOf(candidate)[which] = by;
        return keep(std::move(candidate));
      };
      bool done = replace(literalOf(now.type, false)) || replace(literalOf(now.type, true));
      for (size_t i = 0; !done && i < now.operands.size(); ++i)
        done = now.operands[i].type == now.type && replace(now.operands[i]);
      changed |= done;
    }
    return changed;
  }

  bool shrinkInputs() {
    bool changed = false;
    for (std::vector<uint32_t> Program::*words : {&Program::input, &Program::table})
      for (size_t run = kInputWords; run >= 4; run /= 2)
        for (size_t first = 0; first < kInputWords; first += run) {
          Program candidate = best_;
          auto &all = candidate.*words;
          std::fill_n(all.begin() + long(first), run, 0u);
          if (all != best_.*words)
            changed |= keep(std::move(candidate));
        }
    return changed;
  }

  Program best_;
  const Predicate &holds_;
  size_t left_;
};

} // namespace

Program shrink(Program program, const Predicate &holds, size_t trials) {
  return Shrinker(std::move(program), holds, trials).run();
}

} // namespace assay::engines
