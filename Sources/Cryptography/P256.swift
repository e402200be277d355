import COpenSSL

/// The curve P-256 (FIPS 186-4; secp256r1 or prime256v1 elsewhere): ECDSA with SHA-256, and ECDH.
public enum P256 {
  /// A private key with its public half.
  public struct PrivateKey: Sendable {
    let handle: Handle
    public let publicKey: PublicKey

    /// A new random key.
    public init() {
      handle = OpenSSL.required(OpenSSL.key(copenssl_p256_generate()), "P-256")
      publicKey = OpenSSL.required(PublicKey(of: handle), "P-256")
    }

    /// - Parameter rawRepresentation: the scalar, 32 bytes, from 1 to the curve's order less 1.
    public init(rawRepresentation: [UInt8]) throws(CryptographyError) {
      guard rawRepresentation.count == 32, let handle = OpenSSL.key(copenssl_p256_private(rawRepresentation)),
        let publicKey = PublicKey(of: handle)
      else { throw CryptographyError(.malformed, "is no scalar of P-256") }
      self.handle = handle
      self.publicKey = publicKey
    }

    /// - Parameter der: PKCS #8 (RFC 5208) or SEC 1 (RFC 5915). The public half in it is not used.
    public init(der: [UInt8]) throws(CryptographyError) {
      try self.init(OpenSSL.key(copenssl_key_read(der, der.count)))
    }

    /// - Parameter pem: PKCS #8 or SEC 1, without a passphrase.
    public init(pem: String) throws(CryptographyError) {
      try self.init(OpenSSL.key(pem: pem))
    }

    private init(_ key: Handle?) throws(CryptographyError) {
      guard let key else {
        throw CryptographyError(.malformed, "holds no private key that can be read")
      }
      let scalar = key.withPointer { key in
        SymmetricKey(count: 32) { copenssl_p256_scalar(key, $0.baseAddress) == 0 }
      }
      guard let scalar else { throw CryptographyError(.wrongKind, "is no key on the curve P-256") }
      try self.init(rawRepresentation: scalar.bytes)
    }

    /// The scalar: 32 bytes.
    public var rawRepresentation: [UInt8] {
      let scalar = handle.withPointer { key in OpenSSL.bytes(32) { copenssl_p256_scalar(key, $0) } }
      return OpenSSL.required(scalar, "P-256")
    }

    /// PKCS #8 in PEM (RFC 7468).
    public var pem: String {
      handle.withPointer { key in OpenSSL.pem { copenssl_key_write_pem(key, $0, $1) } }
    }

    /// ECDSA with SHA-256: R and S, 32 bytes each (RFC 7518, section 3.4).
    public func signature(for message: [UInt8]) throws(CryptographyError) -> [UInt8] {
      let signature = handle.withPointer { key in
        OpenSSL.bytes(64) { copenssl_p256_sign(key, message, message.count, $0) }
      }
      guard let signature else { throw CryptographyError(.failed, "the key does not sign") }
      return signature
    }

    /// ECDH: the shared point's x coordinate, 32 bytes.
    public func sharedSecret(with peer: PublicKey) throws(CryptographyError) -> SymmetricKey {
      let secret = handle.withPointer { key in
        peer.handle.withPointer { peer in
          SymmetricKey(count: 32) { copenssl_p256_agree(key, peer, $0.baseAddress) == 0 }
        }
      }
      guard let secret else { throw CryptographyError(.failed, "the keys do not agree") }
      return secret
    }
  }

  /// A point on the curve.
  public struct PublicKey: Sendable, Hashable {
    let handle: Handle
    /// The point, uncompressed: 65 bytes (ANSI X9.63).
    public let x963Representation: [UInt8]

    /// - Parameter x963Representation: an uncompressed point on the curve: 65 bytes.
    public init(x963Representation: [UInt8]) throws(CryptographyError) {
      guard x963Representation.count == 65, let handle = OpenSSL.key(copenssl_p256_public(x963Representation))
      else { throw CryptographyError(.malformed, "is no uncompressed point on the curve P-256") }
      self.handle = handle
      self.x963Representation = x963Representation
    }

    fileprivate init?(of key: Handle) {
      let point = key.withPointer { key in OpenSSL.bytes(65) { copenssl_p256_point(key, $0) } }
      guard let point, let key = try? PublicKey(x963Representation: point) else { return nil }
      self = key
    }

    /// - Parameter signature: R and S; one of any other length is invalid.
    public func isValidSignature(_ signature: [UInt8], for message: [UInt8]) -> Bool {
      guard signature.count == 64 else { return false }
      return handle.withPointer { copenssl_p256_verify($0, message, message.count, signature) != 0 }
    }

    public static func == (one: PublicKey, other: PublicKey) -> Bool {
      one.x963Representation == other.x963Representation
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(x963Representation) }
  }
}

extension P256.PrivateKey: CustomReflectable {
  /// Hides the key from `dump`.
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}
