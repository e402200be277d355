import Testing

extension Tmux {
  /// Starts the dashboard on a station's store, and waits for its first figures.
  func openDashboard(on station: Station, options: String = "", environment: String = "") throws {
    try type("\(environment) \(Programs.pushscope) dashboard --store \(station.store) \(options)")
    try press("Enter")
    try waitFor("1 Histogram")
    try waitFor("p50")
  }

  /// Ends it, and expects the terminal back.
  func leaveDashboard() throws {
    try press("q")
    try expectShell()
  }

  /// The shell is back, on the normal screen, without the mouse.
  func expectShell() throws {
    try waitUntil("the shell is back") { $0.contains("ready$") && !$0.contains("1 Histogram") }
    #expect(try state("alternate_on") == "0")
    #expect(try state("mouse_any_flag") == "0")
  }

  /// A mouse event as SGR reports it; columns and rows from 1.
  func mouse(_ button: Int, _ column: Int, _ row: Int, isRelease: Bool = false) throws {
    try send(bytes: Array("\u{1B}[<\(button);\(column);\(row)\(isRelease ? "m" : "M")".utf8))
  }
}
