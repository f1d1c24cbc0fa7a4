import Bytes
import Identity
import Issuers
import MobileSocial
import Model
import Outbound
import TestSupport
import Testing

/// The module `oam`: the client side of Mobile & Social (CACHE-08, oam-wire 8.2).
@Suite struct MobileSocialIssuerTests {
    private let now: Int64 = 1_700_000_000

    private func issue(
        _ caller: ScriptedCaller, _ settings: [String: IssuerValue?] = [:], token: String = "",
        previous: IssuedToken? = nil, challenge: UpstreamChallenge? = BuiltModule.challenge
    ) throws -> Result<IssuedToken, IssueFailure> {
        let issuer = try BuiltModule.make(.mobileSocial, BuiltModule.mobileSocial(settings), caller)
        let request = IssueRequest(
            principal: Callers.principal(token: token), client: nil, webgate: "BackWG", previous: previous,
            challenge: challenge)
        return issuer.issue(request, now: now).settled()
    }

    private func body(_ call: OutboundCall) throws -> JSONNode { try JSONNode.parse(call.body.span) }

    @Test("transcript (b): login, then a token for the challenging Webgate with its context verbatim")
    func account() throws {
        let caller = MobileSocialServer().caller
        let token = try issue(caller).get()
        #expect(
            caller.calls.map(\.url.target) == [
                "/oic_rest/rest/oamauthentication/authenticate", "/oic_rest/rest/oamauthentication/access",
            ])
        #expect(caller.calls.allSatisfy { $0.method == "POST" && $0.url.authority == "oam.example:14101" })
        #expect(caller.header("X-IDAAS-SERVICEDOMAIN") == "Default")
        #expect(caller.header("X-Idaas-Rest-Authorization") == nil)
        let login = try body(caller.calls[0])
        #expect(login["X-Idaas-Rest-Subject-Type"]?.string == "USERCREDENTIAL")
        #expect(login["X-Idaas-Rest-Subject-Username"]?.string == "jdoe")
        #expect(login["X-Idaas-Rest-Subject-Password"]?.string == "s3cret")
        #expect(login["X-Idaas-Rest-New-Token-Type-To-Create"]?.string == "USERTOKEN")
        let access = try body(caller.calls[1])
        #expect(access["X-Idaas-Rest-Subject-Type"]?.string == "TOKEN")
        #expect(access["X-Idaas-Rest-Subject-Value"]?.string == "authenticate-%2F0")
        #expect(access["X-Idaas-Rest-Application-Context"]?.string == "encquery%3Dk2%3D%20agentid%3Dwg1")
        #expect(access["X-Idaas-Rest-Application-Resource"]?.string == "https://www.example.com/protected/page.html")
        #expect(access["X-Idaas-Rest-New-Token-Type-To-Create"]?.string == "ACCESSTOKEN")
        // The value is presented as it came (oam-wire 2).
        #expect(token.value == Array("access-%2F1".utf8))
        #expect(token.expiresAt == now + 3600)
    }

    @Test("transcript (b), mobile: the registration handle is sent from then on")
    func registration() throws {
        let caller = MobileSocialServer().caller
        _ = try issue(
            caller,
            [
                "service": .text("mobileoamauthentication"), "serviceDomain": .text("MobileServiceDomain"),
                "clientId": .text("DemoApp"), "register": .flag(true),
                "deviceProfile": .json(try JSONNode.parse(Array(#"{"hardwareIds": {}}"#.utf8).span)),
            ]
        ).get()
        #expect(
            caller.calls.map { $0.url.target.split(separator: "/").last } == ["register", "authenticate", "access"])
        let registration = try body(caller.calls[0])
        #expect(registration["X-Idaas-Rest-New-Token-Type-To-Create"]?.string == "CLIENTREGHANDLE")
        #expect(registration["clientId"]?.string == "DemoApp")
        #expect(registration["deviceProfile"]?["hardwareIds"] != nil)
        #expect(caller.header("X-Idaas-Rest-Authorization", 0) == nil)
        let pair = String(decoding: Base64.encode(Array("DemoApp:register-%2F0".utf8).span, .standard), as: UTF8.self)
        for index in 1...2 {
            #expect(caller.header("X-Idaas-Rest-Authorization", index) == "UIDPASSWORD cred=\"\(pair)\"")
            #expect(caller.header("X-IDAAS-SERVICEDOMAIN", index) == "MobileServiceDomain")
        }
    }

    @Test("a session is reused for the next token, and restarted after its end")
    func session() throws {
        let first = try issue(MobileSocialServer().caller).get()
        let again = MobileSocialServer().caller
        _ = try issue(again, previous: first).get()
        #expect(again.calls.map { $0.url.target.split(separator: "/").last } == ["access"])
        #expect(try body(again.calls[0])["X-Idaas-Rest-Subject-Value"]?.string == "authenticate-%2F0")

        let ended = ScriptedCaller { call, number in
            number == 0
                ? .json("{}", status: 401)
                : MobileSocialServer().answer(to: call, number)
        }
        _ = try issue(ended, previous: first).get()
        #expect(ended.calls.map { $0.url.target.split(separator: "/").last } == ["access", "authenticate", "access"])
    }

    @Test("the caller's token identifies the caller's own session")
    func callers() throws {
        let settings: [String: IssuerValue?] = ["login": .text("caller"), "username": nil, "password": nil]
        let caller = MobileSocialServer().caller
        _ = try issue(caller, settings, token: "a.b.c").get()
        let login = try body(caller.calls[0])
        #expect(login["X-Idaas-Rest-Subject-Type"]?.string == "TOKEN")
        #expect(login["X-Idaas-Rest-Subject-Value"]?.string == "a.b.c")
        #expect(try issue(MobileSocialServer().caller, settings).failure == .credentialMissing)
        let refusing = MobileSocialServer(refused: ["authenticate": .json("{}", status: 401)]).caller
        #expect(try issue(refusing, settings, token: "a.b.c").failure == .refused)
    }

    @Test(
        "oam-wire 8.3 vector 7: answers of real servers are interpreted",
        arguments: [
            (
                OutboundResult.json(#"{"X-Idaas-Rest-Token-Type": "USERTOKEN", "X-Idaas-Rest-Token-Value": ""}"#),
                IssueFailure.invalidToken
            ),
            (.json(#"{"X-Idaas-Rest-Token-Type": "ACCESSTOKEN", "X-Idaas-Rest-Token-Value": "x"}"#), .invalidToken),
            (.json("<html></html>"), .invalidToken),
            (.json(#"{"X-Idaas-Rest-Token-Type": "USERTOKEN", "X-Idaas-Rest-Token-Value": "a\r\nb"}"#), .invalidToken),
            (.json("{}", status: 401), .misconfigured), (.json("", status: 403), .misconfigured),
            (.json("{}", status: 404), .misconfigured), (.json("{}", status: 400), .misconfigured),
            (.json("{}", status: 302), .misconfigured),
            (.json("{}", status: 500), .unavailable), (.failed(.timeout), .unavailable),
            (.json("{}", status: 503, [(name: "Retry-After", value: "7")]), .unavailable(retryAfter: 7)),
        ])
    func answers(_ answer: OutboundResult, _ failure: IssueFailure) throws {
        let caller = MobileSocialServer(refused: ["authenticate": answer]).caller
        #expect(try issue(caller).failure == failure)
        // A password is never sent twice.
        #expect(caller.calls.count == 1)
    }

    @Test("status 201 and a type with a provider are accepted; a lifetime in the answer is used")
    func variants() throws {
        let created = OutboundResult.json(
            #"{"X-Idaas-Rest-Token-Type": "USERTOKEN::OAMUT", "X-Idaas-Rest-Token-Value": "u"}"#, status: 201)
        let server = MobileSocialServer(refused: ["authenticate": created], more: #", "expires_in": 90"#)
        #expect(try issue(server.caller).get().expiresAt == now + 90)
    }

    @Test("a refused context is not an outage; without a challenge no token is requested")
    func contexts() throws {
        let late = MobileSocialServer(refused: ["access": .json("{}", status: 400)]).caller
        #expect(try issue(late).failure == .misconfigured)
        let caller = MobileSocialServer().caller
        #expect(try issue(caller, challenge: nil).failure == .misconfigured)
        #expect(caller.calls.isEmpty)
    }

    @Test(
        "inconsistent settings are refused",
        arguments: [
            (["password": nil], "password"), (["username": nil], "username"), (["login": .text("caller")], "login"),
            (["register": .flag(true)], "clientId"), (["clientId": .text("a:b")], "clientId"),
            (["service": .text("a/b")], "service"), (["serviceDomain": .text("a b")], "serviceDomain"),
        ] as [([String: IssuerValue?], String)])
    func problems(_ settings: [String: IssuerValue?], _ pointer: String) {
        let problem = #expect(throws: IssuerProblem.self) {
            _ = try BuiltModule.make(.mobileSocial, BuiltModule.mobileSocial(settings))
        }
        #expect(problem?.pointer == pointer)
    }
}

extension Result {
    fileprivate var failure: Failure? {
        if case .failure(let failure) = self { return failure }
        return nil
    }
}
