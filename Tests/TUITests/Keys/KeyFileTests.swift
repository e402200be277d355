import Configuration
import ConstraintAnimation
import Foundation
import TestKit
import Testing

@testable import TUI

/// The end-to-end suite presses the keys of Tests/Support/dashboard-keys.txt: a key that is missing there is pressed by nobody.
@Suite struct KeyFileTests {
  /// The keys of a preset's part by tmux's names; those that follow a prefix have it before them.
  private static func keys(of preset: String) throws -> Set<String> {
    let text = try String(contentsOfFile: Programs.scripts + "/dashboard-keys.txt", encoding: .utf8)
    let part = text.components(separatedBy: "\npreset: ").first { $0.hasPrefix("\(preset)\n") }
    let names = try #require(part).split(separator: "\n").dropFirst().compactMap { line in
      (line.hasPrefix("type ") ? line.dropFirst(5) : line).split(separator: " ").first.map(String.init)
    }
    return Set(names).union(zip(names, names.dropFirst()).map { "\($0) \($1)" })
  }

  private static func name(of stroke: KeyStroke) -> String {
    let key =
      switch stroke.key {
      case .character(" "): "Space"
      case .character(let character): String(character)
      case .enter: "Enter"
      case .escape: "Escape"
      case .tab: stroke.modifiers == .shift ? "BTab" : "Tab"
      case .backTab: "BTab"
      case .backspace: "BSpace"
      case .delete: "DC"
      case .insert: "IC"
      case .up: "Up"
      case .down: "Down"
      case .left: "Left"
      case .right: "Right"
      case .home: "Home"
      case .end: "End"
      case .pageUp: "PPage"
      case .pageDown: "NPage"
      case .function(let number): "F\(number)"
      }
    let isShifted = stroke.modifiers == .shift && key != "BTab"
    let name = (stroke.modifiers == .control ? "C-" : isShifted ? "S-" : "") + key
    return stroke.prefix.map { "\($0) \(name)" } ?? name
  }

  @Test func everyKeyIsPressed() throws {
    let classic = Dictionary(
      KeyTable.preset(.classic).bindings.map { ($0.action, Set($0.strokes)) },
      uniquingKeysWith: { $0.union($1) })
    let missing = Set(classic.values.joined().map(Self.name)).subtracting(try Self.keys(of: "classic"))
    #expect(missing == [])
    let vim = try Self.keys(of: "vim")
    let less = try Self.keys(of: "less")
    for (preset, pressed) in [(KeyTable.preset(.vim), vim), (.preset(.less), less.union(vim))] {
      for binding in preset.bindings {
        let own = Set(binding.strokes).subtracting(classic[binding.action] ?? [])
        #expect(Set(own.map(Self.name)).subtracting(pressed) == [], "\(binding.action)")
      }
    }
  }
}
