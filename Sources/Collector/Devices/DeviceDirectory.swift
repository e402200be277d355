import Configuration
import Cryptography
import FoundationEssentials
import Glibc
import HTTPServer
import Measurement
import Providers
import Store

/// The directory with what authorizes to send to devices: one file a device, the VAPID key, the open invitations. All of it has mode
/// 0600 in a directory of mode 0700. Only a collector that records writes to it.
struct DeviceDirectory: Sendable {
  let path: String

  private static let fileEnd = ".json"

  /// - Parameter store: path of the store, beside which it is by default.
  init(_ configuration: DevicesConfiguration, store: String) {
    path = configuration.directory ?? "\(store).devices"
  }

  /// PEM of the key that push services know the sender by. A subscription belongs to it.
  var vapidKeyFile: String { "\(path)/vapid.pem" }
  /// The key of MACs where no receipt listener has one.
  private var secretFile: SecretFile { SecretFile(path: "\(path)/receipts.secret") }
  private var invitationFile: String { "\(path)/invitations" }
  private var collectorFile: String { "\(path)/collector" }
  private var deviceDirectory: String { "\(path)/devices" }

  func file(of name: String) -> String { "\(deviceDirectory)/\(name)\(Self.fileEnd)" }

  // MARK: Reading

  /// What the directory has of devices.
  struct Content: Sendable {
    /// The devices by name.
    var devices: [JoinedDevice] = []
    /// What is wrong with the files of other devices, which are left alone.
    var problems: [String] = []
  }

  /// The devices, with the key that their subscriptions belong to; none where there is no directory.
  /// - Throws: ``DeviceDirectoryError`` where the directory cannot be read, or there are devices and no key.
  func content() throws -> Content {
    let names: [String]
    do {
      names = try FileManager.default.contentsOfDirectory(atPath: deviceDirectory)
    } catch {
      guard FileManager.default.fileExists(atPath: deviceDirectory) else { return Content() }
      throw DeviceDirectoryError(
        path: deviceDirectory, message: "cannot be read",
        remedy: "run as the collector's user, or mend its mode")
    }
    var content = Content()
    for file in names.sorted() where file.hasSuffix(Self.fileEnd) {
      do {
        content.devices.append(try device(String(file.dropLast(Self.fileEnd.count))))
      } catch {
        content.problems.append("\(error)")
      }
    }
    if !content.devices.isEmpty { _ = try applicationServerKey() }
    return content
  }

  private func device(_ name: String) throws -> JoinedDevice {
    let damaged = DeviceDirectoryError(
      path: file(of: name), message: "is no device's file",
      remedy: "put back the file of a backup, or delete it: the device can be invited again")
    let bytes: [UInt8]
    do throws(FileReadError) {
      bytes = try SecretFile(path: file(of: name)).read()
    } catch {
      if error.code == .empty { throw damaged }
      throw error
    }
    guard let device = JoinedDevice(name: name, json: bytes) else { throw damaged }
    return device
  }

  /// The open invitations.
  /// - Throws: `FileReadError`, ``DeviceDirectoryError`` for a damaged file.
  func invitations() throws -> [DeviceInvitation] {
    guard let bytes = try content(of: invitationFile) else { return [] }
    guard let invitations = try? JSONDecoder().decode([DeviceInvitation].self, from: Data(bytes)) else {
      throw DeviceDirectoryError(
        path: invitationFile, message: "has no invitations that can be read",
        remedy: "delete it: open invitations are void then, and others can be made")
    }
    return invitations
  }

  /// - Returns: `nil` where there is no such file.
  private func content(of file: String) throws -> [UInt8]? {
    do throws(FileReadError) {
      return try SecretFile(path: file).read()
    } catch {
      if error.code == .missing { return nil }
      throw error
    }
  }

  /// The key of MACs where no receipt listener has one; `nil` before ``prepare(for:)``.
  func secret() throws -> [UInt8]? {
    try content(of: secretFile.path)
  }

  /// The public half of the VAPID key, base64url: what a page subscribes for.
  func applicationServerKey() throws -> String {
    guard let bytes = try content(of: vapidKeyFile),
      let key = try? P256.PrivateKey(pem: String(decoding: bytes, as: UTF8.self))
    else {
      throw DeviceDirectoryError(
        path: vapidKeyFile,
        message: "is missing or no P-256 key in PEM, and the subscriptions of the devices belong to it",
        remedy:
          "put back the file of a backup; without it delete \"\(deviceDirectory)\" too, and invite the devices again"
      )
    }
    return Base64URL.encode(key.publicKey.x963Representation)
  }

  // MARK: Writing

  /// Makes what is missing: directory, keys, and whose they are.
  /// - Throws: ``DeviceDirectoryError`` for the directory of another collector, `HTTPServerError`.
  func prepare(for collector: UUID) throws {
    try PrivateFile.makeDirectory(path)
    // One that others use must not be closed to them silently.
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & 0o077 == 0 else {
      throw DeviceDirectoryError(
        path: path, message: "can be read by others",
        remedy: "name a directory of its own, or run: chmod 700 \(EscapedText.make(path))")
    }
    let id = collector.uuidString.lowercased()
    if let owner = try content(of: collectorFile), owner != Array(id.utf8) {
      throw DeviceDirectoryError(
        path: path, message: "has the devices of another collector's store",
        remedy:
          "name another directory under devices.directory; two collectors cannot send to the same devices")
    }
    try PrivateFile.makeDirectory(deviceDirectory)
    _ = try content()
    try make(secretFile.path) { HexText.random(bytes: 32) }
    try make(vapidKeyFile) { P256.PrivateKey().pem }
    // Last, so that a directory that has it is complete.
    try make(collectorFile) { id }
  }

  private func make(_ file: String, _ content: () -> String) throws {
    guard !FileManager.default.fileExists(atPath: file) else { return }
    try write(content() + "\n", to: file)
  }

  private func write(_ text: String, to file: String) throws {
    do throws(HTTPServerError) {
      try PrivateFile.write(text, to: file, mode: 0o600, isSynced: true)
    } catch {
      throw DeviceDirectoryError(
        path: file, message: error.message,
        remedy: "see that the collector's user may write there, and that the disk has room")
    }
  }

  /// Writes the devices, by name, that are not as before, and deletes the files of those that are no more. Where that fails the files
  /// are as before, as far as they can be.
  func change(from former: [String: JoinedDevice], to next: [String: JoinedDevice]) throws {
    do {
      try write(from: former, to: next)
    } catch {
      try? write(from: next, to: former)
      throw error
    }
  }

  private func write(from former: [String: JoinedDevice], to next: [String: JoinedDevice]) throws {
    for device in next.values where former[device.name] != device {
      try write(device.json, to: file(of: device.name))
    }
    for name in former.keys where next[name] == nil { try remove(name) }
  }

  private func remove(_ name: String) throws {
    guard unlink(file(of: name)) == 0 || errno == ENOENT else {
      throw DeviceDirectoryError(
        path: file(of: name), message: "cannot be deleted: \(String(cString: strerror(errno)))",
        remedy: "mend the directory's owner or mode")
    }
  }

  func write(_ invitations: [DeviceInvitation]) throws {
    try PrivateFile.write(JSONText.make(invitations), to: invitationFile, mode: 0o600, isSynced: true)
  }
}

/// What is wrong with the device directory.
public struct DeviceDirectoryError: Error, Sendable, CustomStringConvertible {
  var path: String
  var message: String
  var remedy: String

  public var description: String { "\"\(path.visiblePath)\" \(message); \(remedy)" }
}
