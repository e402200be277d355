import Foundation

/// A command whose time is taken from start to end, its output thrown away or read as figures.
struct Contender {
  struct Figures {
    var rows = 0
    var allocations = 0
    var peakKilobytes = 0
  }

  let name: String
  private let command: String
  private let arguments: [String]

  init(_ name: String, _ command: String, _ arguments: [String]) {
    self.name = name
    self.command = command
    self.arguments = arguments
  }

  func run() throws -> (seconds: Double, figures: Figures) {
    let isOurs = command == Subprocess.ours
    let output = Pipe()
    let start = DispatchTime.now()
    let process = Process()
    process.executableURL = URL(fileURLWithPath: isOurs ? command : "/usr/bin/env")
    process.arguments = isOurs ? arguments : [command] + arguments
    process.standardOutput = isOurs ? output : FileHandle.nullDevice
    try process.run()
    let text = isOurs ? output.fileHandleForReading.readDataToEndOfFile() : Data()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw CocoaError(.executableLoad) }
    let seconds = Double(DispatchTime.now().uptimeNanoseconds - start.uptimeNanoseconds) / 1e9
    let words = String(decoding: text, as: UTF8.self).split { $0 == " " || $0 == "\n" }.compactMap { Int($0) }
    guard words.count == 3 else { return (seconds, Figures()) }
    return (seconds, Figures(rows: words[0], allocations: words[1], peakKilobytes: words[2]))
  }
}

enum Subprocess {
  /// This program.
  static let ours =
    (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? CommandLine.arguments[0]
}
