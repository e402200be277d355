import HTTPServer
import Measurement

/// Where the listener listens, and what it stands.
public struct ReceiptListenerOptions: Sendable {
  public var host: String
  /// 0: any free port.
  public var port: Int
  /// PEM, the listener's own certificate first.
  public var certificateFile: String
  /// PEM.
  public var keyFile: String
  public var limits: HTTPServerLimits
  public var sourceLimit: SourceLimit
  /// Batches that wait for the sink's reply; further ones are answered 503.
  public var maximumPending: Int
  /// `/v1/clock` shows times after this one only: what earlier listeners showed is then never taken for this one's, not
  /// even when the wall clock was set back.
  public var showsTimesAfter: WallTime?

  public init(host: String, port: Int, certificateFile: String, keyFile: String) {
    self.host = host
    self.port = port
    self.certificateFile = certificateFile
    self.keyFile = keyFile
    limits = HTTPServerLimits()
    limits.bodyBytes = 64 * 1024
    sourceLimit = SourceLimit()
    maximumPending = 1000
  }
}
