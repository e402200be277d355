import Configuration
import ConstraintAnimation
import Measurement
import Terminal

/// The loop of the thread that owns the terminal: waits for input, snapshots and due frames, and draws.
///
/// It draws at most 30 frames a second while data come in, 60 while something is animated, and none while nothing
/// changes.
final class DashboardLoop {
  private let settings: DashboardSettings
  private let stop: DashboardStop
  private let session: TerminalSession
  private let reader: SnapshotReader
  private let control: ControlWorker
  private let screen: DashboardScreen
  private let buffer: CellBuffer
  private let clock = ContinuousClock()
  private let start: ContinuousClock.Instant
  private var meter = FrameMeter()
  /// The buffer holds a frame that is not on the terminal yet.
  private var isUnshown = true
  /// Where it differs from the frame that is on the terminal.
  private var unshown = CellRegion()
  /// The earliest time of the next frame.
  private var nextFrame = MotionTime.zero
  private let followsBackground: Bool
  private let writer: ExportWriter
  /// The format to write the view in after the next frame, on which the list of formats is closed.
  private var wantedView: ViewFormat?

  /// The view that was written last, and when the next one is; `nil` where nothing was typed since.
  private let viewFile: ViewFile?
  private var writtenView: LastView?
  private var viewDue: MotionTime?

  private static let viewInterval = Duration.seconds(2)
  private static let animationInterval = Duration.nanoseconds(16_666_667)
  private static let dataInterval = Duration.nanoseconds(33_333_333)

  init(settings: DashboardSettings, stop: DashboardStop) throws(DashboardError) {
    self.settings = settings
    viewFile = settings.viewFile
    self.stop = stop
    let options = settings.options
    var session = TerminalSession.Options()
    session.mouse = options.configuration.mouse ? .motion : .released
    session.catchesEndSignals = options.catchesSignals
    if options.ascii || options.configuration.ascii { session.overrides.glyphs = .ascii }
    do {
      self.session = try TerminalSession(environment: options.environment, options: session)
    } catch {
      throw DashboardError(
        code: .terminal, message: error.message, remedy: "\(error.remedy), or add --plain for lines of text")
    }
    let capabilities = self.session.capabilities
    followsBackground = settings.theme == nil
    let appearance = Appearance(
      theme: settings.theme ?? .dark, colors: capabilities.colors, glyphs: capabilities.glyphs)
    buffer = CellBuffer(columns: self.session.columns, rows: self.session.rows, colors: capabilities.colors)
    do {
      screen = try DashboardScreen(
        size: (self.session.columns, self.session.rows), appearance: appearance, options: settings.screen)
    } catch {
      throw DashboardError(
        code: .system, message: "\(error)", remedy: "report this as a mistake in pushscope")
    }
    let waker = self.session.waker
    writer = ExportWriter(options: options) { waker.wake() }
    reader = try settings.reader { waker.wake() }
    control = ControlWorker(path: options.place.name, clock: options.clock) { waker.wake() }
    start = clock.now
    setBackground(appearance.theme)
  }

  func run() throws(DashboardError) -> Dashboard.Outcome {
    defer {
      reader.stop()
      session.restore()
      viewFile?.end(with: screen.lastView)
    }
    let waker = session.waker
    stop.onStop { waker.wake() }
    defer { stop.onStop(nil) }
    try reader.start()
    while !stop.isStopped {
      let news = reader.drain()
      if let snapshot = news.snapshot {
        // What somebody waits for comes at once, whenever the last frame was.
        if screen.isWaiting(for: snapshot) { nextFrame = min(nextFrame, now) }
        screen.show(snapshot, at: now)
      }
      for report in control.drain() { screen.report(report, at: now) }
      if let snapshot = news.second { screen.showOther(snapshot, at: now) }
      if news.figures != nil || news.secondFigures != nil {
        screen.show(news.figures, other: news.secondFigures, at: now)
      }
      if let calendar = news.calendar { screen.show(calendar, at: now) }
      if let answer = writer.consumeResult() { screen.show(answer) }
      if now >= nextFrame, !paint() { return .hangup }
      if let viewDue, now >= viewDue { rememberView() }
      let due = due
      // What the reader has for a frame that is due anyway can wait until then.
      let isFrameDue = due.map { $0 <= nextFrame } ?? false
      for event in session.nextEvents(deadline: deadline(due), hearsWaker: !isFrameDue) {
        if let outcome = handle(event) { return outcome }
      }
    }
    return .stopped
  }

  /// Also while it runs: a crash leaves no time for it.
  private func rememberView() {
    viewDue = nil
    guard let view = screen.lastView, view != writtenView else { return }
    writtenView = view
    viewFile?.write(view)
  }

  private var now: MotionTime { MotionTime(nanoseconds: start.duration(to: clock.now).nanoseconds) }

  /// When something is to be done although nothing has come in.
  private var due: MotionTime? {
    var due = screen.nextDeadline
    if isUnshown { due = nextFrame }
    if let viewDue { due = min(due ?? viewDue, viewDue) }
    if let report = meter.due { due = min(due ?? report, report) }
    return due
  }

  /// The instant to wake at: when something is due, but not before the next frame.
  private func deadline(_ due: MotionTime?) -> ContinuousClock.Instant? {
    due.map { start.advanced(by: .nanoseconds(max($0, nextFrame).nanoseconds)) }
  }

  /// Draws what has changed and writes it to the terminal.
  /// - Returns: false when the terminal is gone.
  private func paint() -> Bool {
    let began = clock.now
    let time = now
    if let cost = meter.report(at: time, skipped: session.statistics.skippedFrames) {
      screen.setCost(cost)
    }
    let damage = screen.advance(to: time)
    if !damage.isEmpty {
      unshown.formUnion(screen.draw(on: buffer, damage: damage))
      isUnshown = true
    }
    reader.ask(screen.order)
    if let format = wantedView.take() {
      if format == .figures, let figures = screen.columnFigures {
        writer.write(figures)
      } else {
        writer.write(buffer, as: format)
      }
    }
    guard isUnshown else { return true }
    let drawn = began.duration(to: clock.now)
    switch session.present(buffer, changed: unshown) {
    case .written(let bytes):
      (isUnshown, unshown) = (false, CellRegion())
      let encoded = session.statistics.lastEncodeDuration
      // A frame that only updates the cost of a frame must not cause the next one.
      if damage.bounds.y0 < buffer.rows - 1 {
        meter.record(at: time, duration: drawn + encoded, bytes: bytes)
      }
    case .unchanged: (isUnshown, unshown) = (false, CellRegion())
    case .skipped: break
    case .failed: return false
    }
    nextFrame = time + (screen.isAnimating ? Self.animationInterval : Self.dataInterval)
    return true
  }

  private func handle(_ event: TerminalEvent) -> Dashboard.Outcome? {
    switch event {
    case .input(let input):
      // Keys are handled without waiting for the frame interval.
      nextFrame = min(nextFrame, now)
      viewDue = viewDue ?? now + Self.viewInterval
      return perform(screen.handle(input, at: now))
    case .interrupt:
      return perform(screen.handle(InputEvent(kind: .key(.character("c")), modifiers: .control), at: now))
    case .suspend:
      return perform(screen.handle(InputEvent(kind: .key(.character("z")), modifiers: .control), at: now))
    case .resize(let columns, let rows):
      buffer.resize(columns: columns, rows: rows)
      screen.resize(columns: columns, rows: rows)
      isUnshown = true
    case .resumed: isUnshown = true
    case .terminate: return .stopped
    case .hangup: return .hangup
    case .background(let color):
      if followsBackground { adopt(color) }
    case .paste(let text):
      nextFrame = min(nextFrame, now)
      screen.paste(text)
    case .wake: break
    }
    return nil
  }

  private func perform(_ effect: HostEffect?) -> Dashboard.Outcome? {
    switch effect {
    case .quit: return .quit
    case .redraw:
      session.invalidate()
      isUnshown = true
    case .control(let command):
      do {
        try control.send(command)
      } catch {
        screen.say("\(error)", .warning)
      }
    case .suspend: session.suspend()
    case .releaseMouse(let isReleased): session.setMouseReporting(isReleased ? .released : .motion)
    case .exportView(let format): wantedView = format
    case .exportSamples(let ids): writer.write(ids)
    case .copy(let text): session.copy(text)
    case nil: break
    }
    return nil
  }

  /// Adopts the background color that the terminal has reported.
  private func adopt(_ background: Color) {
    let brightness =
      0.299 * Double(background.red) + 0.587 * Double(background.green) + 0.114 * Double(background.blue)
    let theme: Theme = brightness > 140 ? .light : .dark
    buffer.assumedBackground = background
    if theme != screen.appearance.theme {
      screen.setAppearance(
        Appearance(
          theme: theme, colors: screen.appearance.colors, glyphs: screen.appearance.glyphs.repertoire),
        background: background)
      buffer.assumedForeground = theme.text
    }
  }

  private func setBackground(_ theme: Theme) {
    buffer.assumedBackground = theme.background
    buffer.assumedForeground = theme.text
  }
}

/// Reports the mean cost of a frame once a second.
struct FrameMeter {
  private var frames = 0
  private var duration = Duration.zero
  private var bytes = 0
  private var since: MotionTime?

  /// The time between two reports.
  private static let interval = Duration.seconds(1)

  /// Adds a frame that was shown.
  /// - Parameters:
  ///   - time: when.
  ///   - duration: layout, drawing and diffing; writing is not included.
  mutating func record(at time: MotionTime, duration: Duration, bytes: Int) {
    frames += 1
    self.duration += duration
    self.bytes += bytes
    since = since ?? time
  }

  /// When the next report is due; `nil` while no frames are shown, so that an idle screen stays idle.
  var due: MotionTime? { since.map { $0 + Self.interval } }

  /// The mean cost since the last report; `nil` before the next one is due.
  mutating func report(at time: MotionTime, skipped: Int) -> FrameCost? {
    guard let due, time >= due, frames > 0 else { return nil }
    defer { (frames, duration, bytes, since) = (0, .zero, 0, nil) }
    // Equal where its text is.
    let mean = Duration.microseconds((duration / frames).microseconds)
    return FrameCost(duration: mean, bytes: bytes / frames, skipped: skipped)
  }
}
