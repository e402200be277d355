import ArgumentParser
import Measurement
import Report
import Store

struct Annotate: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Note what happened at a moment: a deployment, a change of configuration.",
    discussion: """
      Writes an event of kind annotation, which the dashboard shows on the time axis, and which a change that begins there \
      names as evidence. A collector that has the store carries it out. Without --run it belongs to the run that was \
      recorded at that time, if there was one.

      Example: pushscope annotate "deploy 412" --at -10m
      """)

  @Argument(help: ArgumentHelp("What happened.", valueName: "text"))
  var text: String

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "When: a time like 2026-03-01T12:00:00Z, a date (both UTC without a zone), or -1h (default: now).",
      valueName: "time"),
    transform: TimeArgument.parse)
  var at: TimeArgument?

  @Option(
    name: .customLong("run"),
    help: ArgumentHelp(
      "The run it belongs to: its UUID, a prefix of it, its name, or latest.", valueName: "run"))
  var wantedRun: String?

  @Option(help: ArgumentHelp("The target that it concerns (default: all of the run).", valueName: "name"))
  var target: String?

  @OptionGroup var store: StoreOption

  func validate() throws {
    guard !text.allSatisfy(\.isWhitespace) else {
      throw ValidationError("the annotation is empty; say what happened")
    }
    // The clock of another host may be a little ahead.
    if let at, at.time > SystemClock().wallNow() + .minutes(5) {
      throw ValidationError(
        "--at \(at.time.rfc3339) is in the future; annotate what happened, and what will happen when it does")
    }
    guard text.utf8.count <= Annotation.longestText else {
      throw ValidationError(
        "the annotation has \(text.utf8.count) bytes; give at most \(Annotation.longestText)")
    }
  }

  func run() throws {
    let path = try store.path(for: .changing)
    let now = SystemClock().wallNow()
    let time = at?.time ?? now
    let reader = try StoreReader.open(at: path)
    let found =
      if let wantedRun { try RunFinder.find(wantedRun, in: reader) } else {
        try RunFinder.recorded(at: time, now: now, in: reader)
      }
    if let target {
      guard let found else {
        throw CommandFailure(
          "no run was recorded at \(time.rfc3339); name the run of target \(target) with --run",
          exitStatus: .noInput)
      }
      try RunFinder.check(targets: [target], of: found.id, in: reader)
    }
    reader.close()
    guard let annotation = Annotation(text, at: time, run: found?.id, target: target) else { return }
    try ControlRun.carryOut(.annotate(annotation), store: path, within: 10)
  }
}
