import CCurl
import Glibc
import HTTPClient
import Measurement
import Providers

extension TransportTarget {
  /// Tries what every request will need: a URL that libcurl can read, headers that are one line each, a CA file that is
  /// there, limits that let something through.
  public func check(run: RunID) throws(TransportError) {
    guard !providers.isEmpty, variants.isEmpty || variants.count == providers.count else {
      throw TransportError(
        .unusableTarget, target: id,
        "\(variants.count) variants and \(providers.count) ways to send do not match")
    }
    for provider in providers { try check(provider, run: run) }
    if let caFile { try check(file: caFile, as: "CA file") }
    if let clientCertificate {
      try check(file: clientCertificate.certificateFile, as: "client certificate")
      try check(file: clientCertificate.keyFile, as: "client certificate's key")
    }
    guard timeout >= .milliseconds(1), limits.maxLag > .zero, limits.maxInFlight > 0, maximumStreams > 0
    else {
      throw TransportError(
        .unusableTarget, target: id, "a timeout, lag or limit of nothing lets nothing through")
    }
  }

  private func check(_ provider: any Provider, run: RunID) throws(TransportError) {
    let trial = provider.request(
      for: PushNotification(
        id: NotificationID(run: run, sample: SampleID(target: id, sequence: 1)), mac: nil,
        plannedAt: WallTime(microseconds: 0)))
    try checkURL(trial.url)
    if let header = trial.headers.first(where: { !$0.isSendable }) {
      throw TransportError(
        .unusableTarget, target: id, "the header \(header.name.debugDescription) cannot be sent")
    }
    if !HeaderField(trial.method, "").isSendable {
      throw TransportError(.unusableTarget, target: id, "\(trial.method.debugDescription) is no HTTP method")
    }
  }

  private func check(file: String, as what: String) throws(TransportError) {
    guard access(file, R_OK) == 0 else {
      throw TransportError(
        .unusableTarget, target: id, "the \(what) \(file) cannot be read: \(String(cString: strerror(errno)))"
      )
    }
  }

  /// The URL itself may be a secret and is not printed.
  private func checkURL(_ text: String) throws(TransportError) {
    let url = curl_url()
    defer { curl_url_cleanup(url) }
    let code = curl_url_set(url, CURLUPART_URL, text, 0)
    guard code == CURLUE_OK else {
      throw TransportError(
        .unusableTarget, target: id, "the URL cannot be used: \(String(cString: curl_url_strerror(code)))")
    }
    var scheme: UnsafeMutablePointer<CChar>?
    curl_url_get(url, CURLUPART_SCHEME, &scheme, 0)
    defer { curl_free(scheme) }
    guard let scheme, ["http", "https"].contains(String(cString: scheme)) else {
      throw TransportError(.unusableTarget, target: id, "the URL is neither https nor http")
    }
  }
}

/// Why sending cannot begin.
public struct TransportError: Error, Sendable, CustomStringConvertible {
  /// What is wrong with the target.
  public enum Code: Sendable, Hashable {
    /// The target's URL, a header, the timeout or the CA file cannot be used.
    case unusableTarget
    /// The system gave no descriptor, thread or libcurl handle.
    case system
  }

  public var code: Code
  public var target: TargetID?
  public var message: String

  public init(_ code: Code, target: TargetID? = nil, _ message: String) {
    self.code = code
    self.target = target
    self.message = message
  }

  public var description: String { message }
}
