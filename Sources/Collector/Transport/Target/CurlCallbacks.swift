import CCurl
import CLinux

// libcurl calls these on the timing thread, from within `curl_multi_socket_action` and the like. They may not capture
// anything: their context comes as a pointer to a Transfer or a TargetTransport, both of which the loop keeps alive
// until libcurl's handles are gone.

private func transfer(_ pointer: UnsafeMutableRawPointer?) -> Transfer? {
  pointer.map { Unmanaged<Transfer>.fromOpaque($0).takeUnretainedValue() }
}

private func target(_ pointer: UnsafeMutableRawPointer?) -> TargetTransport? {
  pointer.map { Unmanaged<TargetTransport>.fromOpaque($0).takeUnretainedValue() }
}

func curlHeader(
  _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?
) -> Int {
  let line = UnsafeRawBufferPointer(start: bytes, count: size * count)
  // Any other number than the one given ends the transfer.
  return transfer(context)?.take(headerLine: line) ?? false ? size * count : 0
}

func curlBody(
  _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?
) -> Int {
  let hasRoom =
    transfer(context)?.take(body: UnsafeRawBufferPointer(start: bytes, count: size * count)) ?? false
  return hasRoom ? size * count : Int(CURL_WRITEFUNC_ERROR)
}

/// libcurl is about to look the peer's name up: a connection is being opened.
func curlResolving(
  _ resolver: UnsafeMutableRawPointer?, _ reserved: UnsafeMutableRawPointer?,
  _ context: UnsafeMutableRawPointer?
) -> Int32 {
  guard let transfer = transfer(context) else { return 1 }
  return transfer.target.mayOpenConnection(for: transfer) ? 0 : 1
}

func curlSocketOpened(_ context: UnsafeMutableRawPointer?, _ fd: curl_socket_t, _ purpose: curlsocktype)
  -> Int32
{
  guard let transfer = transfer(context), transfer.target.mayOpenConnection(for: transfer) else {
    return Int32(CURL_SOCKOPT_ERROR)
  }
  transfer.target.socketOpened(fd)
  return Int32(CURL_SOCKOPT_OK)
}

func curlSocketClosing(_ context: UnsafeMutableRawPointer?, _ fd: curl_socket_t) -> Int32 {
  target(context)?.socketClosing(fd)
  return close(fd)
}

/// The connection stands and the request is about to go onto it.
func curlAboutToSend(
  _ context: UnsafeMutableRawPointer?, _ peer: UnsafeMutablePointer<CChar>?,
  _ local: UnsafeMutablePointer<CChar>?,
  _ peerPort: Int32, _ localPort: Int32
) -> Int32 {
  guard let transfer = transfer(context), transfer.target.mayStart(transfer, localPort: localPort) else {
    return Int32(CURL_PREREQFUNC_ABORT)
  }
  return Int32(CURL_PREREQFUNC_OK)
}

func curlText(
  _ easy: UnsafeMutableRawPointer?, _ kind: curl_infotype, _ bytes: UnsafeMutablePointer<CChar>?,
  _ count: Int,
  _ context: UnsafeMutableRawPointer?
) -> Int32 {
  guard kind == CURLINFO_TEXT, let transfer = transfer(context) else { return 0 }
  if let text = CurlText(UnsafeRawBufferPointer(start: bytes, count: count)) {
    transfer.target.note(text, from: transfer)
  }
  return 0
}

func curlSocketInterest(
  _ easy: UnsafeMutableRawPointer?, _ fd: curl_socket_t, _ what: Int32, _ context: UnsafeMutableRawPointer?,
  _ socketContext: UnsafeMutableRawPointer?
) -> Int32 {
  target(context)?.interestChanged(fd, to: what)
  return 0
}

func curlTimer(_ multi: UnsafeMutableRawPointer?, _ milliseconds: Int, _ context: UnsafeMutableRawPointer?)
  -> Int32
{
  target(context)?.timerChanged(milliseconds)
  return 0
}
