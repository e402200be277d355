import Foundation
import Measurement
import TestKit
import Testing

@Suite struct EventKindTests {
  @Test("docs/reports.md lists every kind that there is", arguments: EventKind.allCases)
  func isDocumented(kind: EventKind) throws {
    let root = URL(fileURLWithPath: Programs.repository)
    let page = try String(contentsOf: root.appendingPathComponent("docs/reports.md"), encoding: .utf8)
    let table = page.split(separator: "\n").filter { $0.hasPrefix("| `") }
    #expect(table.contains { $0.contains("`\(kind.rawValue)`") })
  }
}
