import HTTPServer
import HTTPTestKit
import TestKit
import TestTraits
import Testing

/// Peers that do not read what they ask for, and crowds of connections that ask for nothing.
@Suite(.ownThread) struct HostilePeerTests {
  /// More than the kernel takes, of requests as of answers.
  @Test func holdsRequestsBackWhosePeerDoesNotRead() async throws {
    try await withServer { server in
      let outcomes = try await server.hostile.run(
        #"""
        [{"open": {"name": "a"}}, {"flood": {"name": "a", "path": "/big", "count": 100000}}]
        """#)
      let sent = try #require(outcomes.last?.sent?.first)
      #expect(sent < 100_000, "the server went on reading")
      #expect(server.asked < 2000)
      #expect(try await server.curl.ask("/echo").status == 200)
    }
  }

  @Test func answersAllOfItOnceThePeerReads() async throws {
    try await withServer { server in
      let outcomes = try await server.hostile.run(
        #"""
        [{"open": {"name": "a"}}, {"flood": {"name": "a", "path": "/big", "count": 3000}}, {"read": {"name": "a"}}]
        """#)
      #expect(outcomes.last?.answers == outcomes[1].sent)
      #expect(outcomes.last?.answers == [server.asked])
    }
  }

  /// On HTTP/2 whoever does not read runs out of streams as well.
  @Test func holdsStreamsBackWhosePeerDoesNotRead() async throws {
    try await withServer { server in
      let outcomes = try await server.hostile.run(
        #"""
        [{"open": {"name": "a", "alpn": "h2"}}, {"flood": {"name": "a", "path": "/big", "count": 50000}},
         {"closed": {"name": "a", "count": 1}}]
        """#)
      #expect(outcomes.count == 3)
      #expect(server.asked < 2000)
      #expect(try await server.curl.ask("/echo").status == 200)
    }
  }

  @Test(arguments: ["http/1.1", "h2"]) func cutsWhoNeverReads(alpn: String) async throws {
    var limits = HTTPServerLimits()
    limits.writeTimeout = .milliseconds(300)
    try await withServer(limits) { server in
      _ = try await server.hostile.run(
        #"""
        [{"open": {"name": "a", "alpn": "\#(alpn)"}}, {"flood": {"name": "a", "path": "/big", "count": 20000}}]
        """#)
      try await eventually { server.closed == 1 }
    }
    // While it is still connected.
    try await withServer(limits) { server in
      let outcomes = try await server.hostile.run(
        #"""
        [{"open": {"name": "a"}}, {"flood": {"name": "a", "path": "/big", "count": 20000}},
         {"closed": {"name": "a", "count": 1}}]
        """#)
      #expect(outcomes.last?.closed == 1)
    }
  }

  /// Each of them holds 64 KiB and an answer; together they may hold 256 KiB.
  @Test func cutsThoseWhoReadLeastWhenTheBudgetIsSpent() async throws {
    var limits = HTTPServerLimits()
    limits.bufferedBytes = 256 * 1024
    limits.writeTimeout = .seconds(60)
    try await withServer(limits) { server in
      let outcomes = try await server.hostile.run(
        #"""
        [{"open": {"name": "a", "count": 8}}, {"flood": {"name": "a", "path": "/big", "count": 20000}},
         {"open": {"name": "b"}}, {"ask": {"name": "b", "path": "/big"}}, {"closed": {"name": "a", "count": 3}}]
        """#)
      #expect(outcomes[3].statuses == [200], "whoever reads is served")
      let cut = try #require(outcomes.last?.closed)
      #expect(cut >= 3 && cut < 8)
    }
  }

  /// Requests that are not answered yet are part of what is held.
  @Test func refusesRequestsThatFindNoRoom() async throws {
    var limits = HTTPServerLimits()
    limits.bufferedBytes = 20_000
    try await withServer(limits) { server in
      let events = try await server.h2.run(
        #"""
        [{"request": {"path": "/hold", "body_bytes": 9000}}, {"request": {"path": "/hold", "body_bytes": 9000}},
         {"until": {"idle_ms": 100}}, {"request": {"path": "/echo", "body_bytes": 2000}}, {"until": {"done": 1}},
         {"request": {"path": "/release"}}, {"until": {"done": 4}},
         {"request": {"path": "/echo", "body_bytes": 9000}}, {"until": {"done": 5}}]
        """#)
      #expect(events.answers.first { $0.stream == 5 }?.status == 503)
      #expect(events.answers.count { $0.status == 200 } == 4)
    }
  }

  // MARK: Strangers

  /// Silent connections of one address, some of which have not even begun with TLS.
  @Test func letsOthersInPastACrowdOfStrangers() async throws {
    var limits = HTTPServerLimits()
    limits.connections = 20
    limits.unauthenticatedPerSource = 8
    try await withServer(limits) { server in
      let outcomes = try await server.hostile.run(
        #"""
        [{"open": {"name": "device"}}, {"ask": {"name": "device", "path": "/login"}},
         {"open": {"name": "mute", "count": 30, "tls": false}}, {"open": {"name": "idle", "count": 30}},
         {"closed": {"name": "mute", "count": 30}}, {"closed": {"name": "idle", "count": 22}},
         {"open": {"name": "other", "from": "127.0.0.2"}}, {"ask": {"name": "other", "path": "/echo"}},
         {"open": {"name": "neighbor"}}, {"ask": {"name": "neighbor", "path": "/login"}},
         {"open": {"name": "more", "count": 10}},
         {"ask": {"name": "device", "path": "/echo"}}, {"ask": {"name": "neighbor", "path": "/echo"}},
         {"ask": {"name": "other", "path": "/echo"}}]
        """#)
      #expect(outcomes[4].closed == 30)
      #expect(outcomes[5].closed == 22)
      let served = outcomes.compactMap(\.statuses)
      #expect(served == Array(repeating: [200], count: 6))
    }
  }

  /// From several addresses, each within its share: who is new gets the place of whoever had the longest time.
  @Test func evictsTheOldestOfTheLargestCrowd() async throws {
    var limits = HTTPServerLimits()
    limits.connections = 10
    limits.unauthenticatedPerSource = 6
    try await withServer(limits) { server in
      let outcomes = try await server.hostile.run(
        #"""
        [{"open": {"name": "a", "count": 6, "from": "127.0.0.2"}}, {"open": {"name": "b", "count": 4, "from": "127.0.0.3"}},
         {"open": {"name": "c"}}, {"ask": {"name": "c", "path": "/login"}}, {"open": {"name": "d"}},
         {"closed": {"name": "a", "count": 2}}, {"ask": {"name": "b", "path": "/echo"}},
         {"ask": {"name": "d", "path": "/echo"}}]
        """#)
      #expect(outcomes[5].closed == 2)
      #expect(outcomes[6].statuses == [200, 200, 200, 200])
      #expect(outcomes[7].statuses == [200])
    }
  }

  @Test func hasLittlePatienceWithStrangers() async throws {
    var limits = HTTPServerLimits()
    limits.unauthenticatedIdleTimeout = .milliseconds(500)
    try await withServer(limits) { server in
      let outcomes = try await server.hostile.run(
        #"""
        [{"open": {"name": "device"}}, {"ask": {"name": "device", "path": "/login"}},
         {"open": {"name": "idle", "count": 3}}, {"open": {"name": "h2", "alpn": "h2"}},
         {"ask": {"name": "idle", "path": "/echo"}},
         {"closed": {"name": "idle", "count": 3}}, {"closed": {"name": "h2", "count": 1}},
         {"ask": {"name": "device", "path": "/echo"}}]
        """#)
      #expect(outcomes[5].closed == 3)
      #expect(outcomes[6].closed == 1)
      #expect(outcomes[7].statuses == [200])
    }
  }

  /// Where all have shown who they are, the one that has been idle for long enough gives up its place.
  @Test func evictsTheIdleWhenAllAreKnown() async throws {
    var limits = HTTPServerLimits()
    limits.connections = 2
    limits.unauthenticatedIdleTimeout = .milliseconds(100)
    try await withServer(limits) { server in
      let outcomes = try await server.hostile.run(
        #"""
        [{"open": {"name": "a"}}, {"ask": {"name": "a", "path": "/login"}}, {"open": {"name": "b"}},
         {"ask": {"name": "b", "path": "/login"}}, {"idle": {"name": "a", "seconds": 0.3}},
         {"ask": {"name": "b", "path": "/echo"}}, {"open": {"name": "c"}}, {"ask": {"name": "c", "path": "/login"}},
         {"closed": {"name": "a", "count": 1}}, {"ask": {"name": "b", "path": "/echo"}}]
        """#)
      #expect(outcomes.compactMap(\.statuses) == Array(repeating: [200], count: 5))
      #expect(outcomes.compactMap(\.closed) == [1])
    }
  }

  @Test(arguments: [
    ("192.0.2.1", "192.0.2.1"), ("::ffff:192.0.2.1", "192.0.2.1"), ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2"),
    ("2001:db8:1:2::6", "2001:db8:1:2"), ("2001:db8::6", "2001:db8:0:0"), ("fe80::1%eth0", "fe80:0:0:0"),
    ("::1", "0:0:0:0"), ("", ""),
  ])
  func tellsSourcesApart(address: String, group: String) {
    #expect(SourceAddress.group(address) == group)
  }
}
