import ConstraintAnimation
import Terminal

/// Drives the gallery in a terminal: waits for events and for frames that are due, and paints. At rest it waits for
/// ever and costs nothing.
final class GalleryLoop {
  private let session: TerminalSession
  private let buffer: CellBuffer
  private let gallery: Gallery
  private let hasManyColors: Bool
  private let clock = ContinuousClock()
  private let start: ContinuousClock.Instant
  /// Drawn, but not shown yet.
  private var isUnshown = true
  private var nextFrame = MotionTime.zero
  private var meter = FrameMeter()

  private static let interval = Duration.nanoseconds(16_666_667)

  init(environment: [String: String], screen: Int, motion: MotionLevel) throws(TerminalError) {
    var options = TerminalSession.Options()
    options.mouse = .drags
    session = try TerminalSession(environment: environment, options: options)
    hasManyColors = session.capabilities.colors >= .ansi256
    let background = session.reportedBackground ?? CommandPalette.dark.background
    let palette = CommandPalette.suited(to: background, hasManyColors: hasManyColors)
    buffer = CellBuffer(columns: session.columns, rows: session.rows, colors: session.capabilities.colors)
    gallery = Gallery(
      columns: session.columns, rows: session.rows, screen: screen, palette: palette,
      motion: motion)
    start = clock.now
    adopt(palette, background: background)
  }

  /// Until somebody quits or the terminal goes. The terminal is given back in any case.
  func run() {
    defer { session.restore() }
    while !gallery.isOver {
      if now >= nextFrame, !paint() { return }
      for event in session.nextEvents(deadline: deadline) {
        if !handle(event) { return }
      }
    }
  }

  private var now: MotionTime { MotionTime(nanoseconds: 0) + start.duration(to: clock.now) }

  private var deadline: ContinuousClock.Instant? {
    guard let due = isUnshown ? nextFrame : gallery.nextDeadline else { return nil }
    return start.advanced(by: .nanoseconds(max(due, nextFrame).nanoseconds))
  }

  /// - Returns: false when the terminal has hung up.
  private func paint() -> Bool {
    let began = clock.now
    let time = now
    // Only along with a frame that is due anyway: telling the cost must not cost a frame.
    if gallery.isAnimating, let cost = meter.text(at: time) { gallery.setCost(cost) }
    let damage = gallery.advance(to: time)
    if !damage.isEmpty {
      gallery.draw(on: buffer, damage: damage)
      isUnshown = true
    }
    guard isUnshown else { return true }
    let drawing = began.duration(to: clock.now)
    switch session.present(buffer) {
    case .written(let bytes):
      isUnshown = false
      meter.record(drawing + session.statistics.lastEncodeDuration, bytes: bytes)
    case .unchanged: isUnshown = false
    case .skipped: break
    case .failed: return false
    }
    nextFrame = time + Self.interval
    return true
  }

  /// - Returns: false when the program is to end.
  private func handle(_ event: TerminalEvent) -> Bool {
    switch event {
    case .input(let input):
      gallery.handle(input, at: now)
      nextFrame = min(nextFrame, now)
    case .resize(let columns, let rows):
      buffer.resize(columns: columns, rows: rows)
      gallery.resize(columns: columns, rows: rows)
      isUnshown = true
    case .background(let color):
      adopt(CommandPalette.suited(to: color, hasManyColors: hasManyColors), background: color)
    case .suspend: session.suspend()
    case .resumed: isUnshown = true
    case .interrupt, .terminate, .hangup: return false
    case .paste, .wake: break
    }
    return true
  }

  private func adopt(_ palette: CommandPalette, background: Color) {
    buffer.assumedBackground = background
    buffer.assumedForeground = palette.text
    gallery.setPalette(palette)
    gallery.window.backdropColor = background
  }
}

/// The mean cost of the frames of the last half second, as text for the footer.
struct FrameMeter {
  private var frames = 0
  private var spent = Duration.zero
  private var bytes = 0
  private var last = MotionTime.zero

  private static let interval = Duration.milliseconds(500)

  mutating func record(_ duration: Duration, bytes count: Int) {
    frames += 1
    spent += duration
    bytes += count
  }

  /// Once in half a second and when there is something to tell; begins anew then.
  mutating func text(at time: MotionTime) -> String? {
    guard frames > 0, time - last >= Self.interval else { return nil }
    let tens = Int(spent / Duration.microseconds(10)) / frames
    let text = "frame \(tens / 100).\(tens % 100 / 10)\(tens % 10) ms \(bytes / frames) B"
    self = FrameMeter()
    last = time
    return text
  }
}
