import COpenSSL

/// SHA-256 (FIPS 180-4).
public enum SHA256 {
  /// The hash of all parts, one behind the other: 32 bytes.
  public static func hash(_ parts: [UInt8]...) -> [UInt8] {
    let digest = OpenSSL.required(copenssl_sha256_begin(), "SHA-256")
    let isComplete = parts.allSatisfy { copenssl_sha256_add(digest, $0, $0.count) == 0 }
    let hash = OpenSSL.bytes(32) { copenssl_sha256_end(digest, $0) }
    return OpenSSL.required(isComplete ? hash : nil, "SHA-256")
  }
}

/// SHA-1 (FIPS 180-4), only for protocols that ask for it where nothing depends on its strength, such as RFC 6455.
public enum SHA1 {
  /// The hash: 20 bytes.
  public static func hash(_ bytes: [UInt8]) -> [UInt8] {
    OpenSSL.required(OpenSSL.bytes(20) { copenssl_sha1(bytes, bytes.count, $0) }, "SHA-1")
  }
}

/// HMAC-SHA-256 with one key (RFC 2104).
public struct HMAC: Sendable {
  /// A state with the key in it, which each code is computed in a copy of.
  private let handle: Handle

  public init(secret: [UInt8]) {
    handle = OpenSSL.required(
      Handle(copenssl_hmac_key(secret, secret.count), free: copenssl_hmac_free), "HMAC")
  }

  /// The authentication code of a message: 32 bytes.
  public func code(for message: [UInt8]) -> [UInt8] {
    let code = handle.withPointer { key in
      OpenSSL.bytes(32) { copenssl_hmac(key, message, message.count, $0) }
    }
    return OpenSSL.required(code, "HMAC")
  }

  /// Whether a code is the message's. The time that this takes does not depend on where they differ.
  public func isValid(_ code: [UInt8], for message: [UInt8]) -> Bool {
    let expected = self.code(for: message)
    return code.count == expected.count && copenssl_is_equal(code, expected, code.count) != 0
  }
}

/// HKDF with SHA-256 (RFC 5869).
public enum HKDF {
  /// Extracts from a secret and expands to a key.
  /// - Parameter count: at most 255 · 32 bytes.
  public static func key(
    from secret: SymmetricKey, salt: [UInt8], info: [UInt8], count: Int
  ) throws(CryptographyError) -> SymmetricKey {
    let key = secret.withBytes { secret in
      SymmetricKey(count: count) {
        copenssl_hkdf(
          secret.baseAddress, secret.count, salt, salt.count, info, info.count, $0.baseAddress, $0.count) == 0
      }
    }
    guard let key else { throw CryptographyError(.failed, "the key cannot be derived") }
    return key
  }
}

/// Secret bytes, which are overwritten when their last owner is gone.
public struct SymmetricKey: Sendable {
  /// Owns the memory.
  ///
  /// Sendable because it does not change once it is filled.
  private final class Storage: @unchecked Sendable {
    let buffer: UnsafeMutableBufferPointer<UInt8>

    init(count: Int) { buffer = .allocate(capacity: count) }

    deinit {
      copenssl_cleanse(buffer.baseAddress, buffer.count)
      buffer.deallocate()
    }
  }

  private let storage: Storage

  public init(_ bytes: [UInt8]) {
    storage = Storage(count: bytes.count)
    _ = storage.buffer.initialize(fromContentsOf: bytes)
  }

  /// `nil` if they cannot be filled in.
  init?(count: Int, _ fill: (UnsafeMutableBufferPointer<UInt8>) -> Bool) {
    storage = Storage(count: count)
    storage.buffer.initialize(repeating: 0)
    guard fill(storage.buffer) else { return nil }
  }

  public var count: Int { storage.buffer.count }

  /// A copy, which nobody overwrites.
  public var bytes: [UInt8] { withBytes { Array($0) } }

  func withBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
    withExtendedLifetime(storage) { body(UnsafeBufferPointer(storage.buffer)) }
  }
}

extension SymmetricKey: CustomStringConvertible, CustomReflectable {
  public var description: String { "key of \(count) bytes" }

  /// Hides the bytes from `dump`.
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}
