import CCurl
import CLinux
import COpenSSL
import Measurement

/// The bytes of an established TLS connection of libcurl's, each with the kernel's time of it: what is sent here, what is
/// received by ``input``.
///
/// Each call of ``send(_:asksForAcknowledgment:offset:now:)`` is one TLS record and one write to the socket; the kernel names
/// its stamps by the number of bytes that TCP was given, which OpenSSL counts. Between ``hold()`` and ``release(offset:now:)``
/// what is written waits in the kernel.
final class TLSChannel {
  enum Sent {
    /// The number of bytes that were taken in one write.
    case taken(Int, SendWindow, departure: MonotonicTime?)
    case full
    case failed(CURLcode)
  }

  let input: TLSInput
  private let fd: Int32
  private let easy: UnsafeMutableRawPointer
  private let ssl: UnsafeMutableRawPointer
  /// What OpenSSL had written when the kernel began to count.
  private let firstByte: UInt64
  private let countsBytes: Bool
  private var isHolding = false
  /// When the kernel was last asked for an acknowledgment's stamp.
  private var askedAt: MonotonicTime?
  /// Acknowledged bytes with the kernel's stamps, in ns of CLOCK_REALTIME, until they are taken.
  private var acknowledgments: [(byte: UInt32, stamp: Int64)] = []

  /// The stamp of an acknowledgment wakes the thread by itself: more would cost more than they tell.
  private static let askingInterval = Duration.milliseconds(5)
  private static let mostAcknowledgments = 256

  /// A TLS record's content (RFC 8446, section 5.1).
  static let recordBytes = 16 * 1024
  /// What TLS adds to a record at the most, with the ciphers in use: header, nonce, kind of content and tag.
  static let overhead = 40

  init(easy: UnsafeMutableRawPointer, fd: Int32, ssl: UnsafeMutableRawPointer) {
    self.easy = easy
    self.fd = fd
    self.ssl = ssl
    countsBytes = clinux_stamp_sent_bytes(fd) == 0
    if !countsBytes { _ = clinux_stamp_sent(fd) }
    firstByte = copenssl_bytes_written(ssl)
    input = TLSInput(easy: easy, fd: fd, ssl: ssl)
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
    var departure: MonotonicTime?
    let last = lastByte
    drainStamps { stamp, byte in
      guard !countsBytes || byte == last else { return true }
      departure = departure ?? window.departure(among: CollectionOfOne(offset.monotonic(stamp)))
      // Of what comes later nobody waits for it now.
      return !countsBytes
    }
    return departure
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

  /// Removes and returns the stamps of acknowledgments that came so far, each with the number of the byte up to which it is.
  func drainAcknowledgments(offset: RealtimeOffset) -> [(byte: UInt32, at: MonotonicTime)] {
    drainStamps { _, _ in true }
    defer { acknowledgments.removeAll(keepingCapacity: true) }
    return acknowledgments.map { ($0.byte, offset.monotonic($0.stamp)) }
  }

  /// Reads stamps from the socket's error queue, and keeps those of acknowledgments.
  /// - Parameter onDeparture: returns whether it wants more.
  /// - Returns: whether there was any.
  @discardableResult
  private func drainStamps(_ onDeparture: (_ stamp: Int64, _ byte: UInt32) -> Bool) -> Bool {
    var found = false
    var stamp: Int64 = 0
    var byte: UInt32 = 0
    var isAcknowledgment: Int32 = 0
    while clinux_take_sent_stamp(fd, &stamp, &byte, &isAcknowledgment) != 0 {
      found = true
      guard stamp != 0 else { continue }
      if isAcknowledgment == 0 {
        guard onDeparture(stamp, byte) else { break }
      } else if acknowledgments.count < Self.mostAcknowledgments {
        acknowledgments.append((byte, stamp))
      }
    }
    return found
  }

  /// Drops stamps that came late from the socket, which epoll reports as an error.
  /// - Returns: whether there was any.
  func dropSentStamps() -> Bool { drainStamps { _, _ in true } }
}
