import Glibc

/// Asks the system where a host is.
enum NameLookup {
  struct Failure: Error {
    var message: String
  }

  /// Addresses in the order in which they would be tried.
  static func addresses(of host: String) -> Result<[String], Failure> {
    var hints = addrinfo()
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var list: UnsafeMutablePointer<addrinfo>?
    let code = getaddrinfo(host, nil, &hints, &list)
    guard code == 0 else { return .failure(Failure(message: String(cString: gai_strerror(code)))) }
    defer { freeaddrinfo(list) }
    var addresses: [String] = []
    var next = list
    while let entry = next {
      var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
      if getnameinfo(
        entry.pointee.ai_addr, entry.pointee.ai_addrlen, &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST)
        == 0
      {
        let address = String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        if !addresses.contains(address) { addresses.append(address) }
      }
      next = entry.pointee.ai_next
    }
    return .success(addresses)
  }
}
