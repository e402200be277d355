import Configuration
import Measurement

/// What went wrong with a fleet's engine. Its description says what, where and what to do.
public struct FleetError: Error, Sendable, Equatable, CustomStringConvertible {
  /// What went wrong.
  public enum Code: Sendable, Hashable {
    /// No answer: not running, no way there, a certificate that is not trusted.
    case unreachable
    /// `fleet.ca_file` has no certificates.
    case unusableAuthority
    /// It has too much to do, or too little room, at the moment.
    case busy
    /// User or password are wrong, the user lacks a right, or the configuration names none for this.
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
  /// What is wrong.
  public var detail: String
  /// What the user can do; empty where the detail says it.
  public var remedy: String

  /// - Parameter remedy: `nil` for what helps against most errors of this code.
  public init(_ code: Code, place: String, detail: String, remedy: String? = nil) {
    self.code = code
    self.place = place
    self.detail = detail
    self.remedy = remedy ?? code.remedy
  }

  public var description: String {
    code == .unusablePassword ? detail : "\(place): \(detail); \(remedy)"
  }
}

extension FleetError.Code {
  fileprivate var remedy: String {
    switch self {
    case .unreachable: "check fleet.url, the network and the engine"
    case .unusableAuthority: "name a PEM file of the authorities to trust with fleet.ca_file"
    case .busy: "try again; look at the engine's load and disk if it lasts"
    case .denied: "check user, password_file and the grants (pushscope fleet schema prints them)"
    case .unusablePassword: ""
    case .noSchema: "run pushscope fleet setup"
    case .newerSchema: "install the newer pushscope here"
    case .olderSchema: "run pushscope fleet setup with this pushscope"
    case .oldEngine: "install ClickHouse 23.10 or newer"
    case .noSuchRun: "see pushscope runs list --fleet --since -30d"
    case .tooLarge: "ask for a shorter time or fewer targets"
    case .refused: "look at the engine's log, and check that fleet.url is a ClickHouse"
    case .cancelled: "try again"
    }
  }
}

extension FleetError {
  /// A user that the configuration does not name.
  /// - Parameters:
  ///   - key: `writer` or `reader`.
  ///   - purpose: what the user is for, like `to forward`.
  static func missing(_ key: String, _ purpose: String, in fleet: FleetConfiguration) -> FleetError {
    FleetError(
      .denied, place: fleet.urls.first?.origin ?? "",
      detail: "fleet.\(key) is not configured, and is needed \(purpose)",
      remedy: "add fleet.\(key) with user and password_file (docs/fleet.md)")
  }

  /// An answer that ClickHouse does not give to what was asked.
  static func unexpectedAnswer(_ detail: String, place: String) -> FleetError {
    FleetError(
      .refused, place: place, detail: detail,
      remedy: "check that fleet.url is the HTTP interface of a ClickHouse, usually port 8443 or 8123")
  }

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
