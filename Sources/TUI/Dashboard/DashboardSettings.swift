import Configuration
import ConstraintAnimation
import Glibc
import Measurement
import Terminal

/// The validated options.
struct DashboardSettings: Sendable {
  let options: Dashboard.Options
  /// `nil` goes by the terminal's background.
  let theme: Theme?
  /// The themes that a key cycles through: the built-in ones, and the user's own.
  let themes: [Theme]
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
    let directories =
      options.configuration.themeDirectories
      + ThemeFinder.defaultDirectories(environment: options.environment)
    if let name = options.theme ?? options.configuration.theme {
      theme = try Theme.find(name, in: directories)
    } else {
      theme = nil
    }
    themes = Theme.all + (theme.map { Theme.all.contains($0) ? [] : [$0] } ?? [])
    motion =
      try Self.motion(options.environment["PUSHSCOPE_MOTION"]) ?? MotionLevel(options.configuration.motion)
    isPlain = options.plain || !isTerminal
    subject = Subject(run: options.run, target: options.target)
    bootID = BootID.current() ?? ""
  }

  /// - Returns: `nil` for no value.
  private static func motion(_ value: String?) throws(DashboardError) -> MotionLevel? {
    switch value?.lowercased() {
    case nil, "": return nil
    case "full": return .full
    case "basic": return .basic
    case "none": return MotionLevel.none
    case let other?: throw DashboardError.unknownMotion(other)
    }
  }

  /// The options of the screen.
  var screen: ScreenOptions {
    let configuration = options.configuration
    return ScreenOptions(
      motion: motion, keys: KeyTable.preset(configuration.keyPreset).rebound(configuration.keys), zone: zone,
      place: options.place, subject: subject, themes: themes,
      slides: configuration.slides == .vertical ? .vertical : .horizontal,
      arrangement: Arrangement(configuration.arrangement),
      threshold: configuration.threshold?.microseconds, releasesMouse: !configuration.mouse, opening: opening)
  }

  private var opening: OpeningView {
    OpeningView(
      since: options.since, until: options.until, length: options.window,
      panel: options.panel.flatMap { wanted in Panel.allCases.first { "\($0)" == wanted.rawValue } },
      last: viewFile?.claimLast())
  }

  /// Where the view of what is shown is kept; `nil` where it cannot be.
  var viewFile: ViewFile? {
    let name = options.place.kind == .fleet ? "/fleet/\(options.place.name)" : options.place.name
    return ViewFile(
      of: name, environment: options.environment, outlastsTheEnd: options.configuration.remember)
  }

  func reader(onSnapshot: @escaping @Sendable () -> Void) throws(DashboardError) -> SnapshotReader {
    try SnapshotReader(
      place: options.place, subject: subject, clock: options.clock, bootID: bootID, zone: zone,
      onSnapshot: onSnapshot)
  }
}

extension MotionLevel {
  init(_ motion: DashboardConfiguration.Motion?) {
    switch motion {
    case .full?, nil: self = .full
    case .basic?: self = .basic
    case .some(.none): self = .none
    }
  }
}

extension Arrangement {
  /// `nil` goes by the size of the terminal.
  init?(_ arrangement: DashboardConfiguration.Arrangement) {
    switch arrangement {
    case .automatic: return nil
    case .below: self = .below
    case .beside: self = .beside
    }
  }
}

/// The options of a `DashboardScreen`.
struct ScreenOptions {
  var motion = MotionLevel.full
  var keys = KeyTable.standard
  var zone = LocalTime.system
  var place = DashboardPlace.store("")
  var subject = Subject()
  /// The themes that a key cycles through.
  var themes = Theme.all
  var slides = TransitionAxis.horizontal
  /// `nil` goes by the size of the terminal.
  var arrangement: Arrangement?
  /// Latency at which a line is drawn, µs; `nil` for none.
  var threshold: Int64?
  var releasesMouse = false
  var opening = OpeningView()
}
