import Measurement
import Providers
import Testing

@Suite struct HeaderFieldTests {
  @Test(arguments: [("x-probe", "1"), ("X_1.~", ""), ("a", "tab\there"), ("a", "é\u{1F514}")])
  func canBeSent(name: String, value: String) { #expect(HeaderField(name, value).isSendable) }

  @Test(arguments: [
    ("", "1"), ("a b", "1"), ("a:", "1"), ("é", "1"), ("a", "1\r\nb: 2"), ("a", "1\n"), ("a", "\u{0}"),
    ("a", "\u{7F}"),
  ]) func cannotBeSent(name: String, value: String) { #expect(!HeaderField(name, value).isSendable) }
}
