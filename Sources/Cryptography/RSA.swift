import COpenSSL

/// RSA signatures: RSASSA-PKCS1-v1_5 with SHA-256 (RFC 8017, section 8.2).
public enum RSA {
  /// Keys below this size are refused.
  public static let minimumBits = 2048

  /// A private key of at least ``minimumBits``.
  public struct PrivateKey: Sendable {
    private let handle: Handle
    private let bits: Int
    public let publicKey: PublicKey

    /// A new random key of ``minimumBits``.
    public init() {
      self = OpenSSL.required(try? Self(OpenSSL.key(copenssl_rsa_generate(Int32(minimumBits)))), "RSA")
    }

    /// - Parameter der: PKCS #8 (RFC 5208) or PKCS #1 (RFC 8017, appendix A.1.2).
    public init(der: [UInt8]) throws(CryptographyError) {
      try self.init(OpenSSL.key(copenssl_key_read(der, der.count)))
    }

    /// - Parameter pem: PKCS #8 or PKCS #1, without a passphrase.
    public init(pem: String) throws(CryptographyError) {
      try self.init(OpenSSL.key(pem: pem))
    }

    private init(_ handle: Handle?) throws(CryptographyError) {
      guard let handle else {
        throw CryptographyError(.malformed, "holds no private key that can be read")
      }
      bits = handle.withPointer { Int(copenssl_rsa_bits($0)) }
      guard bits >= RSA.minimumBits else {
        throw CryptographyError(.wrongKind, "is no RSA key of \(RSA.minimumBits) bits or more")
      }
      guard let half = OpenSSL.key(handle.withPointer { copenssl_key_public($0) }) else {
        throw CryptographyError(.malformed, "has no public half")
      }
      self.handle = handle
      publicKey = PublicKey(handle: half)
      // OpenSSL does not look whether the key's numbers fit when it reads them.
      guard let signature = try? signature(for: []), publicKey.isValidSignature(signature, for: []) else {
        throw CryptographyError(.malformed, "has numbers that do not fit")
      }
    }

    /// PKCS #8 in PEM (RFC 7468).
    public var pem: String {
      handle.withPointer { key in OpenSSL.pem { copenssl_key_write_pem(key, $0, $1) } }
    }

    /// The signature of a message; it is as long as the key.
    public func signature(for message: [UInt8]) throws(CryptographyError) -> [UInt8] {
      let size = (bits + 7) / 8
      let signature = handle.withPointer { key in
        OpenSSL.bytes(size) { copenssl_rsa_sign(key, message, message.count, $0, size) == size ? 0 : -1 }
      }
      guard let signature else { throw CryptographyError(.failed, "the key does not sign") }
      return signature
    }
  }

  /// Modulus and exponent.
  public struct PublicKey: Sendable {
    fileprivate let handle: Handle

    /// Whether the private half signed the message.
    public func isValidSignature(_ signature: [UInt8], for message: [UInt8]) -> Bool {
      handle.withPointer {
        copenssl_rsa_verify($0, message, message.count, signature, signature.count) != 0
      }
    }
  }
}

extension RSA.PrivateKey: CustomReflectable {
  /// Hides the key from `dump`.
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}
