import FindingsTestKit
import Measurement
import Testing

@testable import Findings

/// Devices that doze, save power or lose Wi-Fi now and then, and episodes that have to do with that, or not.
@Suite struct CircumstanceSearchTests {
  private static let interval = 5.0
  private static let baseline = 7200.0

  /// A device's circumstances while notifications come: each word for a stretch of random length.
  private struct Life {
    var stretches: [(end: Double, isOn: Bool)] = []

    /// - Parameters:
    ///   - on: mean length of a stretch, seconds.
    ///   - off: of the time between two.
    init(_ random: inout ProcessGenerator, on: Double, off: Double, until end: Double) {
      var time = 0.0
      var isOn = random.unit() < on / (on + off)
      while time < end {
        time += (isOn ? on : off) * (0.3 + 1.4 * random.unit())
        stretches.append((time, isOn))
        isOn.toggle()
      }
    }

    func isOn(at time: Double) -> Bool { stretches.first { time < $0.end }?.isOn ?? false }
  }

  private struct Case {
    var samples: [EpisodeSample]
    var window: Range<WallTime>
  }

  private static let origin = WallTime(microseconds: 1_700_000_000_000_000)

  private static func at(_ seconds: Double) -> WallTime {
    origin.advanced(byMicroseconds: Int64(seconds * 1e6))
  }

  /// - Parameters:
  ///   - key: whose word is `on` or not.
  ///   - slows: whether the circumstance makes what it meets slow, in the episode; otherwise all of the episode is slow.
  private static func make(
    _ key: DeviceContextKey, seed: Int, on: Double, off: Double, slows: Bool, length: Double
  ) -> Case {
    var random = ProcessGenerator("circumstance/\(key)/\(on)/\(off)/\(slows)", seed: seed)
    let end = baseline + length
    let life = Life(&random, on: on, off: off, until: end)
    let words = key.isFlag ? ("true", "false") : (key.words[1], key.words[0])
    var samples: [EpisodeSample] = []
    var time = random.unit() * interval
    while time < end {
      defer { time += interval }
      let isOn = life.isOn(at: time)
      let isSlow = time >= baseline && (!slows || isOn)
      let delivery = (isSlow ? 2e6 : 200e3) * (0.7 + 0.6 * random.unit())
      var context = DeviceContext()
      context[key] = isOn ? words.0 : words.1
      // Others that have nothing to do with it.
      context[.app] = random.unit() < 0.5 ? "background" : "foreground"
      context[.bucket] = "active"
      samples.append(
        EpisodeSample(
          plannedAt: at(time), state: .delivered, status: 200, delivery: Int64(delivery), context: context))
    }
    return Case(samples: samples, window: at(baseline)..<at(end))
  }

  private static func search(_ instance: Case) -> Circumstance? {
    CircumstanceSearch.best(of: instance.samples) {
      instance.window.contains($0.plannedAt) && ($0.delivery ?? 0) > 700_000
    }
  }

  @Test("what slows is named", arguments: [DeviceContextKey.idle, .network, .saver])
  func named(key: DeviceContextKey) throws {
    var right = 0
    for seed in 0..<20 {
      // Now and then before, more often in the episode's time: the device is in it for a minute of three.
      let found = Self.search(Self.make(key, seed: seed, on: 60, off: 120, slows: true, length: 1200))
      if let found {
        #expect(found.key == key && found.word == (key.isFlag ? "true" : key.words[1]), "\(found)")
        #expect(found.affected > 0.99 && found.others < 0.4)
        right += 1
      }
    }
    #expect(right >= 16, "\(right) of 20")
  }

  /// Circumstances that come and go by themselves, in stretches of one minute up to hours.
  @Test("what has nothing to do with it is rarely named", arguments: [30.0, 120, 600, 3600])
  func rarelyNamed(length: Double) {
    var named = 0
    for seed in 0..<200 {
      let key: DeviceContextKey = [.idle, .network, .saver][seed % 3]
      let instance = Self.make(key, seed: seed, on: length, off: 2 * length, slows: false, length: 900)
      if Self.search(instance) != nil { named += 1 }
    }
    #expect(named <= 2, "\(named) of 200")
  }

  @Test("one stretch that is as long as the episode says little")
  func onceIsNoProof() {
    var instance = Self.make(.network, seed: 1, on: 60, off: 120, slows: false, length: 900)
    let window = instance.window
    for index in instance.samples.indices {
      let isInside = window.contains(instance.samples[index].plannedAt)
      instance.samples[index].context?[.network] = isInside ? "cellular" : "wifi"
    }
    #expect(Self.search(instance) == nil)
  }
}
