import Foundation
import Measurement
import Providers
import TestKit
import TestTraits
import Testing

/// What we sign, encrypt and build, read by libraries that share no code with us.
@Suite(
  .ownThread, .enabled(if: Python.has("jwt, cryptography, http_ece, py_vapid, google.auth, firebase_admin")))
struct IndependentReadersTests {
  private func run(_ script: String, _ input: [String: Any]) throws -> String {
    try Python.run(
      "import json,sys,base64,warnings\nwarnings.simplefilter('ignore')\ninput=json.load(open(sys.argv[1]))\n"
        + script,
      input: Array(try JSONSerialization.data(withJSONObject: input)))
  }

  @Test func pyJWTVerifiesTheAPNsToken() throws {
    let signer = try APNsTokenSigner(
      keyPEM: Array(TestKeys.p256.utf8), keyID: "ABC123DEFG", teamID: "DEF123GHIJ")
    let tokens = try (0..<20).map {
      try signer.token(issuedAt: Probes.plannedAt.advanced(byMicroseconds: Int64($0) * 1_000_000))
    }
    let output = try run(
      """
      import jwt
      for n, token in enumerate(input['tokens']):
          assert jwt.get_unverified_header(token) == {'alg': 'ES256', 'kid': 'ABC123DEFG'}
          claims = jwt.decode(token, input['public'], algorithms=['ES256'], options={'verify_iat': False})
          assert claims == {'iss': 'DEF123GHIJ', 'iat': 1772600767 + n}, claims
          signature = base64.urlsafe_b64decode(token.split('.')[2] + '==')
          assert len(signature) == 64, len(signature)
          assert '=' not in token
          broken = token[:-4] + ('AAAA' if token[-4:] != 'AAAA' else 'BBBB')
          try:
              jwt.decode(broken, input['public'], algorithms=['ES256'], options={'verify_iat': False})
              raise SystemExit('a broken signature was taken')
          except jwt.InvalidSignatureError:
              pass
      print('ok')
      """, ["tokens": tokens, "public": TestKeys.publicKey])
    #expect(output == "ok\n")
  }

  /// The assertion must say what google-auth's own one for the same account and instant says.
  @Test func theAssertionIsWhatGoogleAuthWouldSend() throws {
    let json = try ServiceAccountTests.json()
    let request = try ServiceAccount(json: json).tokenRequest(issuedAt: Probes.plannedAt)
    let output = try run(
      """
      import jwt, urllib.parse, datetime
      from unittest import mock
      from google.oauth2 import service_account
      from google.auth import _helpers
      from cryptography.hazmat.primitives.serialization import load_pem_private_key
      info = json.loads(input['account'])
      credentials = service_account.Credentials.from_service_account_info(
          info, scopes=['https://www.googleapis.com/auth/firebase.messaging'])
      now = datetime.datetime(2026, 3, 4, 5, 6, 7)
      with mock.patch.object(_helpers, 'utcnow', return_value=now):
          theirs = credentials._make_authorization_grant_assertion()
      theirs = theirs.decode() if isinstance(theirs, bytes) else theirs
      fields = urllib.parse.parse_qs(input['body'], strict_parsing=True)
      assert fields['grant_type'] == ['urn:ietf:params:oauth:grant-type:jwt-bearer'], fields
      [ours] = fields['assertion']
      public = load_pem_private_key(info['private_key'].encode(), None).public_key()
      options = {'verify_iat': False, 'verify_exp': False, 'verify_aud': False}
      def read(token):
          return jwt.get_unverified_header(token), jwt.decode(token, public, algorithms=['RS256'], options=options)
      assert read(ours) == read(theirs), (read(ours), read(theirs))
      print('ok')
      """,
      [
        "account": String(decoding: json, as: UTF8.self),
        "body": String(decoding: request.body, as: UTF8.self),
      ])
    #expect(output == "ok\n")
  }

  /// firebase-admin's encoder, given the same message, writes the same JSON.
  @Test func theMessageIsWhatFirebaseAdminWouldSend() throws {
    let bodies = try [FCMPriority.high, .normal].map { priority in
      let provider = try FCMProvider(
        origin: "https://fcm.googleapis.com", projectID: "p", deviceToken: "d:\"x\\-_:y", priority: priority,
        ttl: .seconds(priority == .high ? 0 : 3600), validateOnly: priority == .normal, accessToken: "a")
      return String(decoding: provider.request(for: Probes.notification()).body, as: UTF8.self)
    }
    let output = try run(
      """
      from firebase_admin import messaging
      from firebase_admin._messaging_encoder import MessageEncoder
      for body, priority, ttl, dry in zip(input['bodies'], ['high', 'normal'], [0, 3600], [False, True]):
          ours = json.loads(body)
          data = ours['message']['data']
          assert sorted(data) == ['at', 'id', 'mac', 'v'], data
          message = messaging.Message(
              token='d:"x\\\\-_:y', data=data, android=messaging.AndroidConfig(priority=priority, ttl=ttl))
          theirs = {'message': json.loads(json.dumps(message, cls=MessageEncoder)), 'validate_only': dry}
          assert ours == theirs, (ours, theirs)
      print('ok')
      """, ["bodies": bodies])
    #expect(output == "ok\n")
  }

  @Test func httpECEDecryptsWhatABrowserWouldGet() throws {
    var bodies: [String] = []
    for bytes in [nil, WebPushProvider.smallestPayloadBytes, 1000, 4096] {
      let provider = try WebPushProvider(
        subscription: WebPushCipherTests.subscription(), payloadBytes: bytes, authorization: nil)
      for sequence in 1...8 {
        let body = provider.request(for: Probes.notification(Int64(sequence))).body
        bodies.append(Data(body).base64EncodedString())
      }
    }
    let output = try run(
      """
      import http_ece
      from cryptography.hazmat.primitives.asymmetric import ec
      def raw(text): return base64.urlsafe_b64decode(text + '=' * (-len(text) % 4))
      private = ec.derive_private_key(int.from_bytes(raw(input['key']), 'big'), ec.SECP256R1())
      for body in input['bodies']:
          body = base64.b64decode(body)
          assert len(body) <= 4096
          text = http_ece.decrypt(body, private_key=private, auth_secret=raw(input['auth']), version='aes128gcm')
          print(json.loads(text)['pushscope']['id'])
      """,
      ["bodies": bodies, "key": WebPushCipherTests.receiverKey, "auth": "BTBZMqHH6r4Tts7J_aSIgg"])
    let expected = (0..<4).flatMap { _ in (1...8).map { Probes.notification(Int64($0)).id.description } }
    #expect(output.split(separator: "\n").map(String.init) == expected)
  }

  @Test func pyVAPIDVerifiesTheHeader() throws {
    let signer = try VAPIDSigner(keyPEM: Array(TestKeys.sec1.utf8), subject: "mailto:ops@example.com")
    // Now, since py-vapid looks at its own clock.
    let now = WallTime(microseconds: Int64(Date().timeIntervalSince1970 * 1e6))
    let header = try signer.authorization(for: "https://push.example.net:8443", issuedAt: now)
    let output = try run(
      """
      import py_vapid, time
      assert py_vapid.Vapid02.verify(input['header']) is True
      token = input['header'].split('t=')[1].split(',')[0]
      claims = json.loads(base64.urlsafe_b64decode(token.split('.')[1] + '=='))
      assert claims['aud'] == 'https://push.example.net:8443' and claims['sub'] == 'mailto:ops@example.com', claims
      assert 0 < claims['exp'] - time.time() <= 24 * 3600, claims
      try:
          broken = input['header'].replace(token[-6:], 'AAAAAA')
          good = py_vapid.Vapid02.verify(broken)
      except Exception:
          good = False
      assert not good
      print('ok')
      """, ["header": header])
    #expect(output == "ok\n")
  }
}
