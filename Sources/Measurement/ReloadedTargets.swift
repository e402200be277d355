/// The names of the targets that a reload of the configuration changed, began and ended, in the words of the event
/// `config_reloaded`. Names of targets have neither commas nor semicolons, so that they can be read back.
public struct ReloadedTargets: Sendable, Equatable {
  public var changed: [String]
  public var begun: [String]
  public var ended: [String]

  public init(changed: [String] = [], begun: [String] = [], ended: [String] = []) {
    (self.changed, self.begun, self.ended) = (changed, begun, ended)
  }

  /// What stands between the statements of an event's detail.
  public static let separator = "; "

  /// `targets changed: a, b`, a text for each of the three that is not empty.
  public var words: [String] {
    Self.parts.compactMap { what, names in
      self[keyPath: names].isEmpty
        ? nil : "targets \(what): \(self[keyPath: names].joined(separator: ", "))"
    }
  }

  /// Reads the detail of an event; what else it says is left out.
  public init(detail: String) {
    self.init()
    var statements: [Substring] = []
    var rest = detail[...]
    while let end = rest.firstRange(of: Self.separator) {
      statements.append(rest[..<end.lowerBound])
      rest = rest[end.upperBound...]
    }
    for statement in statements + [rest] {
      for (what, names) in Self.parts where statement.hasPrefix("targets \(what): ") {
        self[keyPath: names] += statement.dropFirst("targets \(what): ".count).split(separator: ",").map {
          String($0.drop { $0 == " " })
        }
      }
    }
  }

  private static var parts: [(what: String, names: WritableKeyPath<ReloadedTargets, [String]>)] {
    [("changed", \.changed), ("new", \.begun), ("ended", \.ended)]
  }
}
