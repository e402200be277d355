#!/usr/bin/env python3
"""Judges solutions of constraint systems by a simplex method in whole numbers, which cannot be wrong by rounding.

    exact_oracle.py FILE [TOLERANCE]

FILE is as for solver_oracle.py; nothing but Python is needed. Meant for small systems (some ten variables, some twenty
constraints): numbers grow with every step.

Checked for each system: every required constraint holds to TOLERANCE (1e-6 unless given), and going down the priorities
the sum of errors is never more than TOLERANCE (relative to the sum where that is above 1) worse than the least that is
possible while all higher levels are at theirs. A level that does better, by leaning on the tolerance of a higher one,
ends the comparison. Two kinds of failures are counted but allowed: a system that names the error its solver has admitted
("admits"), and one whose exact solution lies beyond a million, which is further than the solver promises anything for.

Prints the failures and one line of counts; exit code 1 if anything failed.
"""
import json
import math
import sys
from fractions import Fraction


def gap(constraint, values):
    _, _, constant, terms = constraint
    return sum(Fraction(c) * values[v] for c, v in terms) - Fraction(constant)


def error(constraint, values):
    difference = gap(constraint, values)
    relation = constraint[1]
    return abs(difference) if relation == "=" else max(0, difference if relation == "<" else -difference)


class Tableau:
    """Rows of whole numbers over one common denominator, the last pivot (Edmonds)."""

    def __init__(self, rows, basis, costs):
        self.rows, self.basis, self.costs, self.denominator = rows, basis, costs, 1

    def pivot(self, row, column):
        pivot_row = self.rows[row]
        pivot = pivot_row[column]
        for table in (self.rows, self.costs):
            for index, other in enumerate(table):
                if other is pivot_row:
                    continue
                factor = other[column]
                table[index] = [(a * pivot - factor * b) // self.denominator for a, b in zip(other, pivot_row)]
        if pivot < 0:
            self.rows = [[-a for a in r] for r in self.rows]
            self.costs = [[-a for a in r] for r in self.costs]
            pivot = -pivot
        self.denominator = pivot
        self.basis[row] = column

    def minimize(self, level, allowed):
        """Bland's rule; afterwards only columns that cost nothing at this level may still enter."""
        cost = self.costs[level]
        while True:
            column = next((c for c in allowed if self.costs[level][c] < 0), None)
            if column is None:
                break
            best = None
            for index, row in enumerate(self.rows):
                if row[column] > 0:
                    key = (Fraction(row[-1], row[column]), self.basis[index])
                    if best is None or key < best[0]:
                        best = (key, index)
            self.pivot(best[1], column)
        cost = self.costs[level]
        return Fraction(-cost[-1], self.denominator), [c for c in allowed if cost[c] == 0]


def exact_sums(system):
    """The least sum of errors at each level, most important first, and the largest value of a solution that has them;
    None if the required constraints contradict."""
    count = system["variables"]
    constraints = system["constraints"]
    levels = sorted({c[0] for c in constraints if c[0] < 1000}, reverse=True)
    columns = 2 * count
    rows = []  # (sparse row, right side, natural basic column or None)
    prices = {}
    for priority, relation, constant, terms in constraints:
        row = {}
        for coefficient, variable in terms:
            row[2 * variable] = row.get(2 * variable, 0) + Fraction(coefficient)
            row[2 * variable + 1] = row.get(2 * variable + 1, 0) - Fraction(coefficient)
        # `over` takes what the left side has too much, `under` what it lacks.
        over, under = columns, columns + 1
        columns += 2
        row[over], row[under] = Fraction(-1), Fraction(1)
        if relation != ">":
            prices[over] = priority
        if relation != "<":
            prices[under] = priority
        rows.append((row, Fraction(constant), over, under))
    width = columns + len(rows) + 1
    allowed, forbidden = [], {c for c, p in prices.items() if p == 1000}
    table, basis = [], []
    phase = [0] * width
    costs = [[0] * width for _ in levels]
    for index, (row, constant, over, under) in enumerate(rows):
        sign = -1 if constant < 0 else 1
        scale = constant.denominator
        for value in row.values():
            scale = scale * value.denominator // math.gcd(scale, value.denominator)
        dense = [0] * width
        for column, value in row.items():
            dense[column] = int(value * scale) * sign
        dense[-1] = int(constant * scale) * sign
        artificial = columns + index
        dense[artificial] = 1
        basis.append(artificial)
        table.append(dense)
        for column in range(width):
            if column != artificial:
                phase[column] -= dense[column]
    for column, priority in prices.items():
        if priority < 1000:
            costs[levels.index(priority)][column] = 1
    tableau = Tableau(table, basis, [phase] + costs)
    allowed = [c for c in range(columns) if c not in forbidden]
    least, _ = tableau.minimize(0, allowed)
    if least != 0:
        return None
    for row in range(len(tableau.rows)):  # drive out what is left of the artificial basis
        if tableau.basis[row] >= columns:
            column = next((c for c in allowed if tableau.rows[row][c] != 0), None)
            if column is not None:
                tableau.pivot(row, column)
    sums = []
    for level in range(len(levels)):
        least, allowed = tableau.minimize(level + 1, allowed)
        sums.append(least)
    values = [0] * count
    for row, column in zip(tableau.rows, tableau.basis):
        if column < 2 * count:
            values[column // 2] += Fraction(row[-1], tableau.denominator) * (1 if column % 2 == 0 else -1)
    return list(zip(levels, sums)), max(map(abs, values), default=0)


RANGE = 1_000_000


def judge(system, tolerance):
    """What is wrong with a solution, and how far out the exact one lies."""
    values = [Fraction(v) for v in system["values"]]
    worst = max((error(c, values) for c in system["constraints"] if c[0] == 1000), default=0)
    best = exact_sums(system)
    if best is None:
        return "the required constraints contradict one another", 0
    sums, reach = best
    if worst > tolerance:
        return f"a required constraint is missed by {float(worst)}", reach
    for level, least in sums:
        own = sum(error(c, values) for c in system["constraints"] if c[0] == level)
        room = tolerance * max(1, least)
        if own > least + room:
            return f"at priority {level} the errors are {float(own)}, the least is {float(least)}", reach
        if own < least - room:
            break
    return None, reach


def main():
    tolerance = Fraction(sys.argv[2]) if len(sys.argv) > 2 else Fraction(1, 1_000_000)
    judged = failed = admitted = beyond = 0
    with open(sys.argv[1]) as lines:
        for line in lines:
            system = json.loads(line)
            complaint, reach = judge(system, tolerance)
            if complaint and reach > RANGE:
                beyond += 1
                continue
            if complaint and system.get("admits"):
                admitted += 1
                continue
            judged += 1
            if complaint:
                failed += 1
                if failed <= 20:
                    print(f"{system['id']}: {complaint}")
    print(f"{judged} judged, {failed} failed, {admitted} admitted to be inexact, {beyond} beyond reach")
    sys.exit(1 if failed or not judged else 0)


if __name__ == "__main__":
    main()
