import ConstraintAnimation
import Measurement
import Store

/// What commands do to the window of time.
extension Reducer {
  // MARK: - Time

  /// Follows the newest of the run on display; where that is so already, the newest run.
  mutating func follow() {
    if state.anchor == .edge, !state.isFrozen, state.replay == nil { state.subject.run = nil }
    state.follow()
    effects.append(.adopt)
  }

  /// Shows all of the run.
  mutating func fitRun() {
    guard let run = context.latest.run else { return }
    let length = max(.seconds(1), context.latest.edge - run.startedAt)
    state.replay = nil
    state.scale = nil
    state.anchor = .stretch(from: run.startedAt, length: length)
    effects.append(.adopt)
    say("all of the run")
  }

  /// Returns to the view that was left last.
  mutating func goBack() {
    guard let previous = context.previous else { return say("there is no view before this one") }
    state.replay = nil
    previous.restore(&state)
    effects += [.wentBack, .adopt]
  }

  // MARK: - Annotations

  /// Where the crosshair is, else the newest instant that is shown, else the middle of the window.
  var instant: WallTime {
    if let replay = state.replay { return replay.position }
    guard let window = context.content?.window else { return context.latest.now }
    if state.plot.holdsCrosshair, let place = state.plot.crosshair {
      return window.start + window.scale.columnDuration * place.column + window.scale.columnDuration / 2
    }
    if state.anchor == .edge { return shown.edge }
    return window.start + window.duration / 2
  }

  mutating func askAnnotation() {
    let moment = instant
    effects.append(
      .open(
        Prompt(
          .annotate(moment),
          title:
            "note at \(context.options.zone.civil(moment).dateTime) \(context.options.zone.name(at: moment))",
          hint: "what happened then, like deploy 412")))
  }

  mutating func annotate(_ text: String, at moment: WallTime, _ prompt: Prompt?) {
    guard let annotation = Annotation(text, at: moment, run: context.latest.run?.id) else {
      let problem = "say what happened, in at most \(Annotation.longestText) bytes"
      guard var prompt else { return say(problem, .warning) }
      prompt.problem = problem
      return effects.append(.open(prompt))
    }
    request(.annotate(annotation))
  }

  mutating func freezeOrGoOn() {
    if let replay = state.replay {
      state.replay?.isPaused = !replay.isPaused
      return
    }
    state.toggleFrozen(in: shown)
    effects.append(state.isFrozen ? .hold : .adopt)
  }

  /// Replays the run from the start of the window, or from the start of the run when all of it is over and the window
  /// follows.
  mutating func toggleReplay() {
    if state.replay != nil {
      state.replay = nil
      say("the replay is over")
    } else {
      guard let run = context.latest.run, let content = context.content else { return }
      state.frozenAt = nil
      let start = max(content.window.start, run.startedAt)
      state.replay = Replay(at: state.anchor == .edge && !run.isLive ? run.startedAt : start)
    }
    state.anchor = .edge
    effects.append(.adopt)
  }

  mutating func changeSpeed(by steps: Int) {
    guard state.replay != nil else { return say("nothing is being replayed", .warning) }
    state.replay?.accelerate(by: steps)
  }

  /// Moves the moment of the replay by eighths of the window.
  mutating func scrub(eighths: Int) {
    guard let replay = state.replay, let content = context.content else { return }
    let moved = replay.position + content.window.duration * eighths / 8
    let (start, end) = (context.latest.run?.startedAt ?? moved, context.latest.edge)
    state.replay?.position = min(max(moved, start), end)
    effects.append(.adopt)
  }

  /// Goes to a moment that was typed.
  /// - Returns: what is wrong with the text; `nil` when nothing is.
  mutating func go(to text: String) -> String? {
    guard context.content != nil else { return nil }
    if TimeInput.isNewest(text) {
      let newest = context.latest.edge
      if state.replay != nil { state.replay?.position = newest } else { state.frozenAt = nil }
      state.anchor = .edge
      effects.append(.adopt)
      return nil
    }
    do throws(TimeInput.Problem) {
      let moment = try context.moment(text, state)
      state.goTo(moment, in: shown, columns: geometry.columns)
      if state.replay != nil { effects.append(.adopt) }
      return nil
    } catch {
      return error.text
    }
  }
}
