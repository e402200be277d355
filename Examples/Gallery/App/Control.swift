import ConstraintAnimation

/// Something a screen offers: keys, a word for what they do, and the doing. The gallery makes a button of it.
struct Control {
  let keys: Set<InputEvent.Key>
  /// The key as people read it.
  let cap: String
  let title: String
  /// Nil for what only the pointer or a recognizer can do: it is mentioned, not clicked.
  let action: (() -> Void)?

  init(_ key: InputEvent.Key, _ title: String, _ action: @escaping () -> Void) {
    keys = [key]
    cap = Control.cap(of: key)
    self.title = title
    self.action = action
  }

  init(hint cap: String, _ title: String) {
    keys = []
    self.cap = cap
    self.title = title
    action = nil
  }

  private static func cap(of key: InputEvent.Key) -> String {
    switch key {
    case .character(" "): "space"
    case .character(let character): String(character)
    case .left: "←"
    case .right: "→"
    case .up: "↑"
    case .down: "↓"
    default: "\(key)"
    }
  }
}
