import HTTPServer

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

/// How much nonsense one source may send before it is told to wait (429).
///
/// Good receipts cost nothing: a busy device may post as fast as it can. A wrong MAC, an unknown id and a malformed
/// request cost ``badCost`` each, a duplicate 1, since somebody who has seen one good receipt can repeat it at will.
public struct SourceLimit: Sendable {
  public var budget = 5000
  public var regainedPerSecond = 1000
  public var badCost = 10
  /// Sources that are told apart; IPv6 ones by their /64.
  public var maximumSources = 10_000

  public init() {}
}
