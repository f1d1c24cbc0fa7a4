import Bytes
import Facebook
import Identity
import Model
import Outbound
import Synchronization
import TestSupport
import Testing

/// Facebook tokens: what is asked, what the answers mean, what is remembered (FB-03).
@Suite struct FacebookVerifierTests {
    static let good = #"{"data":{"app_id":"42","type":"USER","is_valid":true,"user_id":"1001","expires_at":5000}}"#

    static func login(_ url: String = "https://graph.example.com/debug_token") throws -> SocialLogin {
        SocialLogin(provider: "facebook", appID: "42", appSecret: "s&cret", verifyURL: try WebURL(url))
    }

    static func verdict(_ verifier: FacebookVerifier, _ token: String = "EAAB", now: Int64 = 1000) throws
        -> SocialVerdict
    {
        verifier.verdict(on: Array(token.utf8), for: try login(), now: now).settled()
    }

    @Test(
        "token and app credentials are escaped in the query",
        arguments: [
            ("https://graph.example.com/debug_token", "/debug_token?"), ("https://g.example.com/x?v=1", "/x?v=1&"),
        ])
    func call(_ url: String, _ start: String) throws {
        let facebook = Provider()
        let verifier = FacebookVerifier(caller: facebook) { 1000 }
        _ = verifier.verdict(on: Array("EA&x=1|#".utf8), for: try Self.login(url), now: 1000).settled()
        #expect(facebook.asked == ["\(start)input_token=EA%26x%3D1%7C%23&access_token=42%7Cs%26cret"])
    }

    @Test(
        "answers are interpreted as specified",
        arguments: [
            (good, SocialVerdict.valid(userID: "1001", endsAt: 5000)),
            (
                #"{"data":{"app_id":42,"is_valid":true,"user_id":1001,"expires_at":0}}"#,
                .valid(userID: "1001", endsAt: nil)
            ),
            (#"{"data":{"app_id":"43","is_valid":true,"user_id":"1001"}}"#, .invalid),
            (#"{"data":{"is_valid":true,"user_id":"1001"}}"#, .invalid),
            (#"{"data":{"app_id":"42","is_valid":false,"user_id":"1001"}}"#, .invalid),
            (#"{"data":{"app_id":"42","is_valid":true,"user_id":"1001","expires_at":1000}}"#, .invalid),
            (#"{"data":{"app_id":"42","is_valid":true,"user_id":""}}"#, .invalid),
            (#"{"data":{"app_id":"42","is_valid":true,"user_id":"1\n2"}}"#, .invalid),
            (#"{"data":{"app_id":"42","is_valid":true}}"#, .invalid),
            (#"{"data":{"app_id":"42","type":"PAGE","is_valid":true,"user_id":"1001"}}"#, .invalid),
            (#"{"data":{"error":{"code":190},"is_valid":false,"scopes":[]}}"#, .invalid),
            (#"{"error":{"code":190}}"#, .unavailable), (#"{"data":{"is_valid":"true"}}"#, .unavailable),
            ("", .unavailable), ("<html>", .unavailable),
        ])
    func answers(_ json: String, _ expected: SocialVerdict) throws {
        let facebook = Provider()
        facebook.answers(json)
        #expect(try Self.verdict(FacebookVerifier(caller: facebook) { 1000 }) == expected)
    }

    @Test("a status other than 200 is an outage, not an invalid token", arguments: [301, 400, 401, 403, 429, 500, 503])
    func status(_ status: Int) throws {
        let facebook = Provider()
        facebook.answers(Self.good, status: status)
        #expect(try Self.verdict(FacebookVerifier(caller: facebook) { 1000 }) == .unavailable)
    }

    @Test(
        "verdicts are cached for ten minutes, ten seconds or not at all, and not beyond expiry",
        arguments: [
            (good, 600), (#"{"data":{"app_id":"42","is_valid":true,"user_id":"1","expires_at":1030}}"#, 30),
            (#"{"data":{"app_id":"42","is_valid":true,"user_id":"1","expires_at":0}}"#, 600),
            (#"{"data":{"app_id":"42","is_valid":false}}"#, 10), ("", 0),
        ] as [(String, Int64)])
    func memory(_ json: String, _ seconds: Int64) throws {
        let facebook = Provider()
        facebook.answers(json)
        let clock = Mutex<Int64>(1000)
        let verifier = FacebookVerifier(caller: facebook) { clock.withLock { $0 } }
        let first = try Self.verdict(verifier)
        if seconds > 0 {
            #expect(try Self.verdict(verifier, now: 1000 + seconds - 1) == first)
            #expect(facebook.asked.count == 1)
        }
        clock.withLock { $0 = 1000 + seconds }
        _ = try Self.verdict(verifier, now: 1000 + seconds)
        #expect(facebook.asked.count == 2)
    }

    @Test("verdicts are separate by token and app")
    func keysAreApart() throws {
        let facebook = Provider()
        facebook.answers(Self.good)
        let verifier = FacebookVerifier(caller: facebook) { 1000 }
        _ = try Self.verdict(verifier, "EAAB")
        _ = try Self.verdict(verifier, "EAAC")
        var other = try Self.login()
        other.appID = "43"
        #expect(verifier.verdict(on: Array("EAAB".utf8), for: other, now: 1000).settled() == .invalid)
        #expect(facebook.asked.count == 3)
    }

    @Test("concurrent requests with one token make one call")
    func singleFlight() throws {
        let facebook = SlowProvider()
        let verifier = FacebookVerifier(caller: facebook) { 1000 }
        let told = Mutex<[SocialVerdict]>([])
        for _ in 0..<20 {
            guard case .await(let begin) = verifier.verdict(on: Array("EAAB".utf8), for: try Self.login(), now: 1000)
            else {
                Issue.record("known already")
                return
            }
            begin { effect in told.withLock { $0.append(effect.settled()) } }
        }
        #expect(told.withLock { $0.isEmpty })
        #expect(facebook.calls == 1)
        facebook.answer(OutboundResult.response(OutboundResponse(status: 200, body: Array(Self.good.utf8))))
        #expect(told.withLock { $0 } == Array(repeating: .valid(userID: "1001", endsAt: 5000), count: 20))
    }

    @Test(
        "a token that cannot be sent is refused without a call",
        arguments: ["", "with blank", "über", String(repeating: "x", count: 3000)])
    func unaskable(_ token: String) throws {
        let facebook = Provider()
        #expect(try Self.verdict(FacebookVerifier(caller: facebook) { 1000 }, token) == .invalid)
        #expect(facebook.asked.isEmpty)
    }

    @Test("the cache is bounded")
    func capacity() throws {
        let facebook = Provider()
        facebook.answers(Self.good)
        let verifier = FacebookVerifier(caller: facebook, capacity: 4) { 1000 }
        for number in 0..<20 { _ = try Self.verdict(verifier, "token\(number)") }
        #expect(facebook.asked.count == 20)
        let before = facebook.asked.count
        for number in 0..<20 { _ = try Self.verdict(verifier, "token\(number)") }
        #expect(facebook.asked.count >= before + 16)
    }
}

/// Answers when the test says so.
private final class SlowProvider: OutboundCaller {
    private let waiting = Mutex<[@Sendable (OutboundResult) -> Void]>([])

    var calls: Int { waiting.withLock { $0.count } }

    func perform(_ call: OutboundCall, then: @escaping @Sendable (OutboundResult) -> Void) {
        waiting.withLock { $0.append(then) }
    }

    func answer(_ result: OutboundResult) {
        let answered = waiting.withLock { waiting in
            defer { waiting = [] }
            return waiting
        }
        for then in answered { then(result) }
    }
}
