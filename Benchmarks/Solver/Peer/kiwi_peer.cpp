// The same workloads, steps and output as the Swift driver, through the Kiwi solver's C++ headers. Kiwi itself is not
// part of this repository: bench.py unpacks it from the sdist of kiwisolver before compiling this file.
#include <kiwi/kiwi.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "../AllocationCounter/include/allocation_counter.h"

struct Edit {
  int variable;
  double strength, first;
};
struct Constraint {
  double strength;
  char relation;
  double constant;
  std::vector<std::pair<double, int>> terms;
};
struct Workload {
  int variables = 0;
  std::vector<Edit> edits;
  std::vector<Constraint> constraints;
  int slide[2], size[2];
};

static Workload read(const char *path) {
  std::ifstream in(path);
  Workload w;
  std::string word;
  int count;
  in >> word >> w.variables >> word >> count;
  for (int i = 0; i < count; i++) {
    Edit e;
    in >> word >> e.variable >> e.strength >> e.first;
    w.edits.push_back(e);
  }
  in >> word >> count;
  for (int i = 0; i < count; i++) {
    Constraint c;
    int terms;
    in >> word >> c.strength >> c.relation >> c.constant >> terms;
    for (int t = 0; t < terms; t++) {
      std::pair<double, int> term;
      in >> term.first >> term.second;
      c.terms.push_back(term);
    }
    w.constraints.push_back(c);
  }
  in >> word >> w.slide[0] >> w.slide[1] >> word >> w.size[0] >> w.size[1];
  if (!in) {
    std::fprintf(stderr, "cannot read %s\n", path);
    std::exit(1);
  }
  return w;
}

static double now() {
  using namespace std::chrono;
  return duration<double, std::micro>(steady_clock::now().time_since_epoch()).count();
}

static double median(std::vector<double> v) {
  if (v.empty()) return 0;
  std::sort(v.begin(), v.end());
  return v[v.size() / 2];
}

// The middle one of the means over whole periods of 120 steps: counts the rare dear step, but not another process's turn.
static double periodMean(const std::vector<double> &v) {
  std::vector<double> means;
  for (size_t i = 0; i + 120 <= v.size(); i += 120) {
    double sum = 0;
    for (size_t j = i; j < i + 120; j++) sum += v[j];
    means.push_back(sum / 120);
  }
  return median(means);
}

static double mean(const std::vector<double> &v) {
  double sum = 0;
  for (double x : v) sum += x;
  return v.empty() ? 0 : sum / v.size();
}

struct Run {
  const Workload &w;
  std::vector<kiwi::Variable> variables;
  std::vector<kiwi::Constraint> constraints;
  std::unique_ptr<kiwi::Solver> solver;

  explicit Run(const Workload &workload) : w(workload) {
    for (int i = 0; i < w.variables; i++) variables.emplace_back();
    for (auto &c : w.constraints) constraints.push_back(make(c, 0));
  }

  kiwi::Constraint make(const Constraint &c, double shift) {
    std::vector<kiwi::Term> terms;
    for (auto &t : c.terms) terms.emplace_back(variables[t.second], t.first);
    auto op = c.relation == '=' ? kiwi::OP_EQ : c.relation == '<' ? kiwi::OP_LE : kiwi::OP_GE;
    return kiwi::Constraint(kiwi::Expression(std::move(terms), c.constant + shift), op, c.strength);
  }

  void build() {
    solver = std::make_unique<kiwi::Solver>();
    for (auto &e : w.edits) solver->addEditVariable(variables[e.variable], e.strength);
    for (auto &c : constraints) solver->addConstraint(c);
    for (auto &e : w.edits) solver->suggestValue(variables[e.variable], e.first);
    solver->updateVariables();
  }

  void suggest(const int pair[2], double a, double b) {
    solver->suggestValue(variables[w.edits[pair[0]].variable], a);
    solver->suggestValue(variables[w.edits[pair[1]].variable], b);
    solver->updateVariables();
  }
};

// Repeats a step until there are enough samples or the time is up, but at least so many.
static std::vector<double> sample(int most, size_t least, double budget, const std::function<double()> &step) {
  std::vector<double> times;
  double spent = 0;
  while ((int)times.size() < most && (spent < budget || times.size() < least)) {
    times.push_back(step());
    spent += times.back();
  }
  return times;
}

int main(int argc, char **argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: kiwi_peer seconds-per-step workload [constraint to add again]...\n");
    return 2;
  }
  double budget = std::atof(argv[1]) * 1e6;
  Workload w = read(argv[2]);
  long before = allocation_live_bytes();
  Run run(w);
  run.build();
  long memory = allocation_live_bytes() - before;

  auto builds = sample(400, 2, budget, [&] {
    run.solver.reset();
    double t = now();
    run.build();
    return now() - t;
  });
  run.solver.reset();
  run.build();
  double width = w.edits[w.size[0]].first, height = w.edits[w.size[1]].first;
  int frame = 0;
  long allocations = 0, frames = 0;
  auto slides = sample(12000, 240, budget, [&] {
    double phase = (frame++ % 120) / 60.0, t = phase <= 1 ? phase : 2 - phase;
    double x = width * (t * t * (3 - 2 * t));
    long count = allocation_count();
    double start = now();
    run.suggest(w.slide, x, x);
    double took = now() - start;
    if (frame > 1200) {
      allocations += allocation_count() - count;
      frames++;
    }
    return took;
  });
  run.suggest(w.slide, 0, 0);
  unsigned seed = 1;
  auto next = [&] {
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 8) / 16777216.0;
  };
  auto sizes = sample(12000, 240, budget, [&] {
    double a = std::floor(width * (.5 + next())), b = std::floor(height * (.5 + next()));
    double start = now();
    run.suggest(w.size, a, b);
    return now() - start;
  });
  run.suggest(w.size, width, height);
  std::vector<double> adds, returns;
  for (int i = 3; i < argc; i++) {
    int index = std::atoi(argv[i]);
    kiwi::Constraint pair[2] = {run.constraints[index], run.make(w.constraints[index], 1)};
    int turn = 0;
    auto some = sample(2000, 2, budget / (argc - 3), [&] {
      double start = now();
      run.solver->removeConstraint(pair[turn & 1]);
      run.solver->addConstraint(pair[~turn & 1]);
      run.solver->updateVariables();
      turn++;
      return now() - start;
    });
    if (turn & 1) {
      run.solver->removeConstraint(pair[1]);
      run.solver->addConstraint(pair[0]);
      run.solver->updateVariables();
    }
    adds.push_back(median(some));
    returns.push_back(median(sample(2000, 2, budget / (argc - 3), [&] {
      double start = now();
      run.solver->removeConstraint(pair[0]);
      run.solver->updateVariables();
      run.solver->addConstraint(pair[0]);
      run.solver->updateVariables();
      return now() - start;
    })));
  }
  std::printf(
      "{\"build\":%.3f,\"slide\":%.4f,\"slideMean\":%.4f,\"resize\":%.4f,\"resizeMean\":%.4f,\"readd\":%.4f,\"return\":%.4f,"
      "\"memory\":%ld,\"allocations\":%.4f}\n",
      median(builds), median(slides), periodMean(slides), median(sizes), periodMean(sizes), mean(adds), mean(returns), memory,
      frames ? (double)allocations / frames : 0);
}
