extension DashboardConfiguration {
  /// Reads the section; what is wrong is reported, and the rest is read on.
  init(_ value: YAMLValue) {
    self.init()
    let names = ["keys", "theme", "motion", "slides", "arrangement", "ascii", "mouse", "threshold"]
    guard let map = value.mapping(keys: names) else { return }
    theme = map["theme"]?.string(maximumBytes: 1024)
    motion = map["motion"]?.choice(of: Motion.self)
    slides = map["slides"]?.choice(of: Slides.self) ?? .horizontal
    arrangement = map["arrangement"]?.choice(of: Arrangement.self) ?? .automatic
    ascii = map["ascii"]?.boolean() ?? false
    mouse = map["mouse"]?.boolean() ?? true
    threshold = map["threshold"]?.duration(in: .microseconds(1)...(.seconds(86_400)))
    if let keys = map["keys"] { self.keys = Self.keys(keys) }
  }

  private static func keys(_ value: YAMLValue) -> [DashboardAction: [KeyChord]] {
    guard value.mapping(keys: DashboardAction.allCases.map(\.rawValue)) != nil else { return [:] }
    var keys: [DashboardAction: [KeyChord]] = [:]
    var owners: [KeyChord: DashboardAction] = [:]
    // In the order of the file: of two that want one key the second is the mistake.
    for (name, value) in value.entries() ?? [] {
      guard let action = DashboardAction(rawValue: name) else { continue }
      var chords: [KeyChord] = []
      for element in value.isSequence ? value.sequence() ?? [] : [value] {
        guard let chord = element.keyChord() else { continue }
        if let owner = owners[chord] {
          element.report(
            "this key already does \"\(owner.rawValue)\"", remedy: "give each key to one action only")
        }
        owners[chord] = action
        chords.append(chord)
      }
      keys[action] = chords
    }
    return keys
  }
}

extension YAMLValue {
  /// Reads a key. What stands there is a text even where YAML sees a number.
  fileprivate func keyChord() -> KeyChord? {
    guard let text = string(maximumBytes: 64) else { return nil }
    do throws(ValueTextError) {
      return try KeyChord.parse(text)
    } catch {
      report("\"\(error.text)\" \(error.problem)", remedy: error.remedy)
      return nil
    }
  }
}
