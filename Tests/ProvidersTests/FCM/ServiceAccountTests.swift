import Foundation
import Measurement
import Testing

@testable import Providers

@Suite struct ServiceAccountTests {
  static func json(changing: [String: Any] = [:], removing: String = "") throws -> [UInt8] {
    var file: [String: Any] = [
      "type": "service_account", "project_id": "my-project", "private_key_id": "0123abcd",
      "private_key": TestKeys.rsa + "\n", "client_email": "probe@my-project.iam.gserviceaccount.com",
      "client_id": "1", "token_uri": "https://oauth2.googleapis.com/token",
    ]
    for (key, value) in changing { file[key] = value }
    file[removing] = nil
    return Array(try JSONSerialization.data(withJSONObject: file))
  }

  private func refusal(_ json: [UInt8]) -> CredentialError? {
    do throws(CredentialError) {
      _ = try ServiceAccount(json: json)
      return nil
    } catch {
      return error
    }
  }

  @Test func theFileIsRead() throws {
    let account = try ServiceAccount(json: try Self.json())
    #expect(account.clientEmail == "probe@my-project.iam.gserviceaccount.com")
    #expect(account.projectID == "my-project")
    let request = try account.tokenRequest(issuedAt: Probes.plannedAt)
    #expect(request.url == "https://oauth2.googleapis.com/token" && request.method == "POST")
    #expect(request.header("content-type") == "application/x-www-form-urlencoded")
    var dumped = ""
    dump(account, to: &dumped)
    #expect(!dumped.contains("PRIVATE") && !"\(account)".contains("PRIVATE"))
  }

  @Test func whatEnvironmentsMakeOfItIsRead() throws {
    let escaped = TestKeys.rsa.replacing("\n", with: "\\n")
    let text = String(decoding: try Self.json(changing: ["private_key": escaped]), as: UTF8.self)
    let broken = "{\\n  " + text.dropFirst() + "\\n"
    for variant in [text, "\u{FEFF}" + text, broken, "'\(broken)'"] {
      #expect(try ServiceAccount(json: Array(variant.utf8)).projectID == "my-project")
    }
  }

  @Test func whatIsWrongIsSaid() throws {
    #expect(refusal(Array("nonsense".utf8))?.code == .truncated)
    #expect(refusal(Array("{nonsense}".utf8))?.code == .malformed)
    #expect(refusal([])?.code == .truncated)
    #expect(refusal(Array("[1]".utf8))?.code == .malformed)
    let whole = try Self.json()
    #expect(refusal(Array(whole.prefix(whole.count / 2)))?.code == .truncated)
    for key in ["project_id", "private_key", "client_email", "token_uri"] {
      let missing = try #require(refusal(try Self.json(removing: key)))
      #expect(missing.code == .incomplete)
      #expect(missing.message == "has no \"\(key)\"")
      let wrong = try #require(refusal(try Self.json(changing: [key: 7])))
      #expect(wrong.message == "has a \"\(key)\" that is not text")
    }
    #expect(refusal(try Self.json(changing: ["type": "authorized_user"]))?.code == .wrongKey)
    #expect(refusal(try Self.json(changing: ["private_key": TestKeys.p256]))?.code == .wrongKey)
    #expect(refusal(try Self.json(changing: ["private_key": TestKeys.shortRSA]))?.code == .wrongKey)
    let cut = try #require(
      refusal(try Self.json(changing: ["private_key": String(TestKeys.rsa.prefix(700))])))
    #expect(cut.code == .truncated && cut.message.hasPrefix("has a \"private_key\" that ends before"))
    #expect(refusal(try Self.json(changing: ["project_id": "a/b"]))?.code == .invalid)
    #expect(refusal(try Self.json(changing: ["token_uri": "ftp://x"]))?.code == .invalid)
  }

  @Test func theAnswerGivesATokenOrSaysWhyNot() {
    func parse(_ status: Int, _ body: String, _ headers: [(String, String)] = []) -> Result<
      OAuthToken, TokenRefusal
    > {
      OAuthToken.parse(Probes.response(status, body, headers))
    }
    #expect(
      parse(200, #"{"access_token":"ya29.x","expires_in":3599,"token_type":"Bearer"}"#)
        == .success(OAuthToken(value: "ya29.x", lifetime: .seconds(3599))))
    #expect(
      parse(200, #"{"access_token":"ya29.x"}"#)
        == .success(OAuthToken(value: "ya29.x", lifetime: OAuthToken.usualLifetime)))
    #expect(
      parse(200, #"{"access_token":"ya29.x","expires_in":-5}"#)
        == .success(OAuthToken(value: "ya29.x", lifetime: .zero)))
    for body in [
      "", "[]", "{}", #"{"access_token":7}"#, #"{"access_token":"a\nb"}"#, #"{"access_token":""}"#,
    ] {
      guard case .failure(let refusal) = parse(200, body) else {
        Issue.record("\(body) was taken")
        continue
      }
      #expect(refusal.description.contains("no access_token"))
    }
    guard
      case .failure(let refusal) = parse(
        400, #"{"error":"invalid_grant","error_description":"Invalid JWT Signature."}"#)
    else {
      Issue.record("it was taken")
      return
    }
    #expect(refusal.reason == "invalid_grant: Invalid JWT Signature." && refusal.remedy.contains("clock"))
    guard case .failure(let busy) = parse(503, "<html>", [("retry-after", "5")]) else { return }
    #expect(busy.reason == "" && busy.retryAfter == .seconds(5))
    #expect(!"\(OAuthToken(value: "ya29.secret", lifetime: .zero))".contains("secret"))
  }
}
