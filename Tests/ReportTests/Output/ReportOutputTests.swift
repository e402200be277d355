import Formats
import Foundation
import Measurement
import TestKit
import Testing

@testable import Report

@Suite struct ReportOutputTests {
  private struct Trouble: Error {}

  /// A standard output that cannot be written, in one way or another.
  private final class Refusing: ByteSink {
    let code: OutputError.Code
    init(_ code: OutputError.Code) { self.code = code }
    func write(_ bytes: UnsafeRawBufferPointer) throws(OutputError) {
      throw OutputError(code: code, name: "out")
    }
  }

  @Test func aReaderThatStoppedReadingIsNoTrouble() throws {
    try ReportOutput.write(to: nil, standardOutput: Refusing(.closedPipe)) { try $0.write("x") }
    #expect(throws: OutputError(code: .noSpace, name: "out")) {
      try ReportOutput.write(to: "-", standardOutput: Refusing(.noSpace)) { try $0.write("x") }
    }
  }

  @Test func aFileAppearsOnlyWhenAllIsWell() throws {
    let directory = FileManager.default.temporaryDirectory.path + "/pushscope-output-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: directory) }
    let path = directory + "/a.csv"
    #expect(throws: Trouble.self) {
      try ReportOutput.write(to: path) {
        try $0.write("half")
        throw Trouble()
      }
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: directory).isEmpty)
    try ReportOutput.write(to: path) { try $0.write("whole") }
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "whole")
  }

  @Test func progressIsToldOnceASecondAndOnlyOfLongExports() {
    let clock = SteppedHostClock()
    var told: [String] = []
    var progress = ExportProgress(clock: clock) { told.append($0) }
    progress.update(rows: 1)
    progress.finish(rows: 2)
    #expect(told.isEmpty)
    for rows in 1...25 {
      clock.advance(by: .milliseconds(100))
      progress.update(rows: Int64(rows))
    }
    progress.finish(rows: 26)
    #expect(told == ["10 rows so far", "20 rows so far", "26 rows"])
  }
}
