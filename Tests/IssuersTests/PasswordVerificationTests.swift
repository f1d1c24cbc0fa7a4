import Bytes
import Identity
import Issuers
import JOSE
import MobileSocial
import Model
import Outbound
import TestSupport
import Testing

/// Modules that are asked whether a user's password is right (OMS-12).
@Suite struct PasswordVerificationTests {
    private typealias Verdict = Result<PasswordVerdict, IssueFailure>

    private static let login = PresentedLogin(username: "jo e", password: "p&ss:wörd")

    private static let http: [String: IssuerValue] = [
        "url": .text("https://directory.example/verify"),
        "json": .json(
            (try? JSONNode.parse(Array(#"{"u": "{username}", "p": "{password}"}"#.utf8).span)) ?? JSONNode(.null)),
        "headers": .map([(name: "Authorization", value: "Basic {basic}")]),
        "wrongStatus": .numbers([401, 422]),
        "token": .object(["pointer": .text("/user")]),
    ]

    private func ask(
        _ module: IssuerModule, _ values: [String: IssuerValue], _ caller: ScriptedCaller
    ) throws -> Verdict {
        try BuiltModule.make(module, values, caller).verify(Self.login, now: 1_700_000_000).settled()
    }

    @Test("RFC 7617: a name with a colon would be another user to the server, and is not sent")
    func colon() throws {
        let caller = ScriptedCaller(.failed(.connect))
        let issuer = try BuiltModule.make(.login, Self.http, caller)
        let login = PresentedLogin(username: "joe:x", password: "y")
        #expect(issuer.verify(login, now: 1_700_000_000).settled() == .success(.wrong))
        #expect(caller.calls.isEmpty)
    }

    private func body(_ call: OutboundCall) throws -> JSONNode { try JSONNode.parse(call.body.span) }

    private func check(
        _ module: IssuerModule, _ values: [String: IssuerValue], _ cases: [(OutboundResult, Verdict)]
    ) throws {
        for (result, verdict) in cases {
            let caller = ScriptedCaller(result)
            let answer = try ask(module, values, caller)
            #expect(answer == verdict, "\(module.kind) \(result)")
            #expect(caller.calls.count == 1, "accounts are locked after a few wrong ones")
            #expect(caller.calls.first?.mayRepeat == false)
            if case .failure(let failure) = answer { #expect(failure.detail?.contains("p&ss") != true) }
        }
    }

    private static let outages: [(OutboundResult, Verdict)] = [
        (.failed(.timeout), .failure(.unavailable)), (.failed(.connect), .failure(.unavailable)),
        (.json("", status: 503, [(name: "Retry-After", value: "7")]), .failure(.unavailable(retryAfter: 7))),
        (.json("", status: 500), .failure(.unavailable)),
        // About one account, or this gateway: the server is well.
        (.json("", status: 429, [(name: "Retry-After", value: "9")]), .success(.throttled(retryAfter: 9))),
        (.json("", status: 429), .success(.throttled(retryAfter: 30))),
        // A page that is no answer admits no user.
        (.json("<h1>Welcome</h1>"), .failure(.invalidToken)), (.json("{}"), .failure(.invalidToken)),
    ]

    @Test("the password grant's answers are classified")
    func oauth2() throws {
        try check(
            .oauth2, BuiltModule.oauth2(),
            [
                (.token("t"), .success(.right)), (.refusal("invalid_grant"), .success(.wrong)),
                (.refusal("access_denied"), .success(.forbidden)),
                (.refusal("invalid_client", status: 401), .failure(.misconfigured)),
                (.refusal("unauthorized_client"), .failure(.misconfigured)),
                (.refusal("temporarily_unavailable"), .failure(.unavailable)),
                (.json("", status: 404), .failure(.invalidToken)),
            ] + Self.outages)
        let caller = ScriptedCaller(.token("t"))
        _ = try ask(.oauth2, BuiltModule.oauth2(["scope": .text("login")]), caller)
        let form = try caller.form()
        #expect(form["grant_type"] == "password" && form["username"] == "jo e" && form["password"] == "p&ss:wörd")
        #expect(form["scope"] == "login" && caller.header("Authorization") != nil)
    }

    @Test("Mobile & Social answers are classified")
    func mobileSocial() throws {
        let token = #"{"X-Idaas-Rest-Token-Type": "USERTOKEN", "X-Idaas-Rest-Token-Value": "u"}"#
        let handle = #"{"X-Idaas-Rest-Token-Type": "CLIENTREGHANDLE", "X-Idaas-Rest-Token-Value": "h"}"#
        let values = BuiltModule.mobileSocial(["username": nil, "password": nil, "login": .text("caller")])
        try check(
            .mobileSocial, values,
            [
                (.json(token), .success(.right)), (.json("", status: 401), .success(.wrong)),
                (.json("", status: 403), .success(.forbidden)), (.json(handle), .failure(.invalidToken)),
                (.json("", status: 404), .failure(.misconfigured)),
            ] + Self.outages)
        let caller = ScriptedCaller(.json(handle))
        let registering = values.merging(["register": .flag(true), "clientId": .text("DemoApp")]) { $1 }
        #expect(try ask(.mobileSocial, registering, caller) == .success(.right))
        #expect(caller.calls[0].url.target.hasSuffix("/register"))
        let sent = try body(caller.calls[0])
        #expect(sent["X-Idaas-Rest-Subject-Type"]?.string == "USERCREDENTIAL")
        #expect(sent["X-Idaas-Rest-Subject-Username"]?.string == "jo e")
        #expect(sent["X-Idaas-Rest-Subject-Password"]?.string == "p&ss:wörd")
        #expect(sent["clientId"]?.string == "DemoApp")
    }

    @Test("HTTP login answers are classified")
    func http() throws {
        try check(
            .login, Self.http,
            [
                (.json(#"{"user": "joe"}"#), .success(.right)), (.json("", status: 401), .success(.wrong)),
                (.json("", status: 422), .success(.wrong)), (.json("", status: 403), .success(.forbidden)),
                (.json("", status: 404), .failure(.invalidToken)),
            ] + Self.outages)
        let caller = ScriptedCaller(.json(#"{"user": "joe"}"#))
        _ = try ask(.login, Self.http, caller)
        let sent = try body(caller.calls[0])
        #expect(sent["u"]?.string == "jo e" && sent["p"]?.string == "p&ss:wörd")
        let pair = String(decoding: Base64.encode(Array("jo e:p&ss:wörd".utf8).span, .standard), as: UTF8.self)
        #expect(caller.header("Authorization") == "Basic \(pair)")
    }

    @Test("an issuer that only verifies passwords issues no tokens")
    func noTokens() throws {
        let caller = ScriptedCaller(.json(#"{"user": "joe"}"#))
        let issuer = try BuiltModule.make(.login, Self.http, caller)
        #expect(throws: IssueFailure.misconfigured) {
            _ = try issuer.issue(BuiltModule.request(), now: 0).settled().get()
        }
        #expect(caller.calls.isEmpty)
        let other = try BuiltModule.make(.login, ["url": .text("https://a.example/")], caller)
        #expect(!other.verifiesPasswords)
        #expect(try !BuiltModule.make(.fixed, ["token": .text("t")]).verifiesPasswords)
    }

    @Test("password placeholders are allowed only where they are not logged, and without caller placeholders")
    func templates() throws {
        let wrong: [[String: IssuerValue]] = [
            ["url": .text("https://a.example/{password}")],
            ["form": .map([(name: "p", value: "{password}"), (name: "s", value: "{subject}")])],
            ["form": .map([(name: "u", value: "{username}")])],
            ["form": .map([(name: "p", value: "{password}")]), "retries": .number(1), "idempotent": .flag(true)],
        ]
        for values in wrong {
            let whole = ["url": IssuerValue.text("https://a.example/")].merging(values) { $1 }
            #expect(throws: IssuerProblem.self) { try BuiltModule.make(.login, whole) }
        }
    }

    @Test("the breaker protects a server that is down, and ignores wrong passwords")
    func guarded() throws {
        let caller = ScriptedCaller { _, number in
            number < 20 ? .refusal("invalid_grant") : number < 21 ? .token("t") : .failed(.timeout)
        }
        let gate = IssuerGate(name: "as")
        let passwords = try #require(
            IssuerPasswords(
                GuardedIssuer(
                    BuiltModule.make(.oauth2, BuiltModule.oauth2(), caller), settings: GuardedIssuer.Settings(),
                    gate: gate, clock: { 0 })))
        func ask() -> Result<PasswordVerdict, PasswordOutage> { passwords.verify(Self.login, now: 0).settled() }
        for _ in 0..<20 { #expect(ask() == .success(.wrong)) }
        #expect(ask() == .success(.right))
        for _ in 0..<20 {
            guard case .failure(let outage) = ask() else { throw Unexpected() }
            #expect(outage.reason == .unavailable && outage.isDown && outage.retryAfterSeconds == 1)
        }
        #expect(caller.calls.count == 26)
        let report = gate.report
        #expect(report.count(.refused) == 20 && report.count(.verified) == 1)
        #expect(report.count(.unavailable) == 5 && report.count(.spared) == 15 && report.underWay == 0)
        let fixed = GuardedIssuer(
            StaticIssuer(token: "t"), settings: GuardedIssuer.Settings(), gate: gate, clock: { 0 })
        let none = IssuerPasswords(fixed)
        #expect(none == nil)
    }

    private struct Unexpected: Error {}
}
