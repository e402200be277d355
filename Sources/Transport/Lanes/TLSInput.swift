import CCurl
import CLinux
import COpenSSL
import Glibc
import Measurement

/// What an established TLS connection of libcurl's receives: the content of each TLS record, with the kernel's stamp of the
/// packet that completed the record.
///
/// One call looks at everything that has arrived and another takes it off the socket; OpenSSL reads it from memory. In between
/// the kernel is asked for the stamps of records that are not of the last packet. libcurl reads the connection's end from the
/// socket itself, so that it has its own words for it.
final class TLSInput {
  enum Arrival {
    /// Records may be read; `isAll` tells that nothing else was there.
    case bytes(isAll: Bool)
    /// Nothing is there now.
    case nothing
    /// The peer ended its side, or the connection failed.
    case end
  }

  enum Record {
    /// The number of bytes, and when the record's last packet came; `nil` where the kernel did not say.
    case content(Int, at: MonotonicTime?)
    /// The rest is a part of a record at most.
    case none
    /// The peer ended its side, or the connection failed.
    case end
  }

  private let fd: Int32
  private let easy: UnsafeMutableRawPointer
  private let ssl: UnsafeMutableRawPointer
  private let arrived: UnsafeMutableRawBufferPointer
  private let content: UnsafeMutableRawBufferPointer
  /// Bytes that were taken off the socket, and bytes that OpenSSL has read of them.
  private var taken = 0
  private var read = 0
  private var ends = TLSRecordEnds()
  private var isEnded = false

  private static let capacity = 32 * 1024

  init(easy: UnsafeMutableRawPointer, fd: Int32, ssl: UnsafeMutableRawPointer) {
    self.easy = easy
    self.fd = fd
    self.ssl = ssl
    arrived = .allocate(byteCount: Self.capacity, alignment: 1)
    content = .allocate(byteCount: TLSChannel.recordBytes, alignment: 1)
    isEnded = copenssl_read_from_memory(ssl) != 0
  }

  deinit {
    arrived.deallocate()
    content.deallocate()
  }

  /// Reads what has arrived from the socket.
  func fetch() -> Arrival {
    guard !isEnded else { return .end }
    var stamp: Int64 = 0
    let count = clinux_peek_bytes(fd, arrived.baseAddress, arrived.count, &stamp)
    if count < 0, errno == EAGAIN || errno == EINTR { return .nothing }
    guard count > 0 else { return end() }
    ends.drop(through: read)
    ends.scan(
      UnsafeRawBufferPointer(rebasing: arrived[..<count]), after: taken, lastStamp: stamp,
      stampOfByte: stampOfByte)
    guard clinux_discard(fd, arrived.baseAddress, count) == 0,
      copenssl_feed(ssl, arrived.baseAddress, Int32(count)) == 0
    else { return end() }
    taken += count
    return .bytes(isAll: count < arrived.count)
  }

  /// Lets libcurl say what is the matter with the socket.
  private func end() -> Arrival {
    isEnded = true
    copenssl_read_from_socket(ssl)
    var count = 0
    _ = curl_easy_recv(easy, content.baseAddress, content.count, &count)
    return .end
  }

  /// The stamp of the packet that holds the last of so many unread bytes, 0 for unknown.
  private func stampOfByte(_ count: Int) -> Int64 {
    var stamp: Int64 = 0
    return clinux_peek_stamp(fd, count, &stamp) == count ? stamp : 0
  }

  /// Reads one record of what was fetched; ``content(_:)`` has it until the next call.
  func next(offset: RealtimeOffset) -> Record {
    while read < taken, !isEnded {
      var count = 0
      let code = curl_easy_recv(easy, content.baseAddress, content.count, &count)
      let before = read
      read = Int(truncatingIfNeeded: copenssl_bytes_read(ssl))
      switch code {
      case CURLE_OK where count > 0:
        // OpenSSL reads no further than the end of the record whose content it gives.
        return .content(count, at: ends.removeStamp(at: read).map { offset.monotonic($0) })
      // A record without content, such as a session ticket; the next one may be there already.
      case CURLE_AGAIN where read > before: continue
      case CURLE_AGAIN: return .none
      default:
        isEnded = true
        return .end
      }
    }
    return .none
  }

  /// The content of the record that was read last.
  func content(_ count: Int) -> UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: content[..<count]) }
}

/// Where the TLS records of a connection end among all bytes that were taken off its socket, and when the packets came that
/// complete them.
struct TLSRecordEnds {
  private struct End {
    var offset: Int
    /// CLOCK_REALTIME ns, 0 for unknown.
    var stamp: Int64
  }

  private static let headerBytes = 5

  /// The ends that are kept, from ``first`` on.
  private var ends: [End] = []
  private var first = 0
  /// The number of header bytes seen of the incomplete record; ``missing`` counts the bytes of its content to come.
  private var headerSeen = 0
  private var missing = 0

  /// How many ends are kept.
  var count: Int { ends.count - first }

  /// Finds the ends of records among bytes that are still on the socket, and their stamps.
  /// - Parameters:
  ///   - taken: the bytes that came before.
  ///   - lastStamp: of the packet that holds the last of the bytes.
  ///   - stampOfByte: the stamp of the packet that holds the last of so many bytes, 0 for unknown.
  mutating func scan(
    _ bytes: UnsafeRawBufferPointer, after taken: Int, lastStamp: Int64, stampOfByte: (Int) -> Int64
  ) {
    var place = 0
    // Stamps of what waits to be read never decrease: after the first that is the last one, all are.
    var isLastPacket = false
    while place < bytes.count {
      if headerSeen < Self.headerBytes {
        // The length is the last two bytes of the header (RFC 8446, section 5.1).
        if headerSeen >= 3 { missing = missing << 8 | Int(bytes[place]) }
        headerSeen += 1
        place += 1
        if headerSeen < Self.headerBytes || missing > 0 { continue }
      } else {
        let part = min(missing, bytes.count - place)
        place += part
        missing -= part
        if missing > 0 { return }
      }
      headerSeen = 0
      isLastPacket = isLastPacket || place == bytes.count
      let stamp = isLastPacket ? lastStamp : stampOfByte(place)
      isLastPacket = isLastPacket || stamp == lastStamp
      ends.append(End(offset: taken + place, stamp: stamp))
    }
  }

  /// The stamp of the record that ends after so many bytes; `nil` for unknown. Those that end before are dropped with it.
  mutating func removeStamp(at offset: Int) -> Int64? {
    drop(through: offset - 1)
    guard first < ends.count, ends[first].offset == offset else { return nil }
    let stamp = ends[first].stamp
    drop(through: offset)
    return stamp == 0 ? nil : stamp
  }

  /// Drops records that were read: a peer may send records without content for as long as it likes, of which nobody takes a
  /// stamp.
  mutating func drop(through offset: Int) {
    while first < ends.count, ends[first].offset <= offset { first += 1 }
    guard first == ends.count else { return }
    ends.removeAll(keepingCapacity: true)
    first = 0
  }
}
