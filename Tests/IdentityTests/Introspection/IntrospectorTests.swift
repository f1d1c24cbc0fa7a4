import Bytes
import Crypto
import Foundation
import Identity
import JOSE
import Model
import Outbound
import Synchronization
import TestSupport
import Testing

/// RFC 7662, as the one who asks.
@Suite struct IntrospectorTests {
    private static let now: Int64 = 1_700_000_000

    private static func json(_ text: String, status: Int = 200) -> OutboundResult {
        .response(OutboundResponse(status: status, body: Array(text.utf8)))
    }

    private static let good = json(
        """
        {"active":true,"sub":"joe","exp":\(now + 600),"iss":"https://as.example.com","aud":["x","gateway"],\
        "iat":\(now),"jti":"7"}
        """)

    private func introspector(
        _ caller: HoldingCaller, _ change: (inout IntrospectionServer) -> Void = { _ in }
    ) throws -> Introspector {
        var server = IntrospectionServer(
            name: "as", issuer: "https://as.example.com", url: try WebURL("https://as.example.com/introspect"),
            client: OAuth2Client(id: "gate way", authentication: .secretBasic("a:b%")), audiences: ["gateway"])
        change(&server)
        return Introspector(server: server, caller: caller)
    }

    private func verdict(
        _ introspector: Introspector, _ token: String = "opaque", at now: Int64 = now
    ) -> Introspector.Answer {
        introspector.verdict(on: Array(token.utf8), now: now).settled()
    }

    private func isActive(_ answer: Introspector.Answer) -> Bool? {
        switch answer {
        case .success(.active): true
        case .success(.inactive), .success(.proofRequired): false
        case .failure: nil
        }
    }

    @Test("the report counts hits, verdicts and failures")
    func report() throws {
        let caller = HoldingCaller(Self.good)
        let introspector = try introspector(caller)
        #expect(introspector.report.misses == 0 && !introspector.report.isFailing)
        for _ in 0..<3 { _ = verdict(introspector) }
        caller.answer(Self.json(#"{"active":false}"#))
        _ = verdict(introspector, "other")
        let good = introspector.report
        #expect(good.hits == 2 && good.misses == 2 && good.active == 1 && good.inactive == 1 && good.remembered == 2)
        #expect(good.failed.isEmpty && !good.isFailing)
        for (result, cause) in [
            (OutboundResult.failed(.connect), "connect"), (.failed(.tls), "tls"), (Self.json("{}"), "unusable"),
            (Self.json(#"{"active":true}"#, status: 500), "status"),
        ] {
            caller.answer(result)
            _ = verdict(introspector, cause)
            #expect(introspector.report.failed[cause] == 1 && introspector.report.isFailing)
        }
        caller.answer(nil)
        guard case .await(let begin) = introspector.verdict(on: Array("held".utf8), now: Self.now) else {
            Issue.record("it was not asked")
            return
        }
        begin { _ in }
        #expect(introspector.report.underWay == 1)
        caller.release(Self.good)
        #expect(introspector.report.underWay == 0 && !introspector.report.isFailing)
    }

    @Test("the request is as in RFC 7662, with the gateway's credentials")
    func theRequest() throws {
        let caller = HoldingCaller(Self.good)
        guard case .success(.active(let token)) = verdict(try introspector(caller), "a+b/c=") else {
            Issue.record("not active")
            return
        }
        #expect(token.expiresAt == Self.now + 600 && token.issuedAt == Self.now && token.tokenID == "7")
        #expect(token.knownUntil == Self.now + 60)
        #expect(token.claims["sub"]?.string == "joe")
        let call = try #require(caller.calls.first)
        #expect(call.method == "POST")
        #expect(call.url.description == "https://as.example.com/introspect")
        #expect(
            String(decoding: call.body, as: UTF8.self) == "token=a%2Bb%2Fc%3D&token_type_hint=access_token")
        let fields = Dictionary(uniqueKeysWithValues: call.headers.map { ($0.name, $0.value) })
        // RFC 6749 section 2.3.1: both halves form-encoded.
        #expect(fields["Authorization"] == "Basic Z2F0ZSUyMHdheTphJTNBYiUyNQ==")
        #expect(fields["Content-Type"] == "application/x-www-form-urlencoded")
    }

    @Test("the client can authenticate by a signed assertion or its certificate", arguments: [nil, "https://as/i"])
    func strongAuthentication(_ audience: String?) throws {
        let key = SigningKey.generate(.es256)
        let caller = HoldingCaller(Self.good)
        let introspector = try introspector(caller) {
            $0.client = OAuth2Client(id: "gate way", authentication: .privateKeyJWT(JWTSigner(key: key, keyID: "k")))
            $0.assertionAudience = audience
        }
        for token in ["a", "b"] { _ = verdict(introspector, token) }
        let forms = caller.calls.map { Self.form($0) }
        #expect(caller.calls.allSatisfy { call in !call.headers.contains { $0.name == "Authorization" } })
        let type = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
        #expect(forms.allSatisfy { $0["client_assertion_type"] == type && $0["client_id"] == "gate way" })
        let trust = TrustedIssuer(
            name: "c", issuer: "gate way", audiences: [audience ?? "https://as.example.com"],
            keys: KeySet(keys: [JSONWebKey(key, kid: "k")]), maximumLifetimeSeconds: 60)
        let ids = try forms.map { form in
            let assertion = Array(try #require(form["client_assertion"]).utf8)
            guard case .verified(let token) = JWTVerifier(issuers: [trust]).verify(assertion.span, now: Self.now) else {
                throw IntrospectionFailure()
            }
            #expect(token.claims["sub"]?.string == "gate way")
            return token.claims["jti"]?.string
        }
        #expect(ids.count == 2 && ids[0] != ids[1] && ids[0]?.isEmpty == false)

        let other = HoldingCaller(Self.good)
        let byCertificate = try self.introspector(other) {
            $0.client = OAuth2Client(id: "gate way", authentication: .certificate)
        }
        #expect(isActive(verdict(byCertificate)) == true)
        let form = Self.form(try #require(other.calls.first))
        #expect(form["client_id"] == "gate way" && form["client_assertion"] == nil)
    }

    private static func form(_ call: OutboundCall) -> [String: String] {
        let pairs = String(decoding: call.body, as: UTF8.self).split(separator: "&").map { field in
            let parts = field.split(separator: "=", maxSplits: 1).map {
                ($0.replacing("+", with: " ")).removingPercentEncoding ?? ""
            }
            return (parts[0], parts.count > 1 ? parts[1] : "")
        }
        return Dictionary(pairs) { first, _ in first }
    }

    @Test("an RSA signature is offloaded, for one of several requests about a token")
    func slowSignature() throws {
        let caller = HoldingCaller(nil)
        let introspector = try introspector(caller) {
            let key = SigningKey.generate(.rs256)
            $0.client = OAuth2Client(id: "g", authentication: .privateKeyJWT(JWTSigner(key: key)))
        }
        let answers = Mutex<[Bool?]>([])
        let isActive = isActive
        // Takes the first step of a verdict; answers whether it has work for the computing pool.
        func begin() -> Bool {
            guard case .await(let begin) = introspector.verdict(on: Array("token".utf8), now: Self.now) else {
                return false
            }
            let work = Mutex<(@Sendable () -> Effect<Introspector.Answer>)?>(nil)
            begin { effect in
                switch effect {
                case .done(let answer): answers.withLock { $0.append(isActive(answer)) }
                case .offload(let slow): work.withLock { $0 = slow }
                default: Issue.record("unexpected")
                }
            }
            guard let slow = work.withLock({ $0 }) else { return false }
            #expect(caller.calls.isEmpty)
            guard case .await(let ask) = slow() else { return false }
            ask { effect in
                if case .done(let answer) = effect { answers.withLock { $0.append(isActive(answer)) } }
            }
            return true
        }
        #expect(begin())
        #expect(!begin() && !begin())
        #expect(caller.calls.count == 1 && introspector.report.underWay == 1)
        caller.release(Self.good)
        #expect(answers.withLock { $0 } == [true, true, true])
    }

    static let inactive = [
        #"{"active":false}"#,
        // AMB-02.
        #"{"active":true,"sub":"joe","aud":"gateway"}"#,
        #"{"active":true,"exp":\#(now),"aud":"gateway"}"#,
        #"{"active":true,"exp":"\#(now + 60)","aud":"gateway"}"#,
        #"{"active":true,"exp":\#(now + 60),"aud":"other"}"#,
        #"{"active":true,"exp":\#(now + 60),"aud":[7]}"#,
        #"{"active":true,"exp":\#(now + 60)}"#,
        #"{"active":true,"exp":\#(now + 60),"aud":"gateway","iss":"https://evil.example.com"}"#,
        #"{"active":true,"exp":\#(now + 60),"aud":"gateway","nbf":\#(now + 90)}"#,
        #"{"active":true,"exp":\#(now + 60),"aud":"gateway","iat":\#(now + 90)}"#,
        // Bound to a key that no route here asks for.
        #"{"active":true,"exp":\#(now + 60),"aud":"gateway","token_type":"DPoP"}"#,
    ]

    @Test("an answer that is inactive, expired or for others is inactive", arguments: inactive)
    func whatIsNotGood(_ body: String) throws {
        #expect(isActive(verdict(try introspector(HoldingCaller(Self.json(body))))) == false)
    }

    @Test(
        "an answer that violates the RFC is a failure, such as the string \"true\" for the boolean",
        arguments: [
            (200, #"{"active":"true","exp":1800000000,"aud":"gateway"}"#), (200, #"{"active":1}"#), (200, "{}"),
            (200, ""),
            (200, "<html>"), (401, #"{"error":"invalid_client"}"#), (500, #"{"active":true}"#), (302, ""),
        ])
    func whatIsNoAnswer(_ status: Int, _ body: String) throws {
        #expect(isActive(verdict(try introspector(HoldingCaller(Self.json(body, status: status))))) == nil)
    }

    @Test("failures are not cached", arguments: OutboundFailure.allCases)
    func outages(_ failure: OutboundFailure) throws {
        let caller = HoldingCaller(.failed(failure))
        let introspector = try introspector(caller)
        #expect(isActive(verdict(introspector)) == nil)
        // Not remembered: the next one asks again.
        caller.answer(Self.good)
        #expect(isActive(verdict(introspector)) == true)
    }

    @Test("an answer without an audience is accepted if none is required")
    func audienceThatIsNotAskedFor() throws {
        let introspector = try introspector(HoldingCaller(Self.json(#"{"active":true,"exp":\#(Self.now + 60)}"#))) {
            $0.requireAudience = false
            $0.audiences = []
        }
        #expect(isActive(verdict(introspector)) == true)
    }

    @Test("active verdicts are cached")
    func goodOnesAreRemembered() throws {
        let caller = HoldingCaller(Self.good)
        let introspector = try introspector(caller)
        for second in [0, 30, 59] { #expect(isActive(verdict(introspector, at: Self.now + Int64(second))) == true) }
        #expect(caller.calls.count == 1)
        caller.answer(Self.json(#"{"active":false}"#))
        #expect(isActive(verdict(introspector, at: Self.now + 60)) == false)
        #expect(caller.calls.count == 2)
    }

    @Test("a verdict is not cached beyond the token's expiry")
    func theEndOfTheToken() throws {
        let caller = HoldingCaller(Self.json(#"{"active":true,"exp":\#(Self.now + 5),"aud":"gateway"}"#))
        let introspector = try introspector(caller)
        #expect(isActive(verdict(introspector)) == true)
        #expect(isActive(verdict(introspector, at: Self.now + 5)) == false)
        #expect(caller.calls.count == 2)
    }

    @Test("inactive verdicts are cached for a short time")
    func badOnesAreRememberedShortly() throws {
        let caller = HoldingCaller(Self.json(#"{"active":false}"#))
        let introspector = try introspector(caller)
        for second in [0, 4] { #expect(isActive(verdict(introspector, at: Self.now + Int64(second))) == false) }
        #expect(caller.calls.count == 1)
        caller.answer(Self.good)
        #expect(isActive(verdict(introspector, at: Self.now + 5)) == true)
    }

    @Test("the cache is bounded, and drops the oldest verdicts")
    func memoryIsBounded() throws {
        let caller = HoldingCaller(Self.json(#"{"active":false}"#))
        let introspector = try introspector(caller)
        let count = Introspector.capacity + 1
        for number in 0..<count { _ = verdict(introspector, "t\(number)") }
        // The oldest is gone, the newest is not.
        _ = verdict(introspector, "t\(count - 1)")
        #expect(caller.calls.count == count)
        _ = verdict(introspector, "t0")
        #expect(caller.calls.count == count + 1)
    }

    @Test("concurrent requests with one token share a call")
    func oneCallForAllWhoWait() throws {
        let caller = HoldingCaller(nil)
        let introspector = try introspector(caller)
        let answers = Mutex<[Bool?]>([])
        for _ in 0..<5 {
            guard case .await(let begin) = introspector.verdict(on: Array("opaque".utf8), now: Self.now) else {
                Issue.record("answered without asking")
                return
            }
            begin { effect in
                let answer = isActive(effect.settled())
                answers.withLock { $0.append(answer) }
            }
        }
        #expect(caller.calls.count == 1)
        #expect(answers.withLock { $0.isEmpty })
        caller.release(Self.good)
        #expect(answers.withLock { $0 } == [true, true, true, true, true])
    }

    @Test("the number of concurrent calls is limited")
    func callsAreBounded() throws {
        let caller = HoldingCaller(nil)
        let introspector = try introspector(caller)
        let refused = Mutex(0)
        for number in 0..<Introspector.maximumCalls + 3 {
            guard case .await(let begin) = introspector.verdict(on: Array("t\(number)".utf8), now: Self.now) else {
                continue
            }
            begin { effect in
                if isActive(effect.settled()) == nil { refused.withLock { $0 += 1 } }
            }
        }
        #expect(caller.calls.count == Introspector.maximumCalls)
        #expect(refused.withLock { $0 } == 3)
        caller.release(Self.good)
    }
}
