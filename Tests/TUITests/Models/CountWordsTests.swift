import Formats
import Foundation
import Measurement
import Report
import Store
import StoreTestKit
import TestKit
import Testing

@testable import TUI

/// One store with notifications in every state, on every surface: the same word has the same number, and the words of the
/// CSV files are the reference.
@Suite struct CountWordsTests {
  private let fixture: RecordedStore
  private let run: RunID

  /// How many are in each state; 4 of the failed and 1 of the interrupted never went onto the wire.
  private static let states: [NotificationState: Int] = [
    .planned: 9, .inFlight: 6, .accepted: 41, .delivered: 31, .late: 5, .lost: 7, .rejected: 11, .failed: 13,
    .missed: 17, .interrupted: 2,
  ]
  private static let planned = 142
  private static let sent = 142 - 9 - 17 - 4 - 1
  private static let accepted = 41 + 31 + 5 + 7
  private static let due = 142 - 9

  init() throws {
    fixture = try RecordedStore()
    run = try fixture.begin(deadline: 30_000_000)
    var samples: [Sample] = []
    for state in NotificationState.allCases.dropFirst() + [.planned] {
      for number in 0..<(Self.states[state] ?? 0) {
        let sequence = Int64(samples.count + 1)
        var sample = fixture.sample(sequence, at: sequence * 10)
        let isUnsent =
          [.planned, .missed].contains(state) || state == .failed && number < 4
          || state == .interrupted && number < 1
        if !isUnsent {
          sample.attempt = 1
          sample.scheduleLag = 40
        }
        if [.accepted, .delivered, .late, .lost].contains(state) {
          sample.serviceTime = 3_960
          sample.acceptLatency = 4_000
        }
        if [.delivered, .late].contains(state) {
          sample.deliveryLatency = state == .late ? 31_000_000 : 200_000
          sample.deliveryError = 0
        }
        sample.state = state
        samples.append(sample)
      }
    }
    // Those that are still planned lie ahead.
    for index in samples.indices where samples[index].state == .planned {
      samples[index].plannedAt = samples[index].plannedAt.advanced(byMicroseconds: 3_000_000)
    }
    fixture.clock.advance(by: .seconds(2))
    try fixture.commit(inserted: samples)
  }

  private func reader() throws -> StoreReader { try StoreReader.open(at: fixture.path) }

  private func csv(_ table: ExportTable) throws -> [[String: String]] {
    let sink = MemorySink()
    try Exporter(reader: reader()).export(table, to: sink)
    let lines = sink.text.split(separator: "\r\n").map {
      $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    }
    return lines.dropFirst().map { Dictionary(zip(lines[0], $0)) { first, _ in first } }
  }

  /// What stands below a heading of right-aligned columns.
  private func value(_ column: String, _ lines: [String], heading: String = "target", row: String) throws
    -> Int
  {
    let heading = try #require(lines.first { $0.contains(" \(column)") && $0.contains(heading) })
    let line = try #require(lines.first { $0.contains(row) && $0 != heading })
    // Names may be parts of others: the whole word counts.
    var place = heading.range(of: " \(column)  ") ?? heading.range(of: " \(column)")
    place = place.map { $0.lowerBound..<heading.index($0.lowerBound, offsetBy: column.count + 1) }
    let end = heading.distance(from: heading.startIndex, to: try #require(place).upperBound)
    let text = line.prefix(end).split(separator: " ", omittingEmptySubsequences: true)
    return try #require(text.last.flatMap { Int($0) })
  }

  @Test func theTablesOfTheExport() throws {
    let row = try #require(try csv(.runs).first)
    for (word, count) in [("planned", Self.planned), ("sent", Self.sent), ("accepted", Self.accepted)] {
      #expect(row[word] == "\(count)", "\(word)")
    }
    for state in [NotificationState.delivered, .late, .lost, .rejected, .failed, .missed, .interrupted] {
      #expect(row[state.name] == "\(Self.states[state] ?? 0)", "\(state.name)")
    }
    let samples = try csv(.samples)
    #expect(samples.count == Self.planned)
    #expect(samples.count { $0["sent_at"] != "" } == Self.sent)
    #expect(samples.count { $0["accepted_at"] != "" } == Self.accepted)
    for state in NotificationState.allCases {
      #expect(samples.count { $0["state"] == state.name } == Self.states[state])
    }
    let unsent = samples.filter { $0["sent_at"] == "" }
    // planned = sent + missed + failed before sending + interrupted without sent_at + still to be sent
    let parts = ["missed", "failed", "interrupted", "planned"].map { state in
      unsent.count { $0["state"] == state }
    }
    #expect(parts == [17, 4, 1, 9] && Self.sent + parts.reduce(0, +) == Self.planned)
    #expect(try csv(.summary).allSatisfy { $0["planned"] == "\(Self.planned)" })
  }

  @Test func theListOfRunsAndOneRun() throws {
    let list = try RunsReport.list(reader(), at: SystemClock().wallNow())
    let record = try #require(try reader().run(run))
    let show = try RunsReport.show(record, in: reader(), at: SystemClock().wallNow())
    for (lines, row) in [(list, "\(run)"), (show, "loopback  loopback")] {
      #expect(try value("planned", lines, row: row) == Self.planned)
      #expect(try value("sent", lines, row: row) == Self.sent)
      #expect(try value("accepted", lines, row: row) == Self.accepted)
      for state in [NotificationState.delivered, .late, .lost, .rejected, .failed, .missed, .interrupted] {
        #expect(try value(state.name, lines, row: row) == Self.states[state], "\(state.name)")
      }
    }
    for state in [NotificationState.accepted, .inFlight, .planned] {
      #expect(try value(state.title, show, row: "loopback  loopback") == Self.states[state], "\(state.title)")
    }
  }

  @Test func theLineOfTheLog() throws {
    let line = try #require(try RatesReport.lines(of: run, in: reader()).first)
    #expect(line.contains("(\(Self.due) due, \(Self.sent) sent, \(Self.accepted) accepted, 36 received: "))
    for state in NotificationState.allCases where state != .planned {
      #expect(line.contains(" \(Self.states[state] ?? 0) \(state.title)"), "\(state.title): \(line)")
    }
  }

  @Test func theSummary() throws {
    let report = try SummaryReport(reader())
    let line = try #require(report.lines.first { $0.contains(" planned, ") && $0.contains(";") })
    #expect(line.contains("\(Self.planned) planned, \(Self.sent) sent, \(Self.accepted) accepted; "))
    for state in NotificationState.allCases where state != .planned {
      let count = Self.states[state] ?? 0
      // What is still to be sent is in no share.
      let share = Double(count) / Double(Self.due) * 100
      let tenths = Int((share * 10).rounded())
      #expect(
        line.contains("\(count) \(state.title) (\(tenths / 10).\(tenths % 10) %)"), "\(state.title): \(line)")
    }
    #expect(line.contains("9 still to be sent"))
    let speaks = try #require(report.lines.first { $0.contains("speaks for") })
    #expect(
      speaks.contains("111 (83.5 %)") && speaks.contains("84 (63.2 %)") && speaks.contains("36 (27.1 %)"))
    let group = try #require(report.runs.first?.targets.first?.groups.first)
    #expect(group.counts.due == Self.due && group.scheduleLag.share.due == Self.due)
    let json = report.json.text.filter { !$0.isWhitespace }
    #expect(json.contains("\"planned\":\(Self.planned),\"due\":\(Self.due),\"sent\":\(Self.sent),"))
    #expect(json.contains("\"accepted\":\(Self.accepted),"))
    #expect(
      json.contains("\"states\":{\"planned\":9,\"in_flight\":6,\"accepted\":41,\"delivered\":31,\"late\":5,"))
  }

  @Test func theDashboard() throws {
    var source = SnapshotSource(
      place: .store(fixture.path), subject: Subject(), clock: fixture.clock, bootID: fixture.bootID)
    source.follow(Subject(), wantsRuns: true)
    let start = fixture.sample(1).plannedAt
    let read = source.poll(
      ReadRequest(from: start.advanced(byMicroseconds: -1_000_000), to: nil, tick: .seconds(1)))
    let snapshot = try #require(read)
    let totals = try #require(snapshot.totals.first)
    #expect(totals.planned == Self.planned && totals.due == Self.due)
    #expect(totals.sent == Self.sent && totals.acceptedByProvider == Self.accepted)
    #expect((totals + totals).sent == 2 * Self.sent && (totals + totals).planned == 2 * Self.planned)

    let line = PlainLine(
      snapshot: snapshot, figures: source.figures(PlainLine.order(of: snapshot)), zone: .utc
    ).text
    let reached = "due \(Self.due) planned \(Self.planned) sent \(Self.sent) accepted \(Self.accepted) "
    #expect(line.contains(reached), "\(line)")
    for state in NotificationState.allCases where state != .planned {
      let word = state == .accepted ? state.title : state.name
      #expect(line.contains(" \(word) \(Self.states[state] ?? 0)"), "\(word): \(line)")
    }

    var stage = try Stage(columns: 380, rows: 50, snapshot: snapshot)
    stage.frames(2)
    let title = try #require(stage.rows.first { $0.contains("delivery latency") })
    for state in NotificationState.allCases where state != .planned {
      #expect(title.contains("\(state.title) \(Self.states[state] ?? 0)"), "\(state.title): \(title)")
    }
    let facts = try #require(stage.screen.context.content).facts
    #expect(facts.counts.sent == Self.sent && facts.counts.acceptedByProvider == Self.accepted)
  }
}
