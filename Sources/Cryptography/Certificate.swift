import COpenSSL

/// An X.509 certificate (RFC 5280).
public struct Certificate: Sendable {
  private let handle: Handle
  /// Start of its validity, in Unix seconds.
  public let begins: Int64
  /// End of its validity, in Unix seconds.
  public let ends: Int64

  /// - Parameter pem: PEM (RFC 7468); its first certificate counts.
  public init(pem: String) throws(CryptographyError) {
    let text = Array(pem.utf8)
    try self.init(
      Self.handle(copenssl_certificate_read_pem(text, Int32(clamping: text.count))))
  }

  private static func handle(_ pointer: OpaquePointer?) -> Handle? {
    Handle(pointer, free: copenssl_certificate_free)
  }

  private init(_ handle: Handle?) throws(CryptographyError) {
    var (begin, end): (Int64, Int64) = (0, 0)
    guard let handle, handle.withPointer({ copenssl_certificate_validity($0, &begin, &end) }) == 0 else {
      throw CryptographyError(.malformed, "holds no X.509 certificate that can be read")
    }
    self.handle = handle
    (begins, ends) = (begin, end)
  }

  /// PEM (RFC 7468), without a line break at its end.
  public var pem: String {
    handle.withPointer { certificate in
      OpenSSL.pem { copenssl_certificate_write_pem(certificate, $0, $1) }
    }
  }

  /// An attribute of a name (RFC 4519).
  public enum NameAttribute: String, Sendable {
    case commonName = "CN"
    case organizationalUnit = "OU"
    case userID = "UID"
  }

  /// The subject's first attribute of a kind.
  public func subject(_ attribute: NameAttribute) -> String? {
    handle.withPointer { certificate in
      OpenSSL.text(capacity: 4096) {
        copenssl_certificate_subject(certificate, attribute.rawValue, $0, $1)
      }
    }
  }

  /// - Parameter identifier: an object identifier in digits and dots.
  public func hasExtension(_ identifier: String) -> Bool {
    handle.withPointer { copenssl_certificate_has_extension($0, identifier) != 0 }
  }

  /// Whether a TLS client may use it: its extended key usage says so, or there is none (RFC 5280, section 4.2.1.12).
  public var isForClients: Bool { handle.withPointer { copenssl_certificate_is_for_clients($0) != 0 } }

  /// Whether its public key belongs to a private key, of whatever kind.
  /// - Parameter pem: the private key, without a passphrase.
  public func hasPrivateKey(pem: String) throws(CryptographyError) -> Bool {
    guard let key = OpenSSL.key(pem: pem) else {
      throw CryptographyError(.malformed, "holds no private key that can be read")
    }
    return handle.withPointer { certificate in
      key.withPointer { copenssl_certificate_has_key(certificate, $0) != 0 }
    }
  }

  /// Whether an issuer's key signed it.
  public func isSigned(by issuer: Certificate) -> Bool {
    handle.withPointer { certificate in
      issuer.handle.withPointer { copenssl_certificate_is_signed(certificate, $0) != 0 }
    }
  }
}

// MARK: Making one

extension Certificate {
  /// What a new certificate says.
  public struct Content: Sendable {
    /// What it is good for.
    public enum Purpose: Sendable {
      /// Signs certificates of hosts, no further authorities.
      case authority
      /// Identifies a server by DNS names and IP addresses.
      case server(names: [String], addresses: [String])
      case client
    }

    public var purpose: Purpose
    public var subject: [(NameAttribute, String)]
    /// Start and end of its validity in Unix seconds.
    public var validity: ClosedRange<Int64>

    public init(_ purpose: Purpose, subject: [(NameAttribute, String)], validity: ClosedRange<Int64>) {
      self.purpose = purpose
      self.subject = subject
      self.validity = validity
    }

    /// Names and values as x509v3_config(5) has them.
    fileprivate var extensions: [(name: String, value: String)] {
      switch purpose {
      case .authority:
        [
          ("basicConstraints", "critical,CA:TRUE,pathlen:0"), ("keyUsage", "critical,keyCertSign"),
          ("subjectKeyIdentifier", "hash"),
        ]
      case .server(let names, let addresses):
        Self.leaf + [
          ("extendedKeyUsage", "serverAuth"),
          (
            "subjectAltName",
            (names.map { "DNS:\($0)" } + addresses.map { "IP:\($0)" }).joined(separator: ",")
          ),
        ]
      case .client: Self.leaf + [("extendedKeyUsage", "clientAuth")]
      }
    }

    private static let leaf = [
      ("basicConstraints", "critical,CA:FALSE"), ("keyUsage", "critical,digitalSignature"),
      ("authorityKeyIdentifier", "keyid"),
    ]
  }

  /// A certificate that an authority signs, ECDSA with SHA-256.
  public init(
    _ content: Content, key: P256.PublicKey, issuer: Certificate, issuerKey: P256.PrivateKey
  ) throws(CryptographyError) {
    try self.init(Self.sign(content, key.handle, issuer.handle, issuerKey))
  }

  /// A certificate that its own key signs.
  public init(_ content: Content, selfSignedBy key: P256.PrivateKey) throws(CryptographyError) {
    try self.init(Self.sign(content, key.publicKey.handle, nil, key))
  }

  private static func sign(
    _ content: Content, _ key: Handle, _ issuer: Handle?, _ issuerKey: P256.PrivateKey
  ) throws(CryptographyError) -> Handle {
    let begun = key.withPointer {
      copenssl_certificate_begin($0, content.validity.lowerBound, content.validity.upperBound)
    }
    guard let certificate = handle(begun) else {
      throw CryptographyError(.failed, "OpenSSL makes no certificate of this validity")
    }
    for (attribute, text) in content.subject {
      let result = certificate.withPointer {
        copenssl_certificate_add_subject($0, attribute.rawValue, text)
      }
      guard result == 0 else {
        throw CryptographyError(.malformed, "the name's \(attribute.rawValue) is not valid")
      }
    }
    for (name, value) in content.extensions {
      let result = certificate.withPointer { pointer in
        (issuer ?? certificate).withPointer {
          copenssl_certificate_add_extension(pointer, $0, name, value)
        }
      }
      guard result == 0 else { throw CryptographyError(.malformed, "the extension \(name) is not valid") }
    }
    let result = certificate.withPointer { pointer in
      issuerKey.handle.withPointer { key in
        (issuer ?? certificate).withPointer { copenssl_certificate_sign(pointer, $0, key) }
      }
    }
    guard result == 0 else { throw CryptographyError(.failed, "the certificate cannot be signed") }
    return certificate
  }
}
