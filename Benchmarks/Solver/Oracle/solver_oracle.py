#!/usr/bin/env python3
"""Judges solutions of constraint systems by two solvers that know nothing of ours.

    solver_oracle.py FILE

FILE holds one JSON object a line: {"id", "variables", "constraints": [[priority, relation, constant,
[[coefficient, variable], ...]], ...], "values"}; a constraint is sum(coefficient * variable) relation constant, a
relation one of "=", "<", ">", and priority 1000 is required.

Checked for each system: every required constraint holds to 1e-6, and going down the priorities the sum of errors is
never worse than the least that a linear program can reach while all higher levels are at theirs (SciPy's HiGHS). The
sums are also set against kiwisolver's, whose strengths are weights and may trade one level for another: its first
level that differs must not be the better one.

Prints the failures and one line of counts; exit code 1 if anything failed, 3 if SciPy or kiwisolver is missing.
"""
import json
import os
import sys

try:
    import kiwisolver
    import numpy
    from scipy.optimize import linprog
except ImportError as error:
    print(f"missing: {error.name}")
    sys.exit(3)

TOLERANCE = 1e-6


def gap(constraint, values):
    _, _, constant, terms = constraint
    return sum(coefficient * values[variable] for coefficient, variable in terms) - constant


def error(constraint, values):
    difference = gap(constraint, values)
    relation = constraint[1]
    return abs(difference) if relation == "=" else max(0.0, difference if relation == "<" else -difference)


def levels(system):
    return sorted({c[0] for c in system["constraints"] if c[0] < 1000}, reverse=True)


def sums(system, values):
    return [sum(error(c, values) for c in system["constraints"] if c[0] == level) for level in levels(system)]


def linear_program(system):
    """The least sum of errors at each level, the higher levels held at theirs.

    Held exactly, a level leaves the next program no room for rounding, so the room is widened until it has a solution.
    """
    for room in (1e-9, 1e-8, 1e-7):
        for presolve in (True, False):
            best = program_with_room(system, room, presolve)
            if best is not None:
                return best
    return None


def program_with_room(system, room, presolve):
    count = system["variables"]
    constraints = system["constraints"]
    soft = [c for c in constraints if c[0] < 1000]
    width = count + 2 * len(soft)  # each soft constraint may miss upwards or downwards
    upper, upper_bounds, equal, equal_bounds = [], [], [], []
    for constraint in constraints:
        priority, relation, constant, terms = constraint
        row = numpy.zeros(width)
        for coefficient, variable in terms:
            row[variable] += coefficient
        if priority < 1000:
            place = count + 2 * next(i for i, c in enumerate(soft) if c is constraint)
            row[place], row[place + 1] = -1, 1
        if relation == "=":
            equal.append(row)
            equal_bounds.append(constant)
        else:
            sign = 1 if relation == "<" else -1
            upper.append(sign * row)
            upper_bounds.append(sign * constant)
    bounds = [(None, None)] * count + [(0, None)] * (2 * len(soft))
    best = []
    for level in levels(system):
        cost = numpy.zeros(width)
        for place, constraint in enumerate(soft):
            if constraint[0] == level:
                cost[count + 2 * place : count + 2 * place + 2] = 1
        result = linprog(
            cost,
            A_ub=numpy.array(upper) if upper else None,
            b_ub=upper_bounds or None,
            A_eq=numpy.array(equal) if equal else None,
            b_eq=equal_bounds or None,
            bounds=bounds,
            method="highs",
            options={"presolve": presolve},
        )
        if result.status != 0:
            return None
        best.append(result.fun)
        upper.append(cost)
        upper_bounds.append(result.fun + room)
    return best


def kiwi(system):
    """Kiwi's sums, with a weight a thousand times the next level's; there is room for three levels of that."""
    solver = kiwisolver.Solver()
    variables = [kiwisolver.Variable() for _ in range(system["variables"])]
    ranks = {level: rank for rank, level in enumerate(reversed(levels(system)))}
    operators = {"=": "==", "<": "<=", ">": ">="}
    for priority, relation, constant, terms in system["constraints"]:
        expression = kiwisolver.Expression(
            [kiwisolver.Term(variables[variable], coefficient) for coefficient, variable in terms], -constant
        )
        strength = "required" if priority == 1000 else 1000.0 ** ranks[priority]
        solver.addConstraint(kiwisolver.Constraint(expression, operators[relation], strength))
    solver.updateVariables()
    return sums(system, [variable.value() for variable in variables])


def kiwi_in_children(systems):
    """Kiwi's sums for each system, or None where its objective runs away, which ends the process it runs in."""
    answers = []
    while len(answers) < len(systems):
        reader, writer = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(reader)
            os.close(2)
            for system in systems[len(answers) :]:
                try:
                    answer = kiwi(system) if len(levels(system)) <= 3 else None
                except Exception:
                    answer = None
                os.write(writer, (json.dumps(answer) + "\n").encode())
            os._exit(0)
        os.close(writer)
        with os.fdopen(reader) as pipe:
            answers += [json.loads(line) for line in pipe]
        os.waitpid(child, 0)
        if len(answers) < len(systems):
            answers.append(None)
    return answers


def main():
    judged = failures = kiwi_failed = kiwi_worse = 0
    systems = [json.loads(line) for line in open(sys.argv[1])]
    kiwis = kiwi_in_children(systems)
    for system, theirs in zip(systems, kiwis):
        judged += 1
        complaints = []
        worst = max((error(c, system["values"]) for c in system["constraints"] if c[0] == 1000), default=0.0)
        if worst > TOLERANCE:
            complaints.append(f"a required constraint is off by {worst:g}")
        ours = sums(system, system["values"])
        best = linear_program(system)
        if best is None:
            complaints.append("the linear program finds no solution")
        else:
            for level, mine, least in zip(levels(system), ours, best):
                if abs(mine - least) > TOLERANCE * (1 + abs(least)):
                    complaints.append(f"priority {level}: {mine:g} instead of {least:g}")
                    break
        if theirs is None:
            kiwi_failed += 1
        else:
            for level, mine, other in zip(levels(system), ours, theirs):
                if mine > other + TOLERANCE * (1 + abs(other)):
                    complaints.append(f"priority {level}: {mine:g}, and kiwisolver reaches {other:g}")
                    break
                if other > mine + TOLERANCE * (1 + abs(mine)):
                    kiwi_worse += 1
                    break
        if complaints:
            failures += 1
            print(f"system {system['id']}: " + "; ".join(complaints))
    print(f"{judged} systems, {failures} failed; kiwisolver worse on {kiwi_worse}, without an answer on {kiwi_failed}")
    return 1 if failures or not judged else 0


if __name__ == "__main__":
    sys.exit(main())
