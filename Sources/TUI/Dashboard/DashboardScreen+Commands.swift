import ConstraintAnimation
import Measurement

extension DashboardScreen {
  /// The command of a key. In the list of runs the key that freezes marks them, and the one that lists opens them.
  func command(for event: InputEvent) -> Command? {
    let command = keys.command(for: event)
    if state.panel == .runs, command == .plot(.list) { return .choose }
    return command == .freeze && state.panel == .runs && event.kind == .key(.character(" ")) ? .mark : command
  }

  /// Whether a key that quits is to close what lies on top instead. Together with Ctrl it quits from anywhere.
  func closesOverlay(_ event: InputEvent) -> Bool {
    (state.overlay != nil || state.showsHelp) && !event.modifiers.contains(.control)
      && keys.command(for: event) == .quit
  }

  /// Does what a key asks for.
  func perform(_ command: Command) -> Effect? {
    if isTakenByCrosshair(command) { return nil }
    switch command {
    case .quit: return .quit
    case .redraw: return .redraw
    case .suspend: return .suspend
    case .releaseMouse:
      state.releasesMouse.toggle()
      say(state.releasesMouse ? "the mouse is the terminal's" : "the mouse is the dashboard's")
      return .releaseMouse(state.releasesMouse)
    case .help: showHelp(!state.showsHelp)
    case .dismiss:
      if state.showsHelp { showHelp(false) } else { letGo() }
    case .plot(let command):
      guard currentNotice == nil else { return nil }
      return perform(command)
    case .palette: open(.palette(CommandPalette()))
    case .showPanel(let panel): slide(to: panel)
    case .nextPanel: slide(to: panels.active.next)
    case .previousPanel: slide(to: panels.active.previous)
    case .nextTheme: nextTheme()
    case .nextMotion: nextMotion()
    case .startStop: askStartOrStop()
    case .scroll(let rows) where state.showsHelp: scrollHelp(by: rows)
    case .page(let pages) where state.showsHelp: scrollHelp(by: pages * 10)
    default:
      guard currentNotice == nil else { return nil }
      change(command)
      update()
    }
    return nil
  }

  /// Commands that change what is shown.
  private func change(_ command: Command) {
    let columns = plotGeometry.columns
    switch command {
    case .toggleSlides:
      state.slides = state.slides == .horizontal ? .vertical : .horizontal
      say(state.slides == .horizontal ? "panels slide sideways" : "panels slide up and down")
      followSlides()
    case .rotate: rotate()
    case .pan(let eighths) where state.replay != nil: scrub(eighths: eighths)
    case .pan(let eighths): state.pan(eighths: eighths, in: shown, columns: columns)
    case .zoomIn: state.zoom(in: true, about: crosshairFraction, in: shown, columns: columns)
    case .zoomOut: state.zoom(in: false, about: crosshairFraction, in: shown, columns: columns)
    case .follow: follow()
    case .freeze: freezeOrGoOn()
    case .goTo: askMoment()
    case .replay: toggleReplay()
    case .faster: changeSpeed(by: 1)
    case .slower: changeSpeed(by: -1)
    case .toggleScale: state.axisKind = state.axisKind == .linear ? .logarithmic : .linear
    case .toggleRange: nextRange()
    case .nextMetric: state.metric = state.metric(in: shown).next
    case .nextTarget: nextTarget()
    case .compare: compare()
    case .choose: openRun()
    case .mark: markRun()
    case .rename: askName()
    case .delete: askDelete()
    case .filter: askFilter()
    case .scroll(let rows): scroll(by: rows)
    case .page(let pages): scroll(by: pages * max(1, listRows - 1))
    case .scrollToStart: scroll(by: -ViewState.toEnd)
    case .scrollToEnd: scroll(by: ViewState.toEnd)
    case .quit, .redraw, .suspend, .releaseMouse, .help, .dismiss, .palette, .nextTheme, .nextMotion,
      .showPanel, .nextPanel, .previousPanel, .plot, .startStop:
      break
    }
  }

  /// Both panels move together; a second choice turns the motion round from where it is.
  func slide(to panel: Panel) {
    guard panel != panels.active, currentNotice == nil else { return }
    do throws(LowerView.Failure) {
      switch state.slides {
      case .horizontal: try panels.slideHorizontally(activate: panel)
      case .vertical: try panels.slideVertically(activate: panel)
      }
      state.panel = panel
    } catch {
      // The pages are in their host for as long as the screen lives: nothing else can take them out.
      assertionFailure("\(error)")
    }
  }

  /// Puts a gesture onto the host that drags the pages the way they slide.
  func followSlides() {
    for recognizer in host.gestureRecognizers where recognizer is PanGestureRecognizer {
      host.removeGestureRecognizer(recognizer)
    }
    host.addGestureRecognizer(panels.makePanGestureRecognizer(along: state.slides))
  }

  private func nextTarget() {
    guard case .targets(let first, let second) = state.comparison, shown.targets.count > 2 else {
      state.nextTarget(in: shown)
      return
    }
    var next = (second + 1) % shown.targets.count
    if next == first { next = (next + 1) % shown.targets.count }
    state.comparison = .targets(first, next)
  }

  private func nextTheme() {
    guard let place = themes.firstIndex(of: appearance.theme) ?? themes.indices.last else { return }
    let theme = themes[(place + 1) % themes.count]
    setAppearance(
      Appearance(theme: theme, colors: appearance.colors, glyphs: appearance.glyphs.repertoire))
    say("theme \(theme.name)")
  }

  private func nextMotion() {
    let levels: [(MotionLevel, String)] = [(.full, "full"), (.basic, "basic"), (.none, "no")]
    let place = levels.firstIndex { $0.0 == window.motionLevel } ?? 0
    let next = levels[(place + 1) % levels.count]
    window.motionLevel = next.0
    say("\(next.1) motion")
  }

  /// The wheel scrolls lists and zooms the plot about the pointer.
  func turnWheel(_ ticks: Int, _ event: InputEvent) -> Effect? {
    guard currentNotice == nil, ticks != 0 else { return nil }
    let (x, y) = (Int(event.location.x), Int(event.location.y))
    if host.cellFrame.contains(x: x, y: y) {
      scroll(by: -3 * ticks)
      update()
    } else if plot.cellFrame.contains(x: x, y: y) {
      zoomByWheel(ticks, event)
      update()
    }
    return nil
  }

  var listRows: Int {
    ListModel.room(
      height: host.cellFrame.height, hasHeading: state.panel == .events || state.panel == .runs)
  }

  private func scroll(by rows: Int) {
    state.scroll(state.panel, by: rows, in: state.panel == .runs ? latest : shown, listed, rows: listRows)
  }

  func showHelp(_ shows: Bool) {
    guard shows != state.showsHelp else { return }
    state.showsHelp = shows
    footer.invalidate()
    if shows {
      state.helpLine = 0
      fitHelp()
      help.isHidden = false
    }
    window.animate(withDuration: .milliseconds(120), curve: .easeOut) {
      help.alpha = shows ? 1 : 0
    } completion: { [weak self] _ in
      guard let self, !self.state.showsHelp else { return }
      self.help.isHidden = true
    }
  }

  private func scrollHelp(by lines: Int) {
    let most = helpModel.mostScroll(fitting: Int(window.size.width), Int(window.size.height))
    state.helpLine = min(max(state.helpLine + lines, 0), most)
    help.invalidate()
  }

  /// As large as it needs to be, in the middle.
  func fitHelp() {
    let size = helpModel.size(fitting: Int(window.size.width), Int(window.size.height))
    helpSize[0].constant = Double(size.width)
    helpSize[1].constant = Double(size.height)
    window.performWithoutAnimation { window.layoutIfNeeded() }
    help.invalidate()
  }
}
