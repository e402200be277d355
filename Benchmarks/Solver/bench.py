#!/usr/bin/env python3
"""Runs the solver's benchmark beside Kiwi, in one go on one machine.

    bench.py [--seconds S] [--rounds N] [--workloads a,b,...] [--processes N] [--no-check] [--driver PATH]

Builds the Swift driver in release mode and a C++ peer on the headers of Kiwi, which it takes from the sdist of the
PyPI package kiwisolver of the version below (downloaded once into .build, never committed). Then both run
each workload in turn, N rounds of it, and the medians of the rounds are set side by side. S bounds the time one kind of
step is repeated for in one round. Unless --no-check is given the exit code is 1 if a figure misses its aim:

    build       at most half of Kiwi's time: everything added, first values, solved and read
    slide       at most half: two constants changed, as when a pane slides, solved and read; median and mean of the frames
    resize      no slower: the window's two constants changed at random
    re-add      at most half: a required equality removed and added with its constant changed, mean over up to eight
    remove, add at most half: the same with the solution read in between
    memory      at most 1.6 times Kiwi's
    allocations none a slide frame, but for the odd row that grows when a frame pivots (one frame in 200)
    stacks      of 2 to 40 panes each within 50 ms
    values      the same bits in all of N processes
"""
import argparse
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tarfile

HERE = pathlib.Path(__file__).resolve().parent
PACKAGE = HERE.parent.parent
BUILD = PACKAGE / ".build" / "solver-peer"
KIWI_VERSION = "1.5.1"
WORKLOADS = ["enaml", "grid160", "grid360", "pinned1000", "grid1000", "chain1000"]
# (figure, title, unit, most that ours may be of Kiwi's)
AIMS = [
    ("build", "build", "µs", 0.5),
    ("slide", "slide", "µs", 0.5),
    ("slideMean", "slide, mean", "µs", 0.5),
    ("resize", "resize", "µs", 1.0),
    ("resizeMean", "resize, mean", "µs", 1.0),
    ("readd", "re-add", "µs", 0.5),
    ("return", "remove, add", "µs", 0.5),
    ("memory", "memory", "B", 1.6),
]


def run(*command, **options):
    result = subprocess.run([str(part) for part in command], capture_output=True, text=True, **options)
    if result.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))} failed:\n{result.stdout}{result.stderr}")
    return result.stdout.strip()


def build_driver():
    options = {"cwd": PACKAGE, "env": {**os.environ, "PUSHSCOPE_BENCHMARKS": "1"}}
    run("swift", "build", "-c", "release", "--product", "SolverBenchmark", **options)
    bin_path = run("swift", "build", "-c", "release", "--show-bin-path", **options)
    return pathlib.Path(bin_path) / "SolverBenchmark"


def build_peer():
    headers = BUILD / f"kiwisolver-{KIWI_VERSION}"
    BUILD.mkdir(parents=True, exist_ok=True)
    if not (headers / "kiwi" / "kiwi.h").exists():
        run(
            sys.executable, "-m", "pip", "download", "--quiet", "--no-binary", ":all:", "--no-deps",
            f"kiwisolver=={KIWI_VERSION}", "--dest", BUILD,
        )
        with tarfile.open(BUILD / f"kiwisolver-{KIWI_VERSION}.tar.gz") as archive:
            archive.extractall(BUILD, filter="data")
    compiler = shutil.which("g++") or shutil.which("clang++")
    c_compiler = shutil.which("gcc") or shutil.which("clang")
    if not compiler or not c_compiler:
        sys.exit("a C and a C++ compiler are needed to build the peer")
    counter = BUILD / "allocation_counter.o"
    run(
        c_compiler, "-O2", "-c", "-I", HERE / "AllocationCounter" / "include",
        HERE / "AllocationCounter" / "allocation_counter.c", "-o", counter,
    )
    peer = BUILD / "kiwi_peer"
    run(compiler, "-O2", "-std=c++17", "-I", headers, HERE / "Peer" / "kiwi_peer.cpp", counter, "-o", peer)
    return peer


def measure(driver, peer, name, seconds, rounds):
    path = HERE / "Workloads" / f"{name}.txt"
    movable = run(driver, "movable", path).split()
    ours, theirs = [], []
    for _ in range(rounds):
        ours.append(json.loads(run(driver, "measure", seconds, path, *movable)))
        theirs.append(json.loads(run(peer, seconds, path, *movable)))
    def medians(samples):
        return {key: statistics.median(sample[key] for sample in samples) for key in samples[0]}

    return medians(ours), medians(theirs)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=0.5)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--workloads", default=",".join(WORKLOADS))
    parser.add_argument("--processes", type=int, default=100)
    parser.add_argument("--no-check", action="store_true")
    parser.add_argument("--driver", help="a driver that has been built already")
    options = parser.parse_args()
    driver = pathlib.Path(options.driver) if options.driver else build_driver()
    peer = build_peer()
    misses = []

    print(f"{'workload':12}{'figure':14}{'ours':>12}{'Kiwi':>14}{'ratio':>8}{'aim':>7}")
    for name in options.workloads.split(","):
        ours, theirs = measure(driver, peer, name, options.seconds, options.rounds)
        for key, title, unit, aim in AIMS:
            if not theirs[key]:
                continue
            ratio = ours[key] / theirs[key]
            mark = "" if ratio <= aim else "  MISSED"
            if mark:
                misses.append(f"{name} {title}")
            digits = 0 if unit == "B" else 2
            print(
                f"{name:12}{title:14}{ours[key]:>9,.{digits}f} {unit:2}{theirs[key]:>11,.{digits}f} {unit:2}"
                f"{ratio:>8.3f}{aim:>7}{mark}",
                flush=True,
            )
        print(f"{name:12}{'setConstant':14}{ours['setConstant']:>9,.2f} µs")
        print(f"{name:12}{'allocations':14}{ours['allocations']:>9,.4f} a slide frame")
        if ours["allocations"] > 0.005:
            misses.append(f"{name} allocations")

    stacks = json.loads(run(driver, "stacks"))
    print(f"stacks      slowest       {stacks['milliseconds']:.2f} ms ({stacks['panes']} panes in {stacks['rows']} rows)")
    if stacks["milliseconds"] > 50:
        misses.append("stacks")
    for name in options.workloads.split(","):
        values = {run(driver, "values", HERE / "Workloads" / f"{name}.txt") for _ in range(options.processes)}
        print(f"{name:12}{len(values)} different results in {options.processes} processes")
        if len(values) > 1:
            misses.append(f"{name} values")
    if misses:
        print("missed: " + ", ".join(misses))
    return 1 if misses and not options.no_check else 0


if __name__ == "__main__":
    sys.exit(main())
