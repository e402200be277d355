import CZlib
import Configuration
import FoundationEssentials
import HTTPClient
import Measurement

/// Speaks the engine's HTTP interface (https://clickhouse.com/docs/en/interfaces/http). Confined to one thread.
///
/// Of several servers the one that answered last is asked first.
final class EngineClient {
  private let request: EasyHandle
  private let urls: [String]
  private let places: [String]
  private let caFile: String?
  private let user: FleetConfiguration.User
  private var current = 0

  /// An answer may take as long as a query does.
  private static let timeout = Duration.seconds(120)
  /// Rows are read in parts, which are smaller where one is too large.
  private static let answerLimit = 48 << 20
  /// Bodies that are smaller are sent as they are.
  private static let compressionThreshold = 512

  /// - Parameter isCancelled: asked about once a second during a request, on the same thread.
  /// - Throws: ``FleetError``
  init(
    _ fleet: FleetConfiguration, as user: FleetConfiguration.User,
    isCancelled: @escaping () -> Bool = { false }
  ) throws(FleetError) {
    places = fleet.urls.map(\.origin)
    guard let request = EasyHandle() else {
      throw FleetError(.unreachable, place: places.first ?? "", detail: "libcurl could not create a handle")
    }
    request.isCancelled = isCancelled
    self.request = request
    self.user = user
    urls = fleet.urls.map { $0.target.isEmpty ? $0.url + "/" : $0.url }
    caFile = fleet.caFile
  }

  /// The server that is asked at present.
  var place: String { places[current] }

  /// Asks for rows; the values of each as text, with the engine's escapes undone.
  func rows(_ query: String) throws(FleetError) -> [[String]] {
    let answer = try post(Array(query.utf8), query: nil, settings: [("default_format", "TSV")])
    return TabSeparated.rows(answer)
  }

  /// Asks for rows in the format RowBinary.
  /// - Throws: ``FleetError`` with the code `tooLarge` where the answer is larger than it may be: ask for less.
  func binary(_ query: String) throws(FleetError) -> RowBinaryReader {
    // Of the index of planned times: a notification's never changes, so that no replaced row is mistaken.
    let query = query + "\nSETTINGS use_skip_indexes_if_final = 1"
    return RowBinaryReader(
      try post(Array(query.utf8), query: nil, settings: [("default_format", "RowBinary")]), place: place)
  }

  /// Asks for rows in the format RowBinary.
  /// - Parameter read: reads a row.
  /// - Throws: ``FleetError``, like ``binary(_:)``.
  func forEachRow(
    _ query: String, _ read: (inout RowBinaryReader) throws(FleetError) -> Void
  ) throws(FleetError) {
    var reader = try binary(query)
    while !reader.isAtEnd { try read(&reader) }
  }

  /// Asks for rows in the format RowBinary and decodes them.
  /// - Parameter decode: reads a row; `nil` leaves it out.
  /// - Throws: ``FleetError``, like ``binary(_:)``.
  func rows<Row>(
    _ query: String, _ decode: (inout RowBinaryReader) throws(FleetError) -> Row?
  ) throws(FleetError) -> [Row] {
    var rows: [Row] = []
    try forEachRow(query) { reader throws(FleetError) in
      if let row = try decode(&reader) { rows.append(row) }
    }
    return rows
  }

  /// Runs a statement without an answer.
  func run(_ statement: String) throws(FleetError) {
    _ = try post(Array(statement.utf8), query: nil, settings: [])
  }

  /// Inserts rows; they are in the engine when this returns.
  /// - Parameters:
  ///   - statement: ends with `FORMAT` and the rows' format.
  ///   - token: made from the rows: one that came before lets the engine skip them; `nil` where it knows none.
  func insert(
    _ rows: [UInt8], _ statement: String, token: String?
  ) throws(FleetError) {
    var settings = [
      // A table over all shards passes rows on before it answers, not later.
      ("insert_distributed_sync", "1"), ("wait_end_of_query", "1"),
    ]
    if let token {
      // Engines that know tokens may collect small inserts, and answer before they are there.
      settings += [("async_insert", "0"), ("insert_deduplication_token", token)]
    }
    let answer = try post(rows, query: statement, settings: settings)
    // The engine says nothing of an insert: what says something is another program, like a proxy.
    guard answer.isEmpty else {
      throw FleetError(
        .refused, place: place,
        detail: "what answers an insert with text is no ClickHouse: "
          + EscapedText.make(String(decoding: answer.prefix(80), as: UTF8.self)))
    }
  }

  /// Tries each server once.
  private func post(
    _ body: [UInt8], query: String?, settings: [(String, String)]
  ) throws(FleetError) -> [UInt8] {
    var headers = [
      HeaderField("content-type", "application/octet-stream"), HeaderField("x-clickhouse-user", user.name),
    ]
    if let key = try password(), !key.isEmpty { headers.append(HeaderField("x-clickhouse-key", key)) }
    var bytes = body
    if body.count >= Self.compressionThreshold, let compressed = Self.gzip(body) {
      bytes = compressed
      headers.append(HeaderField("content-encoding", "gzip"))
    }
    let parameters = (query.map { [("query", $0)] } ?? []) + settings
    let suffix = parameters.map { "\($0.0)=\(Self.percentEncoded($0.1))" }.joined(separator: "&")
    var failure = FleetError(.unreachable, place: place, detail: "there is no server")
    for _ in urls.indices {
      let url = urls[current] + (suffix.isEmpty ? "" : "?\(suffix)")
      request.prepare(
        "POST", url, headers: headers, body: bytes, caFile: caFile, bodyLimit: Self.answerLimit)
      do throws(CurlFailure) {
        try request.perform(timeout: Self.timeout)
        let exception = exception
        if request.status == 200, exception == nil { return request.answer.body }
        failure = FleetError(
          status: request.status, exception: exception, body: request.answer.body, place: place)
      } catch {
        if request.isCancelled() { throw FleetError(.cancelled, place: place, detail: "cancelled") }
        failure = unanswered(error)
      }
      guard [.busy, .unreachable].contains(failure.code) else { throw failure }
      current = (current + 1) % urls.count
    }
    throw failure
  }

  /// Why there is no answer.
  private func unanswered(_ error: CurlFailure) -> FleetError {
    let detail = EscapedText.make(error.message)
    if request.answer.isTooLarge { return FleetError(.tooLarge, place: place, detail: detail) }
    let authority = caFile.map { "fleet.ca_file \"\(EscapedText.make($0))\"" }
    if error.isUnusableAuthority, let authority {
      return FleetError(.unusableAuthority, place: place, detail: "\(authority) cannot be used: \(detail)")
    }
    guard error.isUntrusted else { return FleetError(.unreachable, place: place, detail: detail) }
    let file =
      authority.map { "check that \($0) has the authority of the engine's certificate" }
      ?? "name a file with the authority of the engine's certificate as fleet.ca_file"
    return FleetError(
      .unreachable, place: place, detail: detail, remedy: "\(file), and check the host in fleet.url")
  }

  /// The engine's code of what went wrong; `nil` for none.
  private var exception: Int? {
    request.headers["x-clickhouse-exception-code"].flatMap { Int($0.filter(\.isNumber)) }
  }

  /// Read anew each time: the file may have been replaced.
  private func password() throws(FleetError) -> String? {
    do throws(FleetPasswordError) {
      return try user.password()
    } catch {
      throw FleetError(.unusablePassword, place: place, detail: "\(error)")
    }
  }

  private static func gzip(_ bytes: [UInt8]) -> [UInt8]? {
    let capacity = czlib_bound(bytes.count)
    var size = 0
    let compressed = [UInt8](unsafeUninitializedCapacity: capacity) { into, count in
      size = bytes.withUnsafeBufferPointer {
        czlib_gzip($0.baseAddress, $0.count, into.baseAddress, capacity, 1)
      }
      count = size
    }
    return size > 0 ? compressed : nil
  }

  private static func percentEncoded(_ text: String) -> String {
    let digits = Array("0123456789ABCDEF")
    var encoded = ""
    for byte in text.utf8 {
      if ASCII.isName(byte) {
        encoded.unicodeScalars.append(Unicode.Scalar(byte))
      } else {
        encoded += "%\(digits[Int(byte >> 4)])\(digits[Int(byte & 15)])"
      }
    }
    return encoded
  }
}

/// Reads the engine's format TabSeparated (https://clickhouse.com/docs/en/interfaces/formats#tabseparated).
enum TabSeparated {
  static func rows(_ bytes: [UInt8]) -> [[String]] {
    bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: true).map { line in
      line.split(separator: UInt8(ascii: "\t"), omittingEmptySubsequences: false).map { value(Array($0)) }
    }
  }

  private static func value(_ bytes: [UInt8]) -> String {
    var text: [UInt8] = []
    var isEscaped = false
    for byte in bytes {
      guard isEscaped else {
        if byte == UInt8(ascii: "\\") { isEscaped = true } else { text.append(byte) }
        continue
      }
      isEscaped = false
      switch byte {
      case UInt8(ascii: "t"): text.append(9)
      case UInt8(ascii: "n"): text.append(10)
      case UInt8(ascii: "r"): text.append(13)
      case UInt8(ascii: "0"): text.append(0)
      case UInt8(ascii: "b"): text.append(8)
      case UInt8(ascii: "f"): text.append(12)
      default: text.append(byte)
      }
    }
    return String(decoding: text, as: UTF8.self)
  }
}
