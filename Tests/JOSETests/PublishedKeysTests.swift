import Crypto
import JOSE
import Model
import Synchronization
import TestSupport
import Testing

/// Tokens of issuers whose keys are elsewhere: what is asked for them, and when nothing is.
@Suite struct PublishedKeysTests {
    private static let now: Int64 = 1_800_000_000
    private static let key = SigningKey.generate(.es256)

    /// Answers as it was set to, and counts.
    private final class Source: KeySource {
        private let state: Mutex<(answer: KeyAvailability, needs: [KeyNeed])>
        private let atHand: KeyAvailability

        init(_ answer: KeyAvailability, atHand: KeyAvailability = .unavailable) {
            state = Mutex((answer, []))
            self.atHand = atHand
        }

        var needs: [KeyNeed] { state.withLock { $0.needs } }

        func keys(for need: KeyNeed, now: Int64) -> KeyAvailability {
            state.withLock {
                $0.needs.append(need)
                return $0.answer
            }
        }

        func keysAtHand(for need: KeyNeed, now: Int64) -> KeyAvailability { atHand }

        func fetch(for need: KeyNeed, then: @escaping @Sendable (KeyAvailability) -> Void) {
            Issue.record("a verifier fetches nothing")
        }
    }

    private func verifier(_ source: Source) -> JWTVerifier {
        JWTVerifier(issuers: [
            TrustedIssuer(name: "idp", issuer: "https://idp", audiences: ["api"], keys: .published(source))
        ])
    }

    private func token(
        _ claims: String = "", audience: String = "api", expiresAt: Int64 = now + 60, kid: String? = "k",
        key: SigningKey = key
    ) -> String {
        let header = #"{"alg":"\#(key.algorithm.rawValue)"\#(kid.map { #","kid":"\#($0)""# } ?? "")}"#
        let claims = #"{"iss":"https://idp","sub":"ann","aud":"\#(audience)","exp":\#(expiresAt)\#(claims)}"#
        let input = base64URL(header) + "." + base64URL(claims)
        return input + "." + base64URL(key.sign(input))
    }

    private func set(_ kid: String? = "k") -> KeySet { KeySet(keys: [JSONWebKey(Self.key, kid: kid)]) }

    private func words(_ outcome: VerificationOutcome) -> String {
        switch outcome {
        case .verified(let token): "verified \(token.subject ?? "")"
        case .rejected(let rejection): "\(rejection)"
        case .needsKeys(let index, let need): "needs \(index) \(need.keyID ?? "-") \(need.wasTriedInVain)"
        case .keysUnavailable: "unavailable"
        }
    }

    @Test func keysThatAreThereDecide() {
        let source = Source(.ready(set()))
        #expect(words(verifier(source).verify(token(), now: Self.now)) == "verified ann")
        #expect(source.needs == [KeyNeed(keyID: "k", algorithm: .es256)])
        #expect(words(verifier(source).verify(token(kid: "other"), now: Self.now)) == "unknownKey")
        let stranger = SigningKey.generate(.es256)
        #expect(words(verifier(source).verify(token(key: stranger), now: Self.now)) == "badSignature")
        #expect(source.needs.map(\.wasTriedInVain) == [false, false, false, true])
    }

    @Test func keysThatAreNotThereAreAskedFor() {
        #expect(words(verifier(Source(.fetch)).verify(token(), now: Self.now)) == "needs 0 k false")
        #expect(words(verifier(Source(.unavailable)).verify(token(), now: Self.now)) == "unavailable")
    }

    /// No server is called for the sake of a token that is refused anyway.
    @Test func whatIsRefusedAnywayAsksNobody() {
        let source = Source(.fetch)
        let verifier = verifier(source)
        #expect(words(verifier.verify(token(expiresAt: Self.now - 61), now: Self.now)) == "expired")
        #expect(words(verifier.verify(token(audience: "b"), now: Self.now)) == "wrongAudience")
        #expect(words(verifier.verify(token(#","nbf":1900000000"#), now: Self.now)) == "notYetValid")
        let secret = SigningKey.generate(.hs256)
        #expect(words(verifier.verify(token(key: secret), now: Self.now)) == "unsupportedAlgorithm")
        #expect(words(verifier.verify("a.b.c", now: Self.now)) == "malformed")
        #expect(source.needs.isEmpty)
    }

    @Test(
        "a signature that no key fits may be that of a new key: without a name, or in the place of another one",
        arguments: [nil, "k"])
    func newKeys(kid: String?) {
        let stranger = SigningKey.generate(.es256)
        let source = Source(.ready(set(kid)))
        #expect(words(verifier(source).verify(token(kid: kid), now: Self.now)) == "verified ann")
        #expect(words(verifier(source).verify(token(kid: kid, key: stranger), now: Self.now)) == "badSignature")
        #expect(source.needs.map(\.wasTriedInVain) == [false, false, true])
        #expect(source.needs.map(\.keyID) == [kid, kid, kid])
    }

    /// Who may not wait gets an answer from what is there.
    @Test func keysAtHand() {
        func verify(_ token: String, _ atHand: KeyAvailability) -> String {
            let source = Source(.fetch, atHand: atHand)
            let token = Array(token.utf8)
            let answer = words(verifier(source).verify(token.span, now: Self.now, with: .atHand))
            #expect(source.needs.isEmpty)
            return answer
        }
        #expect(verify(token(), .ready(set())) == "verified ann")
        #expect(verify(token(), .ready(set("new"))) == "unknownKey")
        #expect(verify(token(kid: nil, key: .generate(.es256)), .ready(set(nil))) == "badSignature")
        #expect(verify(token(), .unavailable) == "unavailable")
    }

    @Test func fetchedKeysHaveTheLastWord() {
        let source = Source(.fetch)
        let verifier = verifier(source)
        func verify(_ token: String, _ keys: KeySet) -> String {
            let token = Array(token.utf8)
            return words(verifier.verify(token.span, now: Self.now, with: .fetched(keys, issuerIndex: 0)))
        }
        #expect(verify(token(), set()) == "verified ann")
        #expect(verify(token(kid: "z"), set()) == "unknownKey")
        #expect(verify(token(kid: nil, key: .generate(.es256)), set(nil)) == "badSignature")
        #expect(source.needs.isEmpty)
    }
}
