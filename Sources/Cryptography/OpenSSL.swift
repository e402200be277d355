import COpenSSL

/// Why a key, a signature or a certificate cannot be made or used. It contains nothing secret.
public struct CryptographyError: Error, Sendable, Hashable, CustomStringConvertible {
  /// What kind of failure it is.
  public enum Code: Sendable, Hashable {
    /// The bytes are not what they should be.
    case malformed
    /// A key of another kind, curve or size.
    case wrongKind
    /// The bytes were changed, or are of another key.
    case inauthentic
    /// OpenSSL does not do it.
    case failed
  }

  public let code: Code
  public let message: String

  init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }

  public var description: String { message }
}

/// Owns an object of OpenSSL's. Keys in it are overwritten when it is freed.
///
/// Sendable because nothing changes such an object once it is made, so that threads may share it (openssl-threads(7)).
final class Handle: @unchecked Sendable {
  private let pointer: OpaquePointer
  private let free: @convention(c) (OpaquePointer?) -> Void

  /// - Parameter pointer: what a call returned; it belongs to the handle from now on.
  init?(_ pointer: OpaquePointer?, free: @convention(c) (OpaquePointer?) -> Void) {
    guard let pointer else { return nil }
    self.pointer = pointer
    self.free = free
  }

  deinit { free(pointer) }

  func withPointer<Result>(_ body: (OpaquePointer) -> Result) -> Result {
    withExtendedLifetime(self) { body(pointer) }
  }
}

/// How the room's types call OpenSSL.
enum OpenSSL {
  /// Bytes that a call writes; `nil` when it returns anything but 0.
  static func bytes(_ count: Int, _ call: (UnsafeMutablePointer<UInt8>?) -> Int32) -> [UInt8]? {
    var failed = false
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      buffer.initialize(repeating: 0)
      failed = call(buffer.baseAddress) != 0
      filled = count
    }
    return failed ? nil : bytes
  }

  /// Text that a call writes; `nil` when it returns a negative length.
  static func text(capacity: Int, _ call: (UnsafeMutablePointer<CChar>?, Int32) -> Int32) -> String? {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: capacity) { buffer in
      defer { copenssl_cleanse(buffer.baseAddress, buffer.count) }
      let length = call(buffer.baseAddress, Int32(buffer.count))
      guard length >= 0 else { return nil }
      return String(decoding: UnsafeRawBufferPointer(buffer)[..<Int(length)], as: UTF8.self)
    }
  }

  /// PEM that a call writes, without the line break at its end.
  static func pem(_ call: (UnsafeMutablePointer<CChar>?, Int32) -> Int32) -> String {
    String(required(text(capacity: 64 * 1024, call), "PEM").dropLast())
  }

  /// The result of what needs only memory and random numbers, without which a Swift program ends as well. OpenSSL may also be
  /// configured not to have what is asked for; no TLS connection is possible then.
  static func required<Value>(_ value: Value?, _ name: String) -> Value {
    guard let value else {
      fatalError(
        "OpenSSL has no \(name): out of memory, or excluded by its configuration (openssl.cnf, OPENSSL_CONF)")
    }
    return value
  }

  /// The first private key in a text with PEM; `nil` for none, and for one that a passphrase protects.
  static func key(pem: String) -> Handle? {
    let text = Array(pem.utf8)
    return key(copenssl_key_read_pem(text, Int32(clamping: text.count)))
  }

  /// A key that a call returned.
  static func key(_ pointer: OpaquePointer?) -> Handle? { Handle(pointer, free: copenssl_key_free) }
}
