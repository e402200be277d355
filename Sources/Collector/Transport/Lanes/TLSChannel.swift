import CCurl
import CLinux
import COpenSSL
import Glibc
import Measurement

/// The bytes of an established TLS connection of libcurl's, each with the kernel's time of it.
///
/// **Sent**: each call is one TLS record and one write to the socket; the kernel names its stamps by the number of bytes that
/// TCP was given, which OpenSSL counts. Between ``hold()`` and ``release(offset:now:)`` what is written waits in the kernel. **Received**: one TLS record a call; before OpenSSL reads it, its header is peeked at
/// for its length and then its last byte for the stamp of the packet that completed it.
final class TLSChannel {
  enum Sent {
    /// So many bytes were taken in one write.
    case taken(Int, SendWindow, departure: MonotonicTime?)
    case full
    case failed(CURLcode)
  }

  enum Received {
    /// A record's content and when its last packet came; `nil` where the kernel did not say.
    case bytes(Int, at: MonotonicTime?)
    /// Nothing more is there now.
    case nothing
    /// The peer ended its side.
    case end
    case failed(CURLcode)
  }

  let fd: Int32
  private let easy: UnsafeMutableRawPointer
  private let ssl: UnsafeMutableRawPointer
  /// What OpenSSL had written when the kernel began to count.
  private let firstByte: UInt64
  private let countsBytes: Bool
  /// Of the record that is being read: the header as far as it was seen, and bytes that OpenSSL has yet to take.
  private var header: [UInt8] = []
  private var missing = 0
  /// Where the next record begins is known. It is not after OpenSSL took records without content for us (session tickets)
  /// together with a part of the next one, until it has given a record's content.
  private var isAligned = true
  private var isHolding = false
  /// When the kernel was last asked for an acknowledgment's stamp.
  private var askedAt: MonotonicTime?
  /// Acknowledged bytes with the kernel's stamps, in ns of CLOCK_REALTIME, until they are taken.
  private var acknowledgments: [(byte: UInt32, stamp: Int64)] = []

  /// The stamp of an acknowledgment wakes the thread by itself: more would cost more than they tell.
  private static let askingInterval = Duration.milliseconds(5)
  private static let mostAcknowledgments = 256

  private static let headerBytes = 5
  /// A TLS record's content (RFC 8446, section 5.1).
  static let recordBytes = 16 * 1024
  /// What TLS adds to a record at the most, with the ciphers in use: header, nonce, kind of content and tag.
  static let overhead = 40

  init(easy: UnsafeMutableRawPointer, fd: Int32, ssl: UnsafeMutableRawPointer) {
    self.easy = easy
    self.fd = fd
    self.ssl = ssl
    header.reserveCapacity(Self.headerBytes)
    countsBytes = clinux_stamp_sent_bytes(fd) == 0
    if !countsBytes { _ = clinux_stamp_sent(fd) }
    firstByte = copenssl_bytes_written(ssl)
  }

  // MARK: Sending

  /// Gives bytes to the connection. After ``Sent/full`` the next call must begin with the same bytes.
  /// - Parameter asksForAcknowledgment: whether the stamp of the peer's acknowledgment is wanted. It is asked for now and
  ///   then only, see ``isAcknowledgmentAwaited``.
  func send(
    _ bytes: UnsafeRawBufferPointer, asksForAcknowledgment: Bool = false, offset: RealtimeOffset,
    now: () -> MonotonicTime
  ) -> Sent {
    var count = 0
    isAcknowledgmentAwaited = asksForAcknowledgment && countsBytes && mayAsk(at: now())
    if isAcknowledgmentAwaited { _ = clinux_stamp_acknowledged(fd, 1) }
    let began = now()
    let code = curl_easy_send(easy, bytes.baseAddress, bytes.count, &count)
    let window = SendWindow(began: began, ended: now())
    if isAcknowledgmentAwaited { _ = clinux_stamp_acknowledged(fd, 0) }
    switch code {
    case CURLE_OK:
      return .taken(count, window, departure: isHolding ? nil : departure(in: window, offset: offset))
    case CURLE_AGAIN: return .full
    default: return .failed(code)
    }
  }

  /// What is written from now on leaves with ``release(offset:now:)``, or as soon as it fills a segment.
  func hold() {
    isHolding = true
    _ = clinux_set_cork(fd, 1)
  }

  func release(offset: RealtimeOffset, now: () -> MonotonicTime) -> (SendWindow, departure: MonotonicTime?) {
    isHolding = false
    let began = now()
    _ = clinux_set_cork(fd, 0)
    let window = SendWindow(began: began, ended: now())
    return (window, departure(in: window, offset: offset))
  }

  /// The kernel's stamp of the last byte that was written, if it was made within the write.
  private func departure(in window: SendWindow, offset: RealtimeOffset) -> MonotonicTime? {
    var stamps: [MonotonicTime] = []
    _ = takeStamps { stamp, byte in
      if !countsBytes || byte == lastByte { stamps.append(offset.monotonic(stamp)) }
    }
    return window.departure(among: stamps)
  }

  /// The number of the last byte that was written, by the kernel's count.
  var lastByte: UInt32 { UInt32(truncatingIfNeeded: copenssl_bytes_written(ssl) &- firstByte &- 1) }

  /// Whether the kernel was asked for the stamp of the acknowledgment of the last write.
  private(set) var isAcknowledgmentAwaited = false

  private func mayAsk(at now: MonotonicTime) -> Bool {
    if let askedAt, now - askedAt < Self.askingInterval { return false }
    askedAt = now
    return true
  }

  /// Takes the stamps of acknowledgments that came so far, each with the number of the byte up to which it is.
  func takeAcknowledgments(offset: RealtimeOffset) -> [(byte: UInt32, at: MonotonicTime)] {
    _ = takeStamps { _, _ in }
    defer { acknowledgments.removeAll(keepingCapacity: true) }
    return acknowledgments.map { ($0.byte, offset.monotonic($0.stamp)) }
  }

  /// Takes all stamps off the socket's error queue, and keeps those of acknowledgments.
  /// - Returns: whether there was any.
  private func takeStamps(_ takeDeparture: (_ stamp: Int64, _ byte: UInt32) -> Void) -> Bool {
    var found = false
    var stamp: Int64 = 0
    var byte: UInt32 = 0
    var isAcknowledgment: Int32 = 0
    while clinux_take_sent_stamp(fd, &stamp, &byte, &isAcknowledgment) != 0 {
      found = true
      guard stamp != 0 else { continue }
      if isAcknowledgment == 0 {
        takeDeparture(stamp, byte)
      } else if acknowledgments.count < Self.mostAcknowledgments {
        acknowledgments.append((byte, stamp))
      }
    }
    return found
  }

  /// Takes stamps that came late off the socket, which epoll reports as an error.
  /// - Returns: whether there was any.
  func dropSentStamps() -> Bool { takeStamps { _, _ in } }

  // MARK: Receiving

  /// Reads one TLS record.
  /// - Parameter buffer: of ``recordBytes`` at least.
  func receive(into buffer: UnsafeMutableRawBufferPointer, offset: RealtimeOffset) -> Received {
    var stamp: Int64?
    if isAligned {
      guard peekHeader() else { return .nothing }
      stamp = stampOfNextRecord()
    }
    var count = 0
    let before = copenssl_bytes_read(ssl)
    let code = curl_easy_recv(easy, buffer.baseAddress, buffer.count, &count)
    let taken = Int(truncatingIfNeeded: copenssl_bytes_read(ssl) &- before)
    switch code {
    case CURLE_OK where count == 0: return .end
    case CURLE_OK:
      // OpenSSL reads no further than the end of the record whose content it gives. Where it went through others on the
      // way to it, the stamp is that of the first of them.
      let isOfThisRecord = taken == missing
      expectRecord()
      return .bytes(count, at: isOfThisRecord ? stamp.map { offset.monotonic($0) } : nil)
    case CURLE_AGAIN: return noteWithoutContent(taken: taken) ? .bytes(0, at: nil) : .nothing
    default: return .failed(code)
    }
  }

  /// Looks at the rest of the next record's header, unless that is known.
  /// - Returns: whether there is something to read: a part of a record, the end of the stream, or an error. What comes
  ///   after a look that found nothing waits for the next call, so that no record is read without a look at its stamp.
  private func peekHeader() -> Bool {
    guard missing == 0 else { return true }
    var bytes: UInt64 = 0
    let wanted = Self.headerBytes - header.count
    let count = recv(fd, &bytes, wanted, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT))
    guard count > 0 else { return count == 0 || (errno != EAGAIN && errno != EINTR) }
    withUnsafeBytes(of: &bytes) { header.append(contentsOf: $0.prefix(count)) }
    missing = count
    if header.count == Self.headerBytes { missing += Int(header[3]) << 8 + Int(header[4]) }
    return true
  }

  /// - Returns: CLOCK_REALTIME ns; `nil` when the record is not complete.
  private func stampOfNextRecord() -> Int64? {
    guard missing > 0, header.count == Self.headerBytes else { return nil }
    var stamp: Int64 = 0
    let count = clinux_peek_stamp(fd, missing, &stamp)
    return count == missing && stamp != 0 ? stamp : nil
  }

  /// The next byte from the socket is the first one of a record.
  private func expectRecord() {
    isAligned = true
    missing = 0
    header.removeAll(keepingCapacity: true)
  }

  /// OpenSSL took so many bytes and had no content to give.
  /// - Returns: whether they end a record; the next one may be there already.
  private func noteWithoutContent(taken: Int) -> Bool {
    guard isAligned else { return false }
    missing -= taken
    if missing < 0 {
      isAligned = false
    } else if taken > 0, missing == 0, header.count == Self.headerBytes {
      expectRecord()
      return true
    }
    return false
  }
}
