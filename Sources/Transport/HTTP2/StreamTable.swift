import DequeModule

/// Values by HTTP/2 stream of one client, whose numbers are odd and grow (RFC 9113, section 5.1.1): a place each, in the order in
/// which the streams were opened, without hashing.
struct StreamTable<Value> {
  private var places = Deque<Value?>()
  /// The stream of the first place, which holds a value unless there is none at all.
  private var firstStream = 1
  private(set) var count = 0

  var isEmpty: Bool { count == 0 }

  /// The value of the stream that was opened before all others that are here.
  var oldest: (stream: Int32, value: Value)? {
    guard let first = places.first, let value = first else { return nil }
    return (Int32(firstStream), value)
  }

  /// All values, in the order of their streams.
  var values: [(stream: Int32, value: Value)] {
    places.enumerated().compactMap { place, value in value.map { (Int32(firstStream + 2 * place), $0) } }
  }

  subscript(stream: Int32) -> Value? {
    guard let place = place(of: stream) else { return nil }
    return places[place]
  }

  /// - Parameter stream: a later one than any before.
  mutating func insert(_ value: Value, at stream: Int32) {
    if places.isEmpty { firstStream = Int(stream) }
    while firstStream + 2 * places.count < stream { places.append(nil) }
    places.append(value)
    count += 1
  }

  @discardableResult
  mutating func remove(_ stream: Int32) -> Value? {
    guard let place = place(of: stream), let value = places[place] else { return nil }
    places[place] = nil
    count -= 1
    while let first = places.first, first == nil {
      places.removeFirst()
      firstStream += 2
    }
    return value
  }

  mutating func removeAll() {
    places.removeAll()
    count = 0
  }

  private func place(of stream: Int32) -> Int? {
    let stream = Int(stream)
    guard stream >= firstStream, stream & 1 == 1 else { return nil }
    let place = (stream - firstStream) / 2
    return place < places.count ? place : nil
  }
}
