/// What libcurl wants to know of a socket and what epoll was last told. They are brought together at the end of a turn,
/// because libcurl changes its mind several times within one.
struct SocketInterest {
  let fd: Int32
  var wanted: UInt32
  var registered: UInt32 = 0
  var isRegistered = false
}
