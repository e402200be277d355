import GRDB
import Measurement

/// A device that joined by an invitation: a row of the table `device`. It has no secret: what authorizes to send to the device is in
/// the collector's device directory.
public struct DeviceRecord: Sendable, Hashable {
  /// Unique; also its target's.
  public var name: String
  /// The browser and the system, as the page says; a stranger's text of at most ``longestPlatform`` bytes.
  public var platform: String
  /// Host of its push service.
  public var service: String
  public var joinedAt: WallTime
  public var leftAt: WallTime?
  public var state: DeviceState

  /// Bytes of UTF-8.
  public static let longestPlatform = 64

  public init(
    name: String, platform: String, service: String, joinedAt: WallTime, leftAt: WallTime? = nil,
    state: DeviceState
  ) {
    self.name = name
    self.platform = platform
    self.service = service
    self.joinedAt = joinedAt
    self.leftAt = leftAt
    self.state = state
  }

  /// The table of the schema's version 16.
  static let table = """
    CREATE TABLE device (
      name TEXT PRIMARY KEY,
      platform TEXT NOT NULL,
      service TEXT NOT NULL,
      joined_at INTEGER NOT NULL,
      left_at INTEGER,
      state TEXT NOT NULL
    ) STRICT;
    """

  fileprivate static let columns: [RecordColumn<DeviceRecord>] = [
    .init("name", \.name), .init("platform", \.platform), .init("service", \.service),
    .init("joined_at", \.joinedAt), .init("left_at", \.leftAt), .init("state", \.state, otherwise: .left),
  ]

  fileprivate static let blank = DeviceRecord(
    name: "", platform: "", service: "", joinedAt: WallTime(microseconds: 0), state: .left)
}

extension CollectorStore {
  private static let upsertDevice = """
    INSERT INTO device \(DeviceRecord.columns.insertList())
    ON CONFLICT (name) DO UPDATE SET \(DeviceRecord.columns.dropFirst().map(\.name).upsertAssignments)
    """

  /// Records which devices there are. Those that are not among them any more have left.
  /// - Throws: ``StoreError``.
  public func set(devices: [DeviceRecord], at now: WallTime) throws {
    try transaction { db, _ in
      for device in devices {
        try db.cachedStatement(sql: Self.upsertDevice).execute(
          arguments: DeviceRecord.columns.arguments(of: device))
      }
      let known = try String.fetchAll(db, sql: "SELECT name FROM device WHERE left_at IS NULL")
      for name in Set(known).subtracting(devices.map(\.name)) {
        try db.cachedStatement(sql: "UPDATE device SET left_at = ?, state = ? WHERE name = ?").execute(
          arguments: [now.microseconds, DeviceState.left.rawValue, name])
      }
    }
  }
}

extension StoreReader {
  /// The devices, by name; also those that have left. Rows that cannot be read are left out.
  /// - Throws: ``StoreError``.
  public func devices() throws -> [DeviceRecord] {
    try read { try $0.records(DeviceRecord.columns, into: .blank, from: "device x ORDER BY name") }
  }
}
