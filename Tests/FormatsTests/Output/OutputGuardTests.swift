import Formats
import Foundation
import Testing

/// What is written never takes the place of a database.
@Suite struct OutputGuardTests {
  private let directory: String

  init() throws {
    directory = FileManager.default.temporaryDirectory.path + "/pushscope-guard-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
  }

  private func path(_ name: String) -> String { "\(directory)/\(name)" }

  private func write(_ name: String, _ bytes: [UInt8]) throws {
    try Data(bytes).write(to: URL(fileURLWithPath: path(name)))
  }

  private func refusal(_ name: String, databases: [String] = []) -> OutputError.Code? {
    do throws(OutputError) {
      try OutputGuard(databases: databases.map(path)).check(path(name))
      return nil
    } catch {
      return error.code
    }
  }

  private static let database = Array("SQLite format 3\u{0}".utf8) + [UInt8](repeating: 0, count: 84)

  @Test func refusesTheDatabaseByEveryNameOfItsFile() throws {
    defer { try? FileManager.default.removeItem(atPath: directory) }
    // Nothing in it says that it is a database: only what it is told.
    try write("store", [1, 2, 3])
    #expect(link(path("store"), path("hard")) == 0)
    #expect(symlink("store", path("symbolic")) == 0)
    #expect(symlink(directory, path("folder")) == 0)
    for name in ["store", "hard", "symbolic", "folder/store", "./store"] {
      #expect(refusal(name, databases: ["store"]) == .isDatabase, "\(name)")
      #expect(refusal(name) == nil, "\(name)")
    }
    #expect(refusal("store", databases: ["symbolic"]) == .isDatabase)
  }

  @Test func refusesWhatBelongsToTheDatabaseWhetherItIsThereOrNot() throws {
    defer { try? FileManager.default.removeItem(atPath: directory) }
    try write("store", [1])
    #expect(symlink("store", path("other")) == 0)
    #expect(symlink(directory, path("folder")) == 0)
    for suffix in ["-wal", "-shm", "-journal", ".lock"] {
      for name in ["store\(suffix)", "folder/store\(suffix)", "other\(suffix)"] {
        guard case .belongsToDatabase = refusal(name, databases: ["store"]) else {
          Issue.record("\(name) is not refused before it exists")
          continue
        }
      }
    }
    try write("store-wal", [1])
    #expect(link(path("store-wal"), path("log")) == 0)
    #expect(refusal("log", databases: ["store"]) == .belongsToDatabase(path("store")))
    #expect(refusal("log") == nil)
    #expect(symlink("store-shm", path("dangling")) == 0)
    #expect(refusal("dangling", databases: ["store"]) == .belongsToDatabase(path("store")))
  }

  @Test func refusesEveryFileThatBeginsLikeADatabaseOrItsLog() throws {
    defer { try? FileManager.default.removeItem(atPath: directory) }
    try write("backup", Self.database)
    try write("log", [0x37, 0x7F, 0x06, 0x82, 0, 0])
    try write("text", Array("SQLite format 2, a text".utf8))
    try write("short", Array("SQLite".utf8))
    try write("empty", [])
    #expect(refusal("backup") == .isDatabase)
    #expect(refusal("log") == .isDatabase)
    #expect(refusal("backup-wal") == .belongsToDatabase(path("backup")))
    #expect(refusal("backup.lock") == .belongsToDatabase(path("backup")))
    for name in ["text", "short", "empty", "none", "text-wal", "none.lock"] {
      #expect(refusal(name) == nil, "\(name)")
    }
    #expect(throws: OutputError(code: .isDatabase, name: path("backup"))) {
      try AtomicFile(path: path("backup"))
    }
    #expect(FileManager.default.contents(atPath: path("backup")).map { Array($0) } == Self.database)
  }

  /// Closing any descriptor of a file drops all the locks that this process has on it, SQLite's included.
  @Test func opensNothingOfADatabaseThatItIsToldOf() throws {
    defer { try? FileManager.default.removeItem(atPath: directory) }
    try write("store", Self.database)
    #expect(symlink("store", path("other")) == 0)
    let locked = open(path("store"), O_RDWR)
    let asking = open(path("store"), O_RDWR)
    defer {
      close(locked)
      close(asking)
    }
    var lock = flock()
    lock.l_type = Int16(F_WRLCK)
    #expect(fcntl(locked, F_SETLK, &lock) == 0)
    for name in ["store", "other", "store-wal", "other-wal"] {
      #expect(refusal(name, databases: ["store"]) != nil)
    }
    // F_OFD_GETLK sees the locks of processes, this one's too.
    var question = flock()
    question.l_type = Int16(F_WRLCK)
    #expect(fcntl(asking, 36, &question) == 0)
    #expect(Int32(question.l_type) == F_WRLCK, "the lock is gone")
    // It would be gone had the file been opened, as it is where nobody says that the database is in use.
    #expect(refusal("store") == .isDatabase)
    question = flock()
    question.l_type = Int16(F_WRLCK)
    #expect(fcntl(asking, 36, &question) == 0)
    #expect(Int32(question.l_type) == F_UNLCK)
  }

  @Test func aDatabaseThatAppearsMeanwhileStays() throws {
    defer { try? FileManager.default.removeItem(atPath: directory) }
    let file = try AtomicFile(path: path("late"))
    try file.write("report")
    try write("late", Self.database)
    #expect(throws: OutputError.self) { try file.commit() }
    #expect(FileManager.default.contents(atPath: path("late")).map { Array($0) } == Self.database)
  }

  @Test func aDanglingLinkKeepsPointingWhereItDoes() throws {
    defer { try? FileManager.default.removeItem(atPath: directory) }
    #expect(symlink("second", path("first")) == 0)
    #expect(symlink("\(directory)/target.csv", path("second")) == 0)
    let file = try AtomicFile(path: path("first"))
    try file.write("rows")
    try file.commit()
    #expect(try String(contentsOfFile: path("target.csv"), encoding: .utf8) == "rows")
    for (name, target) in [("first", "second"), ("second", "\(directory)/target.csv")] {
      #expect(try FileManager.default.destinationOfSymbolicLink(atPath: path(name)) == target)
    }
    #expect(symlink("circle", path("circle")) == 0)
    #expect(throws: OutputError.self) { try AtomicFile(path: path("circle")) }
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: path("circle")) == "circle")
  }

  /// What the dashboard writes (`x`, `e`) takes a name that nobody has.
  @Test func aNewFileLeavesWhatIsThere() throws {
    defer { try? FileManager.default.removeItem(atPath: directory) }
    try write("view.csv", Self.database)
    #expect(symlink("store-wal", path("view-2.csv")) == 0)
    let file = try NewFile(in: directory, stem: "view", extension: "csv")
    try file.write("rows")
    try file.finish()
    #expect(file.name == "view-3.csv")
    #expect(FileManager.default.contents(atPath: path("view.csv")).map { Array($0) } == Self.database)
    #expect(!FileManager.default.fileExists(atPath: path("store-wal")))
  }
}
