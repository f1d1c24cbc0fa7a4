import Bytes
import Crypto
import Model
import TestSupport
import Testing

@testable import JOSE

/// The states of the gateway's own signing keys.
@Suite struct SigningKeyIndexTests {
    private static let terms = SigningKeyTerms(rotateSeconds: 1000, publishSeconds: 100, acceptSeconds: 500)

    private static func key(_ name: String, at time: Int64) -> SigningKeyEntry {
        SigningKeyEntry(keyID: name, file: "signing-\(name).pem", createdAt: time)
    }

    private static func index() -> SigningKeyIndex { SigningKeyIndex(active: key("a", at: 0)) }

    private static func read(_ text: String) throws(SigningKeyError) -> SigningKeyIndex {
        let bytes = Array(text.utf8)
        return try SigningKeyIndex(json: bytes.span)
    }

    private static func message(_ body: () throws(SigningKeyError) -> Void) -> String? {
        do throws(SigningKeyError) { try body() } catch { return error.message }
        return nil
    }

    @Test("a key is published before it signs, and accepted until its last token has ended")
    func rotation() throws {
        var index = Self.index()
        try index.publish(Self.key("b", at: 900))
        #expect(index.active.keyID == "a" && index.accepted(at: 900).map(\.keyID) == ["a", "b"])
        #expect(throws: SigningKeyError.self) { try index.promote(Self.terms, now: 999) }
        #expect(index.active.keyID == "a" && index.next?.keyID == "b")
        try index.promote(Self.terms, now: 1000)
        #expect(index.active.keyID == "b" && index.next == nil)
        #expect(index.keys[0].state == .retired && index.keys[0].retiredAt == 1000)
        #expect(index.accepted(at: 1499).map(\.keyID) == ["b", "a"])
        #expect(index.accepted(at: 1500).map(\.keyID) == ["b"])
        #expect(index.removeEnded(now: 1499).isEmpty)
        #expect(index.removeEnded(now: 1500).map(\.keyID) == ["a"] && index.keys.map(\.keyID) == ["b"])
    }

    @Test("the wait can be skipped, but not the publication")
    func skippedWait() throws {
        var index = Self.index()
        #expect(
            Self.message { () throws(SigningKeyError) in try index.promote(Self.terms, now: 5, waits: false) }
                == "there is no next key")
        try index.publish(Self.key("b", at: 10))
        try index.promote(Self.terms, now: 10, waits: false)
        #expect(index.active.keyID == "b")
    }

    @Test("there is one next key, and no key twice")
    func oneNextKey() throws {
        var index = Self.index()
        #expect(throws: SigningKeyError.self) { try index.publish(Self.key("a", at: 1)) }
        try index.publish(Self.key("b", at: 1))
        #expect(throws: SigningKeyError.self) { try index.publish(Self.key("c", at: 1)) }
    }

    @Test("the active key goes only if another one signs")
    func removal() throws {
        var index = Self.index()
        #expect(throws: SigningKeyError.unknown(keyID: "x")) { try index.remove("x", Self.terms, now: 1) }
        #expect(throws: SigningKeyError.self) { try index.remove("a", Self.terms, now: 1) }
        #expect(index.keys.map(\.keyID) == ["a"])
        try index.publish(Self.key("b", at: 1))
        #expect(try index.remove("a", Self.terms, now: 2).keyID == "a")
        #expect(index.keys.map(\.keyID) == ["b"] && index.active.activatedAt == 2)
        try index.publish(Self.key("c", at: 3))
        #expect(try index.remove("c", Self.terms, now: 4).state == .next)
        #expect(index.next == nil)
    }

    @Test("the schedule publishes ahead of the rotation and removes what has ended")
    func schedule() throws {
        var index = Self.index()
        var step = try #require(Self.terms.nextStep(of: index))
        #expect(step.step == .publish && step.at == 900)
        // Published late: the wait counts from there.
        try index.publish(Self.key("b", at: 950))
        step = try #require(Self.terms.nextStep(of: index))
        #expect(step.step == .promote && step.at == 1050)
        try index.promote(Self.terms, now: 1050)
        step = try #require(Self.terms.nextStep(of: index))
        #expect(step.step == .removeEnded && step.at == 1550)
        _ = index.removeEnded(now: 1550)
        step = try #require(Self.terms.nextStep(of: index))
        #expect(step.step == .publish && step.at == 1950)
    }

    @Test("without a schedule only time removes keys")
    func noSchedule() throws {
        var terms = Self.terms
        terms.rotateSeconds = nil
        var index = Self.index()
        #expect(terms.nextStep(of: index) == nil)
        try index.publish(Self.key("b", at: 1))
        #expect(terms.nextStep(of: index) == nil)
        try index.promote(terms, now: 200)
        let step = try #require(terms.nextStep(of: index))
        #expect(step.step == .removeEnded && step.at == 700)
    }

    @Test("the text of an index is read again")
    func text() throws {
        var index = Self.index()
        try index.publish(Self.key("b", at: 900))
        try index.promote(Self.terms, now: 1000)
        try index.publish(Self.key("c", at: 1100))
        #expect(try Self.read(String(decoding: index.json, as: UTF8.self)) == index)
        index.generation = 7
        #expect(try Self.read(String(decoding: index.json, as: UTF8.self)) == index)
    }

    private static let active = #"{"kid": "a", "file": "a.pem", "state": "active", "createdAt": 1, "activatedAt": 2}"#
    private static let next = #"{"kid": "n", "file": "n.pem", "state": "next", "createdAt": 1}"#

    @Test(
        "a damaged index is refused",
        arguments: [
            ("{", "it is not JSON"),
            ("[]", #"it is no object with an array "keys" alone"#),
            (#"{"keys": [], "more": 1}"#, #"it is no object with an array "keys" alone"#),
            (#"{"keys": []}"#, "it has no active key"),
            (#"{"keys": [\#(next)]}"#, "it has no active key"),
            (#"{"keys": [\#(active), \#(active)]}"#, #"key 1 has the "kid" of an earlier key: "a""#),
            (
                #"{"keys": [\#(active), {"kid": "b", "file": "b", "state": "active", "createdAt": 1, "activatedAt": 2}]}"#,
                "it has 2 active keys; exactly one may be active"
            ),
            (
                #"{"keys": [\#(active), \#(next), {"kid": "m", "file": "m", "state": "next", "createdAt": 1}]}"#,
                "it has 2 next keys; one is allowed"
            ),
            (#"{"keys": [\#(active)], "generation": 0}"#, #"it has a wrong "generation""#),
            (#"{"keys": [\#(active)], "generation": "1"}"#, #"it has a wrong "generation""#),
            (#"{"keys": [1]}"#, "key 0 is not an object"),
            (#"{"keys": [{"file": "a", "state": "active"}]}"#, #"key 0 has no "kid""#),
            (#"{"keys": [{"kid": "a", "file": "../a", "state": "active"}]}"#, #"key 0 has a wrong "file""#),
            (#"{"keys": [{"kid": "a", "file": "a", "state": "old"}]}"#, #"key 0 has a wrong "state""#),
            (
                #"{"keys": [{"kid": "a", "file": "a", "state": "active", "createdAt": -1}]}"#,
                #"key 0 has a wrong "createdAt""#
            ),
            (
                #"{"keys": [{"kid": "a", "file": "a", "state": "active", "createdAt": 1}]}"#,
                #"key 0 has no "activatedAt""#
            ),
            (
                #"{"keys": [{"kid": "a", "file": "a", "state": "retired", "createdAt": 1, "activatedAt": 1, "retiredAt": 2}]}"#,
                #"key 0 has no "acceptedUntil""#
            ),
            (
                #"{"keys": [{"kid": "a", "file": "a", "state": "next", "createdAt": 1, "retiredAt": 2}]}"#,
                #"key 0 is next and has "retiredAt""#
            ),
            (#"{"keys": [{"kid": "a", "kind": "x"}]}"#, #"key 0 has an unknown member "kind""#),
        ])
    func damaged(_ text: String, _ expected: String) {
        let message = Self.message { () throws(SigningKeyError) in _ = try Self.read(text) }
        #expect(message?.hasPrefix(expected) == true, "\(message ?? "accepted")")
    }

    @Test("tokens of all keys of a ring are accepted, and no others")
    func ring() {
        let keys = (0..<3).map { _ in SigningKey.generate(.es256) }
        let ring = SigningKeyRing(active: keys[0], others: [keys[1]])
        let trust = TrustedIssuer(
            name: "local", issuer: "https://gw", audiences: ["api"], keys: ring.accepted, purpose: nil, own: true)
        let verifier = JWTVerifier(issuers: [trust])
        let claims = Array(#"{"iss": "https://gw", "sub": "joe", "aud": "api", "iat": 1, "exp": 100}"#.utf8)
        let outcomes = keys.map { key in
            verifier.verify(JWTSigner(key: key).sign(claims: claims).span, now: 50)
        }
        for outcome in outcomes.prefix(2) {
            guard case .verified = outcome else {
                Issue.record("\(outcome)")
                continue
            }
        }
        guard case .rejected(.unknownKey) = outcomes[2] else {
            Issue.record("\(outcomes[2])")
            return
        }
    }
}
