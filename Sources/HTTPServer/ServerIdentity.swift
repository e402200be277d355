import Glibc
import Measurement
import NIOCore
import NIOSSL

/// Certificate chain and private key of a server, read and checked.
public struct ServerIdentity: Sendable {
  let chain: [NIOSSLCertificate]
  let key: NIOSSLPrivateKey

  /// Reads PEM files. The chain starts with the server's certificate.
  ///
  /// - Throws: ``HTTPServerError`` naming the file at fault.
  public init(certificateFile: String, keyFile: String) throws {
    do {
      chain = try NIOSSLCertificate.fromPEMBytes(try Self.pem(in: certificateFile))
    } catch {
      throw HTTPServerError(
        .identity, place: certificateFile, message: "does not contain a readable PEM certificate (\(error))",
        remedy: "name a readable file with the certificate chain in PEM")
    }
    guard !chain.isEmpty else {
      throw HTTPServerError(
        .identity, place: certificateFile, message: "contains no certificate",
        remedy: "name a file with the certificate chain in PEM")
    }
    do {
      key = try NIOSSLPrivateKey(bytes: try Self.pem(in: keyFile), format: .pem)
    } catch {
      throw HTTPServerError(
        .identity, place: keyFile, message: "does not contain a readable PEM private key (\(error))",
        remedy: "name a readable, unencrypted private key in PEM")
    }
    do {
      _ = try context(protocols: [])
    } catch {
      throw HTTPServerError(
        .identity, place: keyFile, message: "does not match the certificate in \(certificateFile) (\(error))",
        remedy: "use the private key that the certificate was issued for")
    }
  }

  /// The certificate's first DNS name (subjectAltName) that is no wildcard.
  public var dnsName: String? {
    guard let names = chain.first?._subjectAlternativeNames() else { return nil }
    return names.lazy.filter { $0.nameType == .dnsName }
      .map { name in name.contents.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) } }
      .first { !$0.hasPrefix("*") && !$0.isEmpty }
  }

  private static let maximumBytes = 1024 * 1024

  /// The content of a PEM file, also of one that an editor gave a byte order mark, or a variable other line breaks.
  private static func pem(in path: String) throws -> [UInt8] {
    // Non-blocking, so that a FIFO is refused without a wait.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw Unreadable(errno) }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 16 * 1024)
    while bytes.count <= maximumBytes {
      let count = chunk.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw Unreadable(errno) }
      if count == 0 { break }
      bytes += chunk[..<count]
    }
    guard bytes.count <= maximumBytes else { throw Unreadable(EFBIG) }
    return String(validating: bytes, as: UTF8.self).map { Array(KeyText.pem($0).utf8) } ?? bytes
  }

  /// A system call failed.
  private struct Unreadable: Error, CustomStringConvertible {
    let number: Int32

    init(_ number: Int32) { self.number = number }

    var description: String { String(cString: strerror(number)) }
  }

  /// TLS 1.2 or later, as push services require.
  ///
  /// - Parameter clientAuthorityFile: authority of optional client certificates.
  func context(
    protocols: [HTTPServerConfiguration.ApplicationProtocol], clientAuthorityFile: String? = nil
  ) throws -> NIOSSLContext {
    var configuration = TLSConfiguration.makeServerConfiguration(
      certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(key))
    configuration.minimumTLSVersion = .tlsv12
    configuration.applicationProtocols = protocols.map(\.rawValue)
    if let clientAuthorityFile {
      configuration.trustRoots = .file(clientAuthorityFile)
      configuration.certificateVerification = .optionalVerification
    }
    configuration.shutdownTimeout = .milliseconds(500)
    return try NIOSSLContext(configuration: configuration)
  }
}

/// Atomically writes files with a given mode.
public enum PrivateFile {
  /// Creates missing directories of the path with mode 0700.
  public static func makeDirectory(_ path: String) throws(HTTPServerError) {
    var made = path.hasPrefix("/") ? "/" : ""
    for part in path.split(separator: "/") {
      made += part
      if mkdir(made, 0o700) != 0, errno != EEXIST { throw failure(made, "cannot be created") }
      made += "/"
    }
  }

  /// - Parameters:
  ///   - mode: 0600 for secrets.
  ///   - isSynced: whether the file survives a loss of power from the return on.
  ///
  /// Writes a temporary file and renames it, so that readers never see a partial file or another mode.
  public static func write(_ text: String, to path: String, mode: mode_t, isSynced: Bool = false)
    throws(HTTPServerError)
  {
    let partial = path + ".new"
    unlink(partial)
    let file = open(partial, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
    guard file >= 0 else { throw failure(partial, "cannot be written") }
    // The umask may have removed bits of `mode`.
    fchmod(file, mode)
    let bytes = Array(text.utf8)
    var done = 0
    while done < bytes.count {
      let written = bytes[done...].withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
      if written < 0, errno == EINTR { continue }
      guard written > 0 else {
        let problem = failure(partial, "cannot be written")
        close(file)
        unlink(partial)
        throw problem
      }
      done += written
    }
    let isDurable = !isSynced || fsync(file) == 0
    guard close(file) == 0, isDurable, rename(partial, path) == 0 else {
      let problem = failure(path, "cannot be written")
      unlink(partial)
      throw problem
    }
    if isSynced { syncDirectory(of: path) }
  }

  /// Has the new name survive a loss of power, where the file system can do that.
  private static func syncDirectory(of path: String) {
    let parent = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
    let directory = open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard directory >= 0 else { return }
    fsync(directory)
    close(directory)
  }

  private static func failure(_ path: String, _ what: String) -> HTTPServerError {
    HTTPServerError(
      .write, place: path, message: "\(what) (\(String(cString: strerror(errno))))",
      remedy: "choose a writable directory (--credentials)")
  }
}
