import ConstraintAnimation
import Measurement

/// Other times than now.
extension DashboardScreen {
  /// The newest of the run on display; asked for again, the newest run.
  func follow() {
    let isThere = state.anchor == .edge && !state.isFrozen && state.replay == nil
    if isThere, subject.run != nil { subject.run = nil }
    state.follow()
    thaw()
  }

  func freezeOrGoOn() {
    if let replay = state.replay {
      state.replay?.isPaused = !replay.isPaused
      return
    }
    state.toggleFrozen(in: shown)
    if state.isFrozen { freeze() } else { thaw() }
  }

  /// Lets the run happen again from where the picture begins; at the end of it, or when it is a live one's newest, from
  /// the run's beginning.
  func toggleReplay() {
    if state.replay != nil {
      state.replay = nil
      state.anchor = .edge
      thaw()
      say("back from the replay")
      return
    }
    guard let run = latest.run, let content else { return }
    state.frozenAt = nil
    let start = max(content.window.start, run.startedAt)
    state.replay = Replay(at: state.anchor == .edge && !run.isLive ? run.startedAt : start)
    state.anchor = .edge
    thaw()
  }

  func changeSpeed(by steps: Int) {
    guard var replay = state.replay else {
      say("nothing is being replayed", .warning)
      return
    }
    replay.accelerate(by: steps)
    state.replay = replay
  }

  /// Moves the moment of the replay by eighths of the window.
  func scrub(eighths: Int) {
    guard let replay = state.replay, let content else { return }
    let moved = replay.position.advanced(byMicroseconds: Int64(eighths) * content.window.duration / 8)
    state.replay?.position = min(max(moved, latest.run?.startedAt ?? moved), latest.edge)
    thaw()
  }

  func askMoment() { open(.prompt(Prompt(.goTo, title: "go to", hint: TimeInput.hint))) }

  /// The end of what is recorded; a picture that was moved or frozen follows it again.
  private func goToNewest() {
    if state.replay != nil {
      state.replay?.position = latest.edge
    } else {
      state.frozenAt = nil
    }
    state.anchor = .edge
    thaw()
  }

  /// Goes to what was typed.
  /// - Returns: what is wrong with it.
  func go(to text: String) -> String? {
    guard let content else { return nil }
    let middle = content.window.start.advanced(byMicroseconds: content.window.duration / 2)
    let reader = TimeInput(
      now: latest.edge, start: latest.run?.startedAt, shown: state.replay?.position ?? middle, zone: zone)
    if TimeInput.isNewest(text) {
      goToNewest()
      return nil
    }
    do throws(TimeInput.Problem) {
      let moment = try reader.moment(text)
      if let start = latest.run?.startedAt, moment < start || moment > latest.edge {
        let (from, to) = (zone.civil(start).dateTime, zone.civil(latest.edge).dateTime)
        return "the run goes from \(from) to \(to); choose a moment between them"
      }
      state.goTo(moment, in: shown, columns: plotGeometry.columns)
      if state.replay != nil { thaw() }
      return nil
    } catch {
      return error.text
    }
  }
}
