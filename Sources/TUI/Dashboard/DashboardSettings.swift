import ConstraintAnimation
import Glibc
import Measurement
import Terminal

/// The options, checked.
struct DashboardSettings: Sendable {
  let options: Dashboard.Options
  /// `nil`: by the terminal's background.
  let theme: Theme?
  let motion: MotionLevel
  let isPlain: Bool
  let subject: Subject
  let bootID: String
  let zone: LocalTime

  init(_ options: Dashboard.Options, isTerminal: Bool = isatty(STDOUT_FILENO) == 1, zone: LocalTime = .system)
    throws(DashboardError)
  {
    self.options = options
    self.zone = zone
    if let name = options.theme { theme = try Theme.named(name) } else { theme = nil }
    motion = try Self.motion(options.environment["PUSHSCOPE_MOTION"])
    isPlain = options.plain || !isTerminal
    subject = Subject(run: options.run, target: options.target)
    bootID = BootID.current() ?? ""
  }

  private static func motion(_ value: String?) throws(DashboardError) -> MotionLevel {
    switch value?.lowercased() {
    case nil, "", "full": return .full
    case "basic": return .basic
    case "none": return .none
    case let other?: throw DashboardError.unknownMotion(other)
    }
  }

  func reader(onSnapshot: @escaping @Sendable () -> Void) throws(DashboardError) -> SnapshotReader {
    try SnapshotReader(
      path: options.storePath, subject: subject, clock: options.clock, bootID: bootID, onSnapshot: onSnapshot)
  }
}
