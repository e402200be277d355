import CCurl
import CLinux
import Measurement

/// Sockets: what becomes ready, what opens and what closes.
extension TargetTransport {
  /// A socket is ready. Before libcurl reads, the kernel is asked when the bytes came.
  func socketReady(_ event: Poller.Readiness, fd: Int32) {
    guard let watch = watches.first(where: { $0.fd == fd }) else { return }
    let connection = connections.first { $0.fd == fd }
    // An error that is one comes with the end of the stream, or again.
    let isError = event.isError && connection?.dropSentStamps() != true
    let isReadable = event.isReadable || isError
    guard isReadable || event.isWritable else { return }
    guard watch.wanted != 0 else {
      connection?.hasUnreadNews = true
      unregister(fd)
      return
    }
    var mask: Int32 = 0
    if isReadable { mask |= CURL_CSELECT_IN }
    if event.isWritable { mask |= CURL_CSELECT_OUT }
    if isError { mask |= CURL_CSELECT_ERR }
    batch {
      if let connection, isReadable { window = connection.look(at: loop.now(), offset: loop.offset) }
      var running: Int32 = 0
      repeat {
        partlyRead = nil
        curl_multi_socket_action(multi, fd, mask, &running)
        // libcurl 7.88 hands a large header block over in pieces of 16 kB, one a call, and does not ask for the next
        // call; nor for the one in which it would hand the body over then.
        partlyRead?.comesInPieces = true
      } while partlyRead != nil
      window = nil
      settle()
      // Places that answers made free are filled at once, and leave with the acknowledgments.
      if !isStopped, hasWaiting { dispatch() }
    }
    settleInterests()
  }

  // MARK: Called by libcurl

  func socketOpened(_ fd: Int32) {
    _ = clinux_stamp_received(fd)
    connections.append(Connection(fd: fd, maximumStreams: target.maximumStreams))
  }

  func socketClosing(_ fd: Int32) {
    watches.removeAll { $0.fd == fd }
    guard let index = connections.firstIndex(where: { $0.fd == fd }) else { return }
    let connection = connections.remove(at: index)
    connection.noteClosing()
    if connection.stands {
      let now = loop.now()
      if !connection.hasAnswered, !isClosing {
        noteConnectFailure(.connect, "the connection was lost before it had given an answer", at: now)
      }
      emit(
        .disconnected, connection: connection.id, at: now,
        detail: connection.isGivenUp
          ? "given up after silence"
          : connection.isDraining
            ? "after GOAWAY" : "\(connection.lost + unanswered(on: connection)) unanswered")
    }
    allowConnections()
  }

  /// How many requests on a connection have no answer. Of some the answer is here already, but libcurl has not returned
  /// yet from reading it.
  func unanswered(on connection: Connection) -> Int {
    transfers.count { $0.stage == .started && $0.connection === connection && $0.answer == nil }
  }

  func interestChanged(_ fd: Int32, to what: Int32) {
    let wanted: UInt32 =
      switch what {
      case CURL_POLL_IN: clinux_epoll_in
      case CURL_POLL_OUT: clinux_epoll_out
      case CURL_POLL_INOUT: clinux_epoll_in | clinux_epoll_out
      default: 0
      }
    if let index = watches.firstIndex(where: { $0.fd == fd }) {
      watches[index].wanted = wanted
      // A descriptor that is not a connection's is closed without a word to us.
      if wanted == 0, !connections.contains(where: { $0.fd == fd }) {
        unregister(fd)
        watches.remove(at: index)
      }
    } else if wanted != 0 {
      watches.append(SocketInterest(fd: fd, wanted: wanted))
    }
  }

  func timerChanged(_ milliseconds: Int) {
    timer = milliseconds < 0 ? nil : loop.now() + .milliseconds(milliseconds)
  }

  // MARK: Interests

  /// Tells epoll what changed over the turn. A connection at rest stays watched: what comes then is news.
  func settleInterests() {
    for index in watches.indices {
      let watch = watches[index]
      if watch.wanted == 0 || (watch.isRegistered && watch.registered == watch.wanted) { continue }
      if loop.watch(watch.fd, target: self.index, events: watch.wanted, isNew: !watch.isRegistered) {
        watches[index].registered = watch.wanted
        watches[index].isRegistered = true
      }
    }
  }

  private func unregister(_ fd: Int32) {
    guard let index = watches.firstIndex(where: { $0.fd == fd }), watches[index].isRegistered else { return }
    loop.unwatch(fd)
    watches[index].isRegistered = false
  }

  // MARK: Connections

  /// The connection that libcurl means by its local port; there is hardly ever a choice.
  func connection(localPort: Int32) -> Connection? {
    if connections.count == 1 { return connections[0] }
    return connections.first { clinux_local_port($0.fd) == localPort }
  }

  /// A connection has come to stand.
  func stand(_ connection: Connection, openedBy transfer: Transfer, at now: MonotonicTime) {
    connection.id = loop.nextConnectionID()
    connection.stoodAt = now
    connection.heardAt = now
    connection.stampSent()
    connection.segmentSize = Int(clinux_segment_size(connection.fd))
    statistics.connections += 1
    emit(
      .connected, connection: connection.id, at: now,
      detail: availability.outage.map { "after \($0.words(at: now))" } ?? "")
  }

  /// A connection that goes away may still have answers to give; a new one is opened beside it.
  func allowConnections() {
    noteAvailability(at: loop.now())
    let leaving = connections.count { $0.isLeaving && $0.inFlight > 0 }
    ccurl_multi_set_long(multi, CURLMOPT_MAX_HOST_CONNECTIONS, 1 + leaving)
  }

  func noteAvailability(at now: MonotonicTime) { availability.note(isUsable: usable != nil, at: now) }
}
