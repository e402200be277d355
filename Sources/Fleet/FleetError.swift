import Measurement

/// What went wrong with a fleet's engine. Its description says what, where and what to do.
public struct FleetError: Error, Sendable, Equatable, CustomStringConvertible {
  /// What went wrong.
  public enum Code: Sendable, Hashable {
    /// No answer: not running, no way there, an invalid certificate.
    case unreachable
    /// It has too much to do, or too little room, at the moment.
    case busy
    /// User or password are wrong, or the user lacks a right.
    case denied
    /// A password's file cannot be read, or is none; the detail says all.
    case unusablePassword
    /// The tables are missing: `fleet setup` was not run.
    case noSchema
    /// The tables are a newer pushscope's.
    case newerSchema
    /// The tables are an older pushscope's: `fleet setup` migrates them.
    case olderSchema
    /// The engine is older than what is supported.
    case oldEngine
    /// It has no such run, or several.
    case noSuchRun
    /// It does not understand, or answers what is not understood.
    case refused
    /// An answer is larger than is read at once.
    case tooLarge
    case cancelled
  }

  public var code: Code
  /// The engine's address.
  public var place: String
  public var detail: String

  public init(_ code: Code, place: String, detail: String) {
    self.code = code
    self.place = place
    self.detail = detail
  }

  private var remedy: String {
    switch code {
    case .unreachable: "check fleet.url, the network and the engine; what is not forwarded stays in the store"
    case .busy: "it is tried again; look at the engine's load and disk if it lasts"
    case .denied: "check user, password_file and the grants (pushscope fleet schema prints them)"
    case .unusablePassword: ""
    case .noSchema: "run pushscope fleet setup"
    case .newerSchema: "install the newer pushscope here"
    case .olderSchema: "run pushscope fleet setup with this pushscope"
    case .oldEngine: "install ClickHouse 23.10 or newer"
    case .noSuchRun: "see pushscope runs --fleet"
    case .tooLarge: "ask for a shorter time or fewer targets"
    case .refused: "look at the engine's log"
    case .cancelled: "try again"
    }
  }

  public var description: String {
    code == .unusablePassword ? detail : "\(place): \(detail); \(remedy)"
  }
}

extension FleetError {
  /// An exception of the engine.
  /// - Parameters:
  ///   - exception: the header X-ClickHouse-Exception-Code
  ///     (https://github.com/ClickHouse/ClickHouse/blob/master/src/Common/ErrorCodes.cpp).
  ///   - body: of the answer; hostile.
  init(status: Int, exception: Int?, body: [UInt8], place: String) {
    let line = body.prefix(600).prefix { $0 != UInt8(ascii: "\n") }
    let text = EscapedText.make(String(decoding: line, as: UTF8.self))
    // Old versions say it in the body alone.
    let exception = exception ?? text.firstMatch(of: /^Code: ([0-9]{1,6}),/).flatMap { Int($0.1) }
    let code: Code =
      switch (status, exception) {
      // TOO_MANY_PARTS, MEMORY_LIMIT_EXCEEDED, TOO_MANY_SIMULTANEOUS_QUERIES, NOT_ENOUGH_SPACE,
      // CANNOT_WRITE_TO_FILE_DESCRIPTOR (a disk that fills up meanwhile), TIMEOUT_EXCEEDED, SOCKET_TIMEOUT, NETWORK_ERROR, TABLE_IS_READ_ONLY, KEEPER_EXCEPTION, ALL_CONNECTION_TRIES_FAILED, quorum.
      case (_, 252), (_, 241), (_, 202), (_, 243), (_, 75), (_, 159), (_, 209), (_, 210), (_, 242), (_, 999),
        (_, 279),
        (_, 285), (_, 286), (_, 289), (_, 319), (429, _), (503, _), (502, _), (504, _):
        .busy
      // AUTHENTICATION_FAILED, ACCESS_DENIED, UNKNOWN_USER, WRONG_PASSWORD, REQUIRED_PASSWORD, READONLY.
      case (_, 516), (_, 497), (_, 192), (_, 193), (_, 194), (_, 164), (401, _), (403, _): .denied
      // UNKNOWN_TABLE, UNKNOWN_DATABASE.
      case (_, 60), (_, 81): .noSchema
      default: .refused
      }
    let detail = text.isEmpty ? "HTTP \(status)" : "HTTP \(status): \(text)"
    self.init(code, place: place, detail: detail)
  }
}
