import Configuration
import Foundation
import Measurement
import TestKit
import TestTraits
import Testing

@testable import Fleet

/// What `fleet setup` repairs, and what it refuses before it makes anything.
@Suite(.ownThread, .enabled(if: TestEngine.isUsable)) struct SetupTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory("setup") }

  private func setup(_ fleet: FleetConfiguration) throws -> FleetSetup {
    try FleetSetup(fleet, administrator: .init(name: "default"), cluster: nil, clock: SystemClock())
  }

  private func refusal(_ body: () throws -> Void) -> FleetError? {
    do { try body() } catch { return error as? FleetError }
    return nil
  }

  @Test func missingTablesAreMadeAgain() throws {
    let engine = try TestEngine()
    #expect(try engine.setUp().versionBefore == 0)
    for table in ["receipt", "sample"] { _ = try engine.rows("RENAME TABLE DB.\(table) TO DB.\(table)_gone") }
    #expect(throws: FleetError.self) { try engine.count("SELECT count() FROM DB.sample_view") }
    let again = try engine.setUp()
    #expect(again.versionBefore == FleetSchema.version)
    #expect(try engine.count("SELECT count() FROM DB.sample_view") == 0)
    #expect(try engine.count("SELECT count() FROM DB.receipt_view") == 0)
    let indices =
      "SELECT count() FROM system.data_skipping_indices WHERE name = 'planned' AND table = 'sample'"
    #expect(try engine.count(indices) == 1)
  }

  @Test func anOldDatabaseWithoutATableIsBroughtUp() throws {
    let engine = try TestEngine()
    let schema = FleetSchema(FleetLayout(database: engine.configuration.database))
    let tables = schema.migrations[0].definitions.filter { !$0.contains(".receipt") }
    let note = schema.versionStatement(1, fleet: "old", at: SystemClock().wallNow())
    for statement in schema.opening + tables + [note] { _ = try engine.rows(statement) }
    let outcome = try engine.setUp()
    #expect(outcome.versionBefore == 1 && outcome.id == "old")
    #expect(try engine.count("SELECT count() FROM DB.receipt_view") == 0)
  }

  /// The test's engine lets nobody make users.
  @Test func whoMayNotMakeUsersIsToldHow() throws {
    let engine = try TestEngine()
    var fleet = engine.configuration
    fleet.writer?.passwordFile = SecretFile(path: try directory.write("writer", "secret\n"))
    fleet.reader?.passwordFile = SecretFile(path: try directory.write("reader", "secret\n"))
    let error = refusal { _ = try setup(fleet).run(makesUsers: true) }
    #expect(error?.code == .denied)
    let text = error.map { "\($0)" } ?? ""
    for words in ["tables and views are made", "access_management", "--no-users", "default"] {
      #expect(text.contains(words), "\(text)")
    }
    #expect(try engine.count("SELECT count() FROM DB.sample_view") == 0)
  }

  @Test func usersThatCannotBeAreRefusedBeforeTheEngineIsAsked() throws {
    // Nobody listens.
    var fleet = FleetConfiguration(
      urls: [Endpoint(scheme: .http, host: "127.0.0.1", port: try FreePort.take())],
      writer: .init(name: "w"), reader: .init(name: "r"))
    let good = SecretFile(path: try directory.write("good", "secret\n"))
    fleet.reader?.passwordFile = good
    for bytes in [Array("a\u{1}b\n".utf8), Array("a\nb\n".utf8), [0x61, 0xFF, 0x0A], Array(" a\n".utf8)] {
      fleet.writer?.passwordFile = SecretFile(path: try directory.write("bad", bytes))
      let error = refusal { _ = try setup(fleet).run(makesUsers: true) }
      #expect(error?.code == .unusablePassword && "\(error as Any)".contains("bad"), "\(bytes)")
    }
    fleet.writer = fleet.reader
    let same = refusal { _ = try setup(fleet).run(makesUsers: true) }
    #expect(same?.code == .denied && same?.remedy.contains("a user of its own") == true, "\(same as Any)")
    fleet.writer = nil
    let missing = refusal { _ = try setup(fleet).run(makesUsers: true) }
    #expect(missing?.remedy.hasPrefix("add fleet.writer") == true, "\(missing as Any)")
  }

  @Test(arguments: ["<html>\n", "", "ok.\n"])
  func whatIsNoClickHouseIsCalledSo(answer: String) throws {
    let server = try FixedAnswer(answer)
    let error = refusal { _ = try setup(server.fleet).run(makesUsers: false) }
    #expect(error?.code == .refused && error?.detail.contains("no ClickHouse") == true, "\(error as Any)")
  }

  @Test func aFileWithoutAnAuthorityIsNamed() throws {
    // With https, it is the file that is looked at first.
    let server = try FixedAnswer("")
    var fleet = server.fleet
    fleet.urls[0].scheme = .https
    fleet.caFile = try directory.write("ca.pem", "no certificate\n")
    let client = try EngineClient(fleet, as: .init(name: "default"))
    let error = refusal { _ = try client.rows("SELECT 1") }
    #expect(error?.code == .unusableAuthority)
    #expect(
      error?.detail.contains("fleet.ca_file \"\(directory.file("ca.pem"))\"") == true, "\(error as Any)")
  }
}
