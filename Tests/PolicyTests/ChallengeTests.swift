import Bytes
import Identity
import Model
import Testing

@testable import Policy

private func render(
    _ issuer: ChallengeIssuer, _ webgate: String, _ level: Int, _ target: String, method: String = "GET",
    now: Int64 = TestPolicy.now
) -> String {
    let text = ChallengeText(webgate: Webgate(name: webgate, level: level), level: level)
    let chunk = Chunk(capacity: 1)
    let method = Array(method.utf8)
    let target = Array(target.utf8)
    issuer.appendOAMAuth(to: chunk, text, method.span, target.span, now: now)
    return chunk.text
}

/// What stands between the quotes of `request-ctx`.
private func context(_ value: String) -> String {
    String(value.split(separator: "request-ctx=\"").last?.dropLast() ?? "")
}

private func open(_ issuer: ChallengeIssuer, _ context: String, now: Int64 = TestPolicy.now) -> RequestContext? {
    let bytes = Array(context.utf8)
    return issuer.open(bytes.span, now: now)
}

private struct RenderVector: CustomTestStringConvertible, Sendable {
    let id: String
    let webgate: String
    let level: Int
    let target: String
    let header: String
    var testDescription: String { id }

    static let all = (Fixtures.json("challenge/challenge.json")["render"]?.array ?? []).map {
        RenderVector(
            id: $0.text("id"), webgate: $0.text("webgate"), level: Int($0["level"]?.integer ?? -1),
            target: $0.text("target"), header: $0.text("header"))
    }
}

private struct AgentVector: CustomTestStringConvertible, Sendable {
    let id: String
    let configured: String?
    let sent: String?
    let match: Bool
    var testDescription: String { id }

    static let all = (Fixtures.json("challenge/challenge.json")["userAgent"]?.array ?? []).map {
        AgentVector(
            id: $0.text("id"), configured: $0["configured"]?.string, sent: $0["sent"]?.string,
            match: $0["match"]?.bool == true)
    }
}

@Suite("CHAL: the challenge")
struct ChallengeTests {
    private let issuer = TestPolicy.challenges()
    private let snapshot = TestPolicy.snapshot()

    @Test("the vectors of section 4.10 are there")
    func vectorsAreComplete() {
        #expect(RenderVector.all.map(\.id) == ["H01", "H02", "H03", "H04", "H05"])
        #expect(AgentVector.all.map(\.id) == ["H20", "H21", "H22", "H23", "H24", "H25"])
    }

    @Test("section 4.10, render", arguments: RenderVector.all)
    fileprivate func rendered(_ vector: RenderVector) {
        let value = render(issuer, vector.webgate, vector.level, vector.target)
        #expect(value.replacing(context(value), with: "<RC>") == vector.header)
    }

    @Test("section 4.10, userAgent", arguments: AgentVector.all)
    fileprivate func agent(_ vector: AgentVector) {
        let webgate = Webgate(
            name: "W", level: 1, userAgents: [vector.configured].compactMap(\.self))
        let sent = Array((vector.sent ?? "").utf8)
        let recognised = webgate.recognises(sent.span)
        #expect(recognised == vector.match)
    }

    @Test("a value that ends in * is a prefix (DEC-07)")
    func agentPrefix() {
        let webgate = Webgate(name: "W", level: 1, userAgents: ["OIC-*", "exact"])
        func recognises(_ text: String) -> Bool {
            let bytes = Array(text.utf8)
            return webgate.recognises(bytes.span)
        }
        #expect(recognises("OIC-Agent"))
        #expect(recognises("OIC-"))
        #expect(!recognises("oic-Agent"))
        #expect(!recognises("OIC"))
        #expect(recognises("exact"))
        #expect(!recognises("exact1"))
        #expect(!recognises(""))
    }

    @Test("the whole value has the form of CHAL-01 and DEC-05")
    func form() throws {
        let value = render(issuer, "InventoryWG", 2, "/inventory/items")
        let form = #/OAM-Auth realm="InventoryWG:2 /inventory/items", request-ctx="([A-Za-z0-9_.~%-]+)"/#
        let match = try #require(try form.wholeMatch(in: value))
        #expect(match.1.hasPrefix("encquery%3D"))
        #expect(match.1.hasSuffix("%20agentid%3DInventoryWG%20ver%3D1%20crmethod%3D2"))
        #expect(!value.contains("\n"))
    }

    @Test("control characters and bytes beyond ASCII are percent-encoded (CHAL-02)")
    func encoding() {
        #expect(
            render(issuer, "W", 1, "/a b\u{1}\r\n\u{7f}é").hasPrefix(#"OAM-Auth realm="W:1 /a%20b%01%0D%0A%7F%C3%A9","#)
        )
    }

    @Test("a target of more than 2048 characters is shown without its query (CHAL-02)")
    func longTarget() {
        let fits = "/p?" + String(repeating: "q", count: 2_045)
        #expect(render(issuer, "W", 1, fits).hasPrefix("OAM-Auth realm=\"W:1 \(fits)\","))
        #expect(render(issuer, "W", 1, fits + "q").hasPrefix("OAM-Auth realm=\"W:1 /p\","))
    }

    @Test("a context says what was challenged, and is another each time (CHAL-03)")
    func roundTrip() {
        let first = context(render(issuer, "InventoryWG", 2, "/inventory/items?x=\"1", method: "PURGE"))
        let second = context(render(issuer, "InventoryWG", 2, "/inventory/items?x=\"1", method: "PURGE"))
        #expect(first != second)
        #expect(
            open(issuer, first)
                == RequestContext(
                    webgate: "InventoryWG", level: 2, method: "PURGE", target: "/inventory/items?x=%221",
                    expiresAt: TestPolicy.now + 300))
        #expect(!first.contains("items"))
    }

    @Test("one byte changed anywhere and the context is nothing (CHAL-03)")
    func tampering() {
        let good = Array(context(render(issuer, "InventoryWG", 2, "/inventory/items")).utf8)
        #expect(issuer.open(good.span, now: TestPolicy.now) != nil)
        for i in good.indices {
            for flip: UInt8 in [1, 2, 32] {
                var bad = good
                bad[i] ^= flip
                let opened = issuer.open(bad.span, now: TestPolicy.now) != nil
                #expect(!opened, "byte \(i)")
            }
            let cut = Array(good[..<i])
            let opened = issuer.open(cut.span, now: TestPolicy.now) != nil
            #expect(!opened, "cut at \(i)")
        }
    }

    @Test("a context ends after its time (CHAL-03)")
    func expiry() {
        let value = context(render(issuer, "W", 1, "/"))
        #expect(open(issuer, value, now: TestPolicy.now + 299) != nil)
        #expect(open(issuer, value, now: TestPolicy.now + 300) == nil)
    }

    @Test("any instance with the key opens it, also one that has rotated it (CHAL-03, DEC-12)")
    func keys() {
        let value = context(render(issuer, "W", 1, "/"))
        #expect(open(TestPolicy.challenges(1), value) != nil)
        #expect(open(TestPolicy.challenges(2, more: [1]), value) != nil)
        #expect(open(TestPolicy.challenges(2), value) == nil)
    }

    @Test("a context of one Webgate cannot be relabelled as another's")
    func relabelling() {
        let value = context(render(issuer, "InventoryWG", 2, "/"))
        #expect(open(issuer, value.replacing("InventoryWG", with: "HighWG")) == nil)
    }

    @Test("a route without a Webgate is challenged with Bearer (CHAL-05, RFC 6750 section 3)")
    func bearer() {
        let request = TestRequest("GET", "/inventory/me")
        let route = snapshot.route("me")
        #expect(request.challenge(snapshot, route, .missingCredential) == #"Bearer realm="portcullis""#)
        #expect(request.challenge(snapshot, route, .wrongPassword) == #"Bearer realm="portcullis""#)
        #expect(
            request.challenge(snapshot, route, .tokenExpired) == #"Bearer realm="portcullis", error="invalid_token""#)
        #expect(
            request.challenge(snapshot, route, .stepUpRequired)
                == #"Bearer realm="portcullis", error="insufficient_user_authentication""#)
    }

    @Test("an endpoint is challenged with Bearer")
    func endpoint() {
        let chunk = Chunk(capacity: 1)
        let request = TestRequest("GET", "/mobile/platform/users/~")
        snapshot.challenges.append(
            to: chunk, route: nil, reason: .tokenRevoked, bytes: request.bytes.span, head: request.head,
            headers: request.headers, requestID: [UInt8]().span, now: TestPolicy.now)
        #expect(chunk.text == #"Bearer realm="portcullis", error="invalid_token""#)
    }

    @Test("clients that a Webgate does not recognise get Bearer (CHAL-04)")
    func agentMismatch() {
        let route = snapshot.route("mobile")
        let sdk = TestRequest("GET", "/mobileapp?x", [("User-Agent", "OAMMS-Agent")])
        #expect(
            sdk.challenge(snapshot, route, .missingCredential).hasPrefix(#"OAM-Auth realm="MobileWG:2 /mobileapp?x","#))
        let curl = TestRequest("GET", "/mobileapp", [("User-Agent", "curl/8")])
        #expect(curl.challenge(snapshot, route, .missingCredential) == #"Bearer realm="MobileWG""#)
        #expect(
            TestRequest("GET", "/mobileapp").challenge(snapshot, route, .missingCredential)
                == #"Bearer realm="MobileWG""#)
    }

    @Test("a Webgate can challenge them all the same (CHAL-04)")
    func agentMismatchOverruled() {
        var settings = TestPolicy.settings()
        settings.change("MobileWG") { $0.mismatch = .oamAuth }
        let snapshot = TestPolicy.snapshot(settings)
        let curl = TestRequest("GET", "/mobileapp", [("User-Agent", "curl/8")])
        #expect(curl.challenge(snapshot, snapshot.route("mobile"), .missingCredential).hasPrefix("OAM-Auth "))
    }

    @Test("the level of the route goes before that of the Webgate")
    func routeLevel() {
        var settings = TestPolicy.settings()
        settings.routes[4].access.level = 4
        let snapshot = TestPolicy.snapshot(settings)
        let value = TestRequest("GET", "/payroll/run").challenge(snapshot, snapshot.route("payroll"), .stepUpRequired)
        #expect(value.hasPrefix(#"OAM-Auth realm="HighWG:4 /payroll/run", "#))
    }
}
