import Measurement
import Testing

@Suite("Lists of names in a sentence")
struct ListTextTests {
  private static let five = ["apns", "fcm", "hook", "ntfy", "web"]

  @Test("a conjunction stands before the last name only")
  func conjunctions() {
    #expect(ListText.and([]) == "" && ListText.or(["ios"]) == "ios")
    #expect(ListText.and(["ios", "web"]) == "ios and web" && ListText.or(["5", "10"]) == "5 or 10")
    #expect(ListText.and(Array(Self.five.prefix(3))) == "apns, fcm and hook")
    #expect(ListText.or(Array(Self.five.prefix(3))) == "apns, fcm or hook")
  }

  @Test("more than four names are counted")
  func counted() {
    #expect(ListText.namesOrCount(Array(Self.five.prefix(4)), of: "target") == "apns, fcm, hook and ntfy")
    #expect(ListText.namesOrCount(Self.five, of: "target") == "5 targets")
  }

  @Test("of many the first are named, and how many there are more")
  func first() {
    #expect(ListText.first(5, of: Self.five) == "apns, fcm, hook, ntfy, web")
    #expect(ListText.first(3, of: Self.five) == "apns, fcm, hook and 2 more")
    #expect(ListText.first(1, of: Self.five, separator: "; ") == "apns and 4 more")
  }
}
