/// A pointer or keyboard event, independent of a terminal's encoding. Locations are cells in the window's space;
/// fractions appear where the source reports pixels.
public struct InputEvent: Sendable, Equatable {
  /// What happened.
  public enum Kind: Sendable, Equatable {
    case mouseDown
    case mouseDrag
    case mouseUp
    case mouseMove
    /// Positive ticks scroll up.
    case wheel(ticks: Int)
    case key(Key)
    case focusLost
    case focusGained
  }

  /// A key without its modifiers.
  public enum Key: Sendable, Hashable {
    case character(Character)
    case enter, escape, tab, backTab, backspace, delete, insert
    case up, down, left, right, home, end, pageUp, pageDown
    case function(Int)
  }

  /// Keys held meanwhile, as far as a terminal tells.
  public struct Modifiers: OptionSet, Sendable, Hashable {
    public let rawValue: UInt8

    public init(rawValue: UInt8) { self.rawValue = rawValue }

    public static let shift = Modifiers(rawValue: 1 << 0)
    public static let alt = Modifiers(rawValue: 1 << 1)
    public static let control = Modifiers(rawValue: 1 << 2)
  }

  public var kind: Kind
  public var location: Point
  public var modifiers: Modifiers

  public init(kind: Kind, location: Point = .zero, modifiers: Modifiers = []) {
    self.kind = kind
    self.location = location
    self.modifiers = modifiers
  }
}

extension Window {
  /// Advances to `time` and delivers an event: to the recognizers of the view that is hit and of its superviews, to key
  /// equivalents, and if none of them uses it to ``View/handle(_:)``.
  /// - Returns: whether anything used the event.
  @discardableResult
  public func send(_ event: InputEvent, at time: MotionTime) -> Bool {
    step(to: time)
    return EventRouter(window: self, gestures: gestures).route(event)
  }
}

/// Finds the receiver of one event.
private struct EventRouter {
  let window: Window
  let gestures: GestureArbiter

  private var focus: View { window.firstResponder ?? window.root }

  /// - Returns: whether anything used the event.
  func route(_ event: InputEvent) -> Bool {
    switch event.kind {
    case .mouseDown: return press(event)
    case .mouseDrag, .mouseUp: return follow(event)
    case .mouseMove: return offer(event, from: window.hitTest(event.location))
    case .wheel: return turnWheel(event)
    case .key(let key): return pressKey(key, event)
    case .focusLost:
      gestures.cancelAll()
      return offer(event, from: focus)
    case .focusGained: return offer(event, from: focus)
    }
  }

  private func press(_ event: InputEvent) -> Bool {
    gestures.cancelPointerGestures()
    let hit = window.hitTest(event.location)
    for recognizer in recognizers(from: hit) { gestures.follow(recognizer) }
    guard !gestures.following.isEmpty else { return offer(event, from: hit) }
    gestures.deliver(event, at: window.time)
    return true
  }

  private func follow(_ event: InputEvent) -> Bool {
    guard !gestures.following.isEmpty else { return offer(event, from: window.hitTest(event.location)) }
    gestures.deliver(event, at: window.time)
    if event.kind == .mouseUp { gestures.settle() }
    return true
  }

  private func turnWheel(_ event: InputEvent) -> Bool {
    let hit = window.hitTest(event.location)
    return offerToRecognizers(event, from: hit) || offer(event, from: hit)
  }

  private func pressKey(_ key: InputEvent.Key, _ event: InputEvent) -> Bool {
    if key == .escape, gestures.isGestureInProgress {
      gestures.cancelAll()
      return true
    }
    if offerToRecognizers(event, from: focus) { return true }
    if let tap = keyEquivalent(key, in: window.root) {
      tap.recognizeKey()
      return true
    }
    return offer(event, from: focus)
  }

  /// Offers a wheel or key event: the first recognizer that accepts it gets it.
  private func offerToRecognizers(_ event: InputEvent, from view: View?) -> Bool {
    for recognizer in recognizers(from: view) {
      recognizer.pointer = event.location
      if recognizer.receive(event, at: window.time) { return true }
    }
    return false
  }

  private func offer(_ event: InputEvent, from view: View?) -> Bool {
    var candidate = view
    while let current = candidate {
      if current.handle(event) { return true }
      candidate = current.superview
    }
    return false
  }

  private func recognizers(from view: View?) -> [GestureRecognizer] {
    var found: [GestureRecognizer] = []
    var candidate = view
    while let current = candidate {
      if current.isEnabled { found.append(contentsOf: current.gestureRecognizers.filter(\.isEnabled)) }
      candidate = current.superview
    }
    return found
  }

  private func keyEquivalent(_ key: InputEvent.Key, in view: View) -> TapGestureRecognizer? {
    guard !view.isHidden, view.isUserInteractionEnabled else { return nil }
    if view.isEnabled {
      for case let tap as TapGestureRecognizer in view.gestureRecognizers
      where tap.isEnabled && tap.keyEquivalents.contains(key) {
        return tap
      }
    }
    for subview in view.subviews {
      if let found = keyEquivalent(key, in: subview) { return found }
    }
    return nil
  }
}
