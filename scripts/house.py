#!/usr/bin/env python3
"""Checks what a script can see of the rules in CONTRIBUTING.md: floors, ownership, names, doc comments, links.

    scripts/house.py             what breaks a rule, a line each; exit code 1 if anything does
    scripts/house.py --figures   files, lines and shared state of Sources, for those who restructure
"""
import re
import statistics
import subprocess
import sys
from pathlib import Path

# A room imports rooms on lower floors only.
FLOORS = [
    ["CCurl", "CLinux", "CNcurses", "CNghttp2", "COpenSSL", "CQrencode", "CZlib"],
    ["Measurement", "ConstraintAnimation", "Cryptography", "Threads"],
    ["Store", "Providers", "Terminal", "Configuration", "Formats", "HTTPClient", "HTTPServer", "Findings"],
    ["Analysis", "Transport"],
    ["Collector", "TUI", "Report", "LoopbackService", "Monitoring", "Fleet"],
    ["Analyst"],
    ["pushscope"],
]
# Libraries that only some rooms may use. Everything not named here is the Swift project's and open to all.
USERS = {
    "CCurl": ["Collector", "HTTPClient", "Transport"],
    "CLinux": ["Analyst", "Collector", "Monitoring", "Threads", "Transport"],
    "CNcurses": ["Terminal"],
    "CNghttp2": ["Collector", "Transport"],
    "COpenSSL": ["Cryptography", "Transport"],
    "CQrencode": ["Formats"],
    "CZlib": ["Fleet"],
    "GRDB": ["Store"],
    "GRDBSQLite": ["Store"],
    "Yams": ["Configuration"],
    "Histogram": ["Measurement"],
    "ArgumentParser": ["pushscope"],
    "Foundation": None,  # anywhere but in the animation core
}
# Words that are pictures where the field has a term (CONTRIBUTING.md, Names).
PICTURES = (
    "Desk Clerk Book Keeper Fate Tally Facts Standing Remarks Wording Vocabulary Politeness Trust Care Turns "
    "Thinner Station"
).split()
# Verbs that do not say what a function does, where record, receive, drain, report or poll would.
VERBS = "note take takes taking tell tells telling told look serves keepHouse".split()

IMPORT = re.compile(r"^(?:@\w+(?:\([^)]*\))? )*(?:(?:public|internal|package|private) )?import (?:\w+ )?(\w+)")
TYPE = re.compile(r"^\s*((?:\w+(?:\([^)]*\))? )*)(struct|class|enum|actor|protocol) (\w+)")
PROPERTY = re.compile(r"^\s*((?:@\w+ )*(?:\w+(?:\(\w+\))? )*)(var|let) (\w+)\b(.*)$")
TESTABLE_LINE = re.compile(r'"(?:\\.|[^"\\])*"|//.*$')


def swift_files(folder="Sources"):
    listed = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard", "--", f"{folder}/**.swift"], capture_output=True, text=True, check=True)
    return [Path(line) for line in listed.stdout.splitlines() if Path(line).exists() and ".docc" not in line]


def floor(room):
    return next((number for number, rooms in enumerate(FLOORS) if room in rooms), None)


def imports(files):
    for file in files:
        room = file.parts[1]
        for number, line in enumerate(file.read_text().splitlines(), 1):
            found = IMPORT.match(line)
            if not found:
                continue
            name = found.group(1)
            place = f"{file}:{number}"
            if floor(name) is not None and floor(room) is not None and floor(name) >= floor(room):
                yield f"{place}: {room} imports {name}, which is not on a lower floor"
            users = USERS.get(name)
            if users is not None and room not in users:
                yield f"{place}: {room} imports {name}, which only {', '.join(users)} may"
            if room == "ConstraintAnimation" and name.startswith("Foundation"):
                yield f"{place}: the animation core does without Foundation"


def stored_properties(text):
    """Of each type in a file: name to [(property, modifiers, keyword)], its own level of braces only."""
    found, stack, depth = {}, [], 0
    for line in text.splitlines():
        bare = TESTABLE_LINE.sub('""', line)
        declared = TYPE.match(bare)
        extension = re.match(r"^\s*(?:\w+ )*extension ([\w.]+)", bare)
        if declared and "{" in bare:
            stack.append((declared.group(3), depth + 1, declared.group(2)))
        elif extension and "{" in bare:
            stack.append((None, depth + 1, "extension"))
        elif stack and stack[-1][0] and depth == stack[-1][1] and stack[-1][2] in ("struct", "class", "actor"):
            member = PROPERTY.match(bare)
            if member and " static " not in f" {member.group(1)} ":
                rest = member.group(4)
                computed = "{" in rest and "=" not in rest.split("{")[0] and not re.search(r"\{\s*(did|will)Set", rest)
                if not computed or member.group(2) == "let":
                    found.setdefault(stack[-1][0], []).append((member.group(3), member.group(1), member.group(2)))
        depth += bare.count("{") - bare.count("}")
        while stack and depth < stack[-1][1]:
            stack.pop()
    return found


def is_private(modifiers):
    """No other file can change it: `private`, or readable only (`private(set)`)."""
    return bool(re.search(r"\b(private|fileprivate)\b", modifiers))


def ownership(files):
    """An extension in a file of its own may not use another file's mutable state, which would then have no owner."""
    shared = {}
    for file in files:
        if "+" in file.stem:
            continue
        for name, properties in stored_properties(file.read_text()).items():
            for prop, modifiers, keyword in properties:
                if keyword == "var" and not is_private(modifiers) and "public" not in modifiers:
                    shared.setdefault((file.parts[1], name), set()).add(prop)
    for file in files:
        if "+" not in file.stem:
            continue
        names = shared.get((file.parts[1], file.stem.split("+")[0]))
        if not names:
            continue
        assigned = re.compile(r"^\s*(?:self\.)?(" + "|".join(map(re.escape, names)) + r")(?:\[.*\]|\.\w+)*\s*[-+*/&|]?=[^=]")
        for number, line in enumerate(file.read_text().splitlines(), 1):
            found = assigned.match(TESTABLE_LINE.sub('""', line))
            if found:
                yield f"{file}:{number}: changes {found.group(1)}, which {file.stem.split('+')[0]}'s own file owns"


def names(files):
    picture = re.compile(r"(?:^|[a-z0-9])(" + "|".join(PICTURES) + r")(?:$|[A-Z])")
    verb = re.compile(r"\bfunc ((?:" + "|".join(VERBS) + r")(?:[A-Z]\w*)?|\w+(?:Take|Tell|Note|Turns))\b")
    for file in files:
        for number, line in enumerate(file.read_text().splitlines(), 1):
            found = TYPE.match(line)
            if found and picture.search(found.group(3)):
                yield f"{file}:{number}: {found.group(3)} is named with a picture; use the field's term"
            found = verb.search(line)
            if found:
                yield f"{file}:{number}: {found.group(1)} is named with a vague verb; use the field's term"


PUBLIC = re.compile(
    r"^\s*public (?:(?:static|final|mutating|convenience|borrowing) )*(func|struct|class|enum|protocol|actor|subscript)\s*([^\s(<:{]+)")
# Requirements of the standard library's protocols, which have its comments.
REQUIREMENTS = {"hash", "encode", "next", "makeIterator", "index"}


def doc_comments(files):
    """Public types and functions say what they are; requirements of a protocol and operators are explained elsewhere."""
    texts = {file: file.read_text() for file in files}
    required = set(REQUIREMENTS)
    for text in texts.values():
        for body in re.findall(r"protocol \w+[^{]*\{(.*?)\n\}", text, re.S):
            required.update(re.findall(r"func (\w+)", body))
    for file, text in texts.items():
        lines = text.splitlines()
        for number, line in enumerate(lines):
            found = PUBLIC.match(line)
            if not found or found.group(1) == "func" and (not found.group(2)[0].isalpha() or found.group(2) in required):
                continue
            before = number - 1
            while before >= 0 and lines[before].lstrip().startswith("@"):
                before -= 1
            if not lines[before].lstrip().startswith("///"):
                yield f"{file}:{number + 1}: {found.group(2)} is public and has no doc comment"


# A doc comment that begins with one of these continues a declaration that the reader has not seen.
PREPOSITIONS = (
    "About Above After Against Along Among Around As At Before Behind Below Beside Between Beyond By Down During For "
    "From In Inside Into Like Near Of Off On Onto Out Outside Over Per Since Through Throughout To Toward Towards Under "
    "Until Up Upon With Within Without Whose Theirs"
).split()
OPENING = re.compile(r"^\s*/// (" + "|".join(PREPOSITIONS) + r")\b")


def openings(files):
    """A doc comment is a sentence or a noun phrase that stands alone, so it begins with no preposition."""
    for file in files:
        before = ""
        for number, line in enumerate(file.read_text().splitlines(), 1):
            found = OPENING.match(line)
            if found and not before.lstrip().startswith("///"):
                yield f"{file}:{number}: the doc comment begins with \"{found.group(1)}\"; say what it is in a sentence or noun phrase"
            before = line


LONGEST_FUNCTION = 60
FUNCTION = re.compile(r"^(\s*)(?:@\w+(?:\([^)]*\))? )*(?:\w+(?:\(\w+\))? )*(?:func|init|deinit|subscript)\b(?!\s*=)")


def lengths(files):
    """A function has at most so many lines, from the line of its name to its closing brace."""
    for file in files:
        lines = file.read_text().splitlines()
        for first, line in enumerate(lines):
            found = FUNCTION.match(line)
            if not found or line.rstrip().endswith("}"):
                continue
            indent = found.group(1)
            for last in range(first + 1, len(lines)):
                rest = lines[last].removeprefix(indent)
                # Its declaration may go on with `) throws {` or `where`; anything else at its level ends it.
                if not lines[last].strip() or rest.startswith((" ", ")", "{", "where ", "throws", "-> ", "#")):
                    continue
                if rest == "}" and last - first + 1 > LONGEST_FUNCTION:
                    yield f"{file}:{first + 1}: a function of {last - first + 1} lines; {LONGEST_FUNCTION} are the limit"
                break


# The enums of words that rows and interfaces have, by file; rooms that decide by these words name them as enum cases.
WORDS = {
    "Sources/Measurement/FindingTerms.swift": "SeriesMetric FindingKind FindingStatus Leg GateDecision",
    "Sources/Measurement/Cause.swift": "Cause",
    "Sources/Measurement/Event.swift": "EventKind",
    "Sources/Measurement/NotificationID.swift": "RunEndReason",
    "Sources/Measurement/NotificationState.swift": "NotificationState FailureReason MissedReason",
    "Sources/Measurement/Sample.swift": "Metric",
}
# Protocols and configurations of other rooms have some of the words with meanings of their own.
DECIDING = "Analysis Findings Fleet Measurement Monitoring Report Store TUI".split()


def vocabulary():
    """The words of ``WORDS``: raw values of cases, names of cases without one, and texts that a switch gives for a case."""
    for file, enums in WORDS.items():
        text = Path(file).read_text()
        for name in enums.split():
            body = re.search(rf"^public enum {name}\b.*?^}}", text, re.S | re.M).group()
            for case in re.findall(r"^  case (?!let )([^(\n]+)$", body, re.M):
                for part in case.split(","):
                    word = re.fullmatch(r"\s*`?(\w+)`?(?: = (?:\"([^\"]*)\"|\d+))?\s*", part)
                    yield word.group(2) or word.group(1)
        yield from re.findall(r'^    case \.\w+: "([\w-]+)"$', text, re.M)


def literals(files):
    """No comparison, pattern or SQL has a word of the vocabulary as text: another spelling would compile."""
    words = "|".join(sorted(map(re.escape, set(vocabulary())), key=len, reverse=True))
    compared = re.compile(
        rf"""(?:[=!]= |\bcase |(?:hasPrefix|contains)\()"({words})"(?!:)|'({words})'""")
    for file in files:
        if file.parts[1] not in DECIDING or str(file) in WORDS:
            continue
        for number, line in enumerate(file.read_text().splitlines(), 1):
            if line.lstrip().startswith("//"):
                continue
            found = compared.search(line)
            if found:
                yield f"{file}:{number}: decides by the text \"{found.group(1) or found.group(2)}\"; name the enum's case"


TIME = re.compile(r"(?:Int64|icroseconds|anoseconds)\b.*\b\d+(?:_\d{3})*_000_000\b")


def times(files):
    """Above floor 2 a time is a Duration, a WallTime or a MonotonicTime; the kernel's own seconds are read as they are."""
    for file in files:
        if (floor(file.parts[1]) or 0) <= 2:
            continue
        for number, line in enumerate(file.read_text().splitlines(), 1):
            if TIME.search(line) and "tv_sec" not in line and not line.lstrip().startswith("//"):
                yield f"{file}:{number}: a time as a number; write a Duration or a moment"


LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")
PATH = re.compile(r"`((?:Sources|Tests|Examples|Benchmarks|config|docs|scripts)/[\w./+-]*\w)`")


def documents():
    """Links and paths in the documents lead somewhere."""
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "--", "*.md"], capture_output=True, text=True, check=True)
    for page in map(Path, listed.stdout.splitlines()):
        if not page.exists():
            continue
        for number, line in enumerate(page.read_text().splitlines(), 1):
            for target in LINK.findall(line):
                if "://" not in target and not target.startswith("mailto:") and not (page.parent / target).exists():
                    yield f"{page}:{number}: the link {target} leads nowhere"
            for target in PATH.findall(line):
                if not Path(target).exists():
                    yield f"{page}:{number}: there is no {target}"


def figures(files):
    lengths = [len(file.read_text().splitlines()) for file in files]
    print(f"{len(files)} files, {sum(lengths)} lines, {sum(lengths) / len(lengths):.0f} on average, "
          f"{statistics.median(lengths):.0f} in the median, {sum(1 for n in lengths if n > 400)} longer than 400")
    shared = []
    for file in files:
        for name, properties in stored_properties(file.read_text()).items():
            open_ = sum(1 for _, modifiers, keyword in properties if not is_private(modifiers) and keyword == "var")
            shared.append((open_, len(properties), name, str(file)))
    print("types with the most stored variables that other files can change:")
    for open_, total, name, file in sorted(shared, reverse=True)[:10]:
        print(f"  {open_:3} of {total:3}  {name}  ({file})")


def main():
    files = swift_files()
    if "--figures" in sys.argv[1:]:
        figures(files)
        return 0
    broken = [*imports(files), *ownership(files), *names(files), *doc_comments(files), *openings(files), *lengths(files),
              *literals(files), *times(files), *documents()]
    for line in broken:
        print(f"lint: {line}", file=sys.stderr)
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
