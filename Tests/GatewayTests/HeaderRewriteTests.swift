import Bytes
import HTTP
import Identity
import Issuers
import Model
import Policy
import Reactor
import Testing

@testable import Gateway

@Suite struct HeaderRewriteTests {
    /// What the upstream gets: the request line and the fields in their order.
    struct Rewritten {
        var text: String
        var line: String { String(text.prefix { $0 != "\r\n" }) }
        var fields: [(name: String, value: String)] {
            text.split(separator: "\r\n").dropFirst().map { line in
                let colon = line.firstIndex(of: ":") ?? line.endIndex
                return (line[..<colon].lowercased(), String(line[colon...].dropFirst(2)))
            }
        }
        func values(_ name: String) -> [String] { fields.filter { $0.name == name }.map(\.value) }
        /// Names as an upstream sees them that maps everything odd to `_`.
        var aliases: [String] {
            fields.map { String($0.name.map { $0.isLetter || $0.isNumber ? $0 : "_" }) }
        }
    }

    static let snapshot: GatewaySnapshot? = try? WorkerBench().worker.snapshot

    static func rewrite(
        _ fields: [(String, String)] = [], line: String = "GET /open/x?a=b HTTP/1.1", host: String? = "gw.example.com",
        route name: String = "open", principal: Principal? = nil, token: String? = nil,
        change: (inout ResolvedRoute) -> Void = { _ in }
    ) throws -> Rewritten {
        let bench = try WorkerBench {
            for index in $0.routes.indices where $0.routes[index].name == name { change(&$0.routes[index]) }
        }
        let snapshot = bench.worker.snapshot
        let lines = ((host.map { [("Host", $0)] } ?? []) + fields).map { "\($0): \($1)\r\n" }.joined()
        let bytes = Array("\(line)\r\n\(lines)\r\n".utf8)
        let headers = HeaderTable()
        var parser = RequestParser(limits: HTTPLimits())
        guard case .head(let head) = parser.parse(bytes.span, into: headers) else {
            throw Refused()
        }
        let exchange = Exchange(index: 0, snapshot: snapshot)
        exchange.head = head
        let route = try #require(snapshot.policy.routes.routes.first { $0.name == name })
        exchange.route = route
        exchange.principal = principal
        exchange.requestID.append("id-1")
        exchange.address = IPAddress(v4: 0xc000_0207)
        exchange.token.issued = token.map { IssuedToken(value: Array($0.utf8), issuedAt: 0, expiresAt: .max) }
        let chunk = Chunk(capacity: 1)
        let path = bytes.span.slice(head.path)
        HeaderRewrite.request(
            exchange, route, path: path, bytes: bytes.span, headers: headers,
            authority: Array("api.internal:8081".utf8), into: chunk)
        return Rewritten(text: chunk.text)
    }

    struct Refused: Error {}

    static func principal(_ subject: String, roles: [String] = [], client: String? = nil) -> Principal {
        let catalogue = RoleCatalogue(roles)
        return Principal(
            kind: .user, method: .bearer, subject: subject, issuer: "idp", backendID: client,
            roles: catalogue.roles(named: roles), catalogue: catalogue, level: 2)
    }

    // MARK: What stays

    @Test func methodPathQueryAndOrdinaryFieldsStay() throws {
        let rewritten = try Self.rewrite([("Accept", "a"), ("X-Own", "1"), ("X-Own", "2"), ("Cookie", "c=d")])
        #expect(rewritten.line == "GET /open/x?a=b HTTP/1.1")
        #expect(rewritten.values("x-own") == ["1", "2"])
        #expect(rewritten.values("cookie") == ["c=d"])
        #expect(rewritten.values("host") == ["gw.example.com"])
        #expect(rewritten.text.hasSuffix("\r\n\r\n"))
        #expect(rewritten.text.count(of: "\r\n\r\n") == 1)
    }

    @Test func theAuthorityOfTheTargetIsTheHost() throws {
        let rewritten = try Self.rewrite(line: "GET http://other.example.com:8080/open/x HTTP/1.1")
        #expect(rewritten.line == "GET /open/x HTTP/1.1")
        #expect(rewritten.values("host") == ["other.example.com:8080"])
        #expect(rewritten.values("x-forwarded-host") == ["other.example.com:8080"])
    }

    @Test func whoAsksIsToldByTheGatewayAlone() throws {
        let rewritten = try Self.rewrite([
            ("X-Forwarded-For", "1.1.1.1"), ("x_forwarded_for", "1.1.1.1"), ("X-Forwarded-Proto", "https"),
            ("Forwarded", "for=1.1.1.1"), ("X-Real-IP", "1.1.1.1"), ("X-Forwarded-Prefix", "/x"),
            ("X-Forwarded-Port", "443"), ("X.Forwarded.Anything", "1"), ("Via", "1.0 first"),
        ])
        #expect(rewritten.values("x-forwarded-for") == ["192.0.2.7"])
        #expect(rewritten.values("x-forwarded-proto") == ["http"])
        #expect(rewritten.values("x-forwarded-host") == ["gw.example.com"])
        #expect(rewritten.values("via") == ["1.0 first", "1.1 portcullis"])
        #expect(rewritten.values("x-request-id") == ["id-1"])
        #expect(!rewritten.text.contains("1.1.1.1"))
        #expect(rewritten.aliases.filter { $0.hasPrefix("x_forwarded") }.count == 3)
        #expect(rewritten.values("x-real-ip").isEmpty)
    }

    // MARK: What goes

    @Test(arguments: [
        "Connection", "Keep-Alive", "Proxy-Connection", "TE", "Trailer", "Upgrade", "Proxy-Authorization",
        "Proxy-Authenticate",
    ])
    func hopByHopFieldsGo(_ name: String) throws {
        let rewritten = try Self.rewrite([(name, "close")])
        #expect(rewritten.values(name.lowercased()).isEmpty)
    }

    @Test func whatConnectionNamesGoes() throws {
        let rewritten = try Self.rewrite([
            ("Connection", "X-Hop, keep-alive"), ("X-Hop", "1"), ("X-Stay", "1"), ("Connection", "x-second"),
            ("X-Second", "2"),
        ])
        #expect(rewritten.values("x-hop").isEmpty)
        #expect(rewritten.values("x-second").isEmpty)
        #expect(rewritten.values("x-stay") == ["1"])
    }

    /// A client cannot take away what the gateway adds or decides by (GHSA-w9mr-28mw-j8hg, CVE-2024-45410).
    @Test func connectionHasNoPowerOverProtectedFields() throws {
        let rewritten = try Self.rewrite(
            [
                (
                    "Connection",
                    "X-Gateway-User, X-Gateway-Roles, X-Forwarded-For, X-Forwarded-Proto, X-Forwarded-Host, "
                        + "Authorization, Host, Content-Length, Cookie, X-Request-Id, Via, Origin, Content-Type"
                ), ("Cookie", "c=d"), ("Origin", "https://a.example.com"), ("Content-Type", "text/plain"),
            ], route: "token", principal: Self.principal("joe", roles: ["Clerk"]), token: "issued")
        #expect(rewritten.values("x-gateway-user") == ["joe"])
        #expect(rewritten.values("x-gateway-roles") == ["Clerk"])
        #expect(rewritten.values("x-forwarded-for") == ["192.0.2.7"])
        #expect(rewritten.values("authorization") == ["Bearer issued"])
        #expect(rewritten.values("host").count == 1)
        #expect(rewritten.values("cookie") == ["c=d"])
        #expect(rewritten.values("origin").count == 1)
        #expect(rewritten.values("content-type") == ["text/plain"])
        #expect(rewritten.values("connection").isEmpty)
    }

    /// Names as different upstreams read them (CVE-2025-64484, CVE-2026-88011, CVE-2020-14359).
    static let spellings: [@Sendable (String) -> String] = [
        { $0 }, { $0.lowercased() }, { $0.uppercased() }, { $0.replacing("-", with: "_") },
        { $0.replacing("-", with: ".") }, { $0.lowercased().replacing("-", with: "~") },
    ]

    @Test(arguments: [
        "X-Gateway-User", "X-Gateway-Issuer", "X-Gateway-Roles", "X-Gateway-Backend", "X-Gateway-Anything",
        "X-HTTP-Method-Override",
        "X-Original-URL", "X-Rewrite-URL", "X-Method-Override", "X-Original-Method",
    ])
    func managedFieldsGoInEverySpelling(_ name: String) throws {
        for spelling in Self.spellings {
            let rewritten = try Self.rewrite([(spelling(name), "root")])
            #expect(!rewritten.text.contains("root"), "\(spelling(name))")
        }
    }

    @Test func identityIsAddedOnceAndOnlyWhereThereIsOne() throws {
        let forged = [("X-Gateway-User", "root"), ("x_gateway_user", "root"), ("X-Gateway-Backend", "root")]
        let rewritten = try Self.rewrite(
            forged, route: "mine", principal: Self.principal("joe", roles: ["A", "B"], client: "mbe-1"))
        #expect(rewritten.values("x-gateway-user") == ["joe"])
        #expect(rewritten.values("x-gateway-roles") == ["A,B"])
        #expect(rewritten.values("x-gateway-backend") == ["mbe-1"])
        #expect(!rewritten.text.contains("root"))
        #expect(!(try Self.rewrite(forged).text.lowercased().contains("gateway-")))
    }

    @Test func theClientsCredentialStaysHere() throws {
        let credentials = [
            ("Authorization", "Bearer secret"), ("X_Apiomat_Apikey", "secret"), ("X-Apiomat-Apikey", "secret"),
            ("Oracle-Mobile-Social-Access-Token", "secret"), ("authorization_", "kept"),
        ]
        let rewritten = try Self.rewrite(credentials, route: "mine", principal: Self.principal("joe"))
        #expect(!rewritten.text.contains("secret"))
        let forwarded = try Self.rewrite([("Authorization", "Bearer secret")], route: "mine") {
            $0.options.forwardsCredential = true
        }
        #expect(forwarded.values("authorization") == ["Bearer secret"])
    }

    /// Where a token is injected the client's credential never goes on, even if the route forwards credentials.
    @Test func anInjectedTokenReplacesEverySpellingOfItsField() throws {
        for spelling in Self.spellings {
            let rewritten = try Self.rewrite(
                [(spelling("X-Api-Token"), "forged"), ("Authorization", "Bearer secret")], route: "token",
                principal: Self.principal("joe"), token: "issued"
            ) {
                $0.options.forwardsCredential = true
                $0.injections = [
                    InjectionRule(
                        issuer: "test", configurationID: "test", header: "X-Api-Token", format: "<{token}>")!
                ]
            }
            #expect(rewritten.values("x-api-token") == ["<issued>"])
            #expect(!rewritten.text.contains("forged"))
            #expect(!rewritten.text.contains("secret"))
        }
    }

    // MARK: Hostile names

    static let hostile = [
        "joe\r\nX-Gateway-Roles: Admin", "joe\nX: y", "joe\rX: y", "joe\u{0}", "joe\u{1b}[31m", "joe\t", " joe", "joe ",
        "joe%0D%0A", "\u{7f}", "\r\n\r\nGET / HTTP/1.1\r\n", "joe\u{85}", "jo\u{308}e", "%", "",
    ]

    @Test(arguments: hostile)
    func noNameCanSplitALine(_ name: String) throws {
        let plain = try Self.rewrite(route: "mine", principal: Self.principal("joe", roles: ["r"], client: "b"))
        let rewritten = try Self.rewrite(
            route: "mine", principal: Self.principal(name, roles: name.isEmpty ? [] : [name], client: name + "x"))
        #expect(rewritten.fields.map(\.name) == plain.fields.map(\.name))
        let value = try #require(rewritten.values("x-gateway-user").first)
        #expect(value.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7f })
        #expect(value == value.trimmingBlanks)
    }

    /// Two names never read the same: a user named `joe ` is not `joe`.
    @Test func namesStayDifferent() {
        let names = Self.hostile + ["joe", "joe%20", "joe%09", "joe%25", "joe%", "joe%0d%0a", "joe,ann"]
        let fields = Set(names.map { Self.principal($0).subjectField })
        #expect(fields.count == Set(names.map { Array($0.utf8) }).count)
        #expect(Self.principal("ann@example.com").subjectField == Array("ann@example.com".utf8))
        #expect(Self.principal("Jörg Müller").subjectField == Array("Jörg Müller".utf8))
    }

    /// A role with a comma in its name is not two roles.
    @Test func aCommaInARoleIsNoSeparator() {
        let one = Self.principal("joe", roles: ["a,b"]).roleField
        let two = Self.principal("joe", roles: ["a", "b"]).roleField
        #expect(one == Array("a%2Cb".utf8))
        #expect(two == Array("a,b".utf8))
    }

    // MARK: Framing

    @Test(arguments: [
        ("Content-Length", "5", ["5"], [String]()), ("Transfer-Encoding", "Chunked", [], ["chunked"]),
        ("X", "y", [], []), ("Content-Length", "0", ["0"], []),
    ])
    func theFramingIsWrittenAnew(_ name: String, _ value: String, _ lengths: [String], _ codings: [String]) throws {
        let rewritten = try Self.rewrite(
            [(name, value)], line: "POST /open/x HTTP/1.1")
        #expect(rewritten.values("content-length") == lengths)
        #expect(rewritten.values("transfer-encoding") == codings)
    }

    /// What an upstream could take for framing never gets here: the parser refuses it.
    @Test(arguments: ["content_length", "Content.Length", "Transfer_Encoding", "transfer.encoding"])
    func imitationsOfFramingAreRefused(_ name: String) {
        #expect(throws: Refused.self) { try Self.rewrite([(name, "9")]) }
    }

    /// The smallest buffer grows to what the head needs, with any parts.
    @Test func everyHeadFits() throws {
        let long = String(repeating: "h", count: 7_000)
        let names = (0..<98).map { ("x\($0)", "") }
        _ = try Self.rewrite(host: long)
        _ = try Self.rewrite(line: "GET http://\(long)/open/x HTTP/1.1", host: "h")
        _ = try Self.rewrite(names, route: "token", principal: Self.principal(long, roles: [long]), token: long)
        _ = try Self.rewrite(
            route: "mine", principal: Self.principal(String(repeating: "\n", count: 5_000), roles: ["\n\n"]))
        #expect(try Self.rewrite(line: "GET /open/x HTTP/1.0", host: nil).values("host") == ["api.internal:8081"])
    }

    // MARK: Responses

    static func response(_ fields: [(String, String)], hasCookies: Bool = true) throws -> Rewritten {
        let bytes = Array(("HTTP/1.1 200 OK\r\n" + fields.map { "\($0): \($1)\r\n" }.joined() + "\r\n").utf8)
        let headers = HeaderTable()
        var parser = ResponseParser(limits: HTTPLimits())
        guard case .head = parser.parse(bytes.span, into: headers, requestMethod: .get) else { throw Refused() }
        let chunk = Chunk(capacity: 4_096)
        HeaderRewrite.appendResponseFields(headers, bytes.span, hasCookies: hasCookies, to: chunk)
        return Rewritten(text: "HTTP/1.1 200\r\n" + chunk.text)
    }

    @Test func aResponseKeepsItsOwnFields() throws {
        let rewritten = try Self.response([
            ("Set-Cookie", "a"), ("Set-Cookie", "b"), ("ETag", "\"x\""), ("Content-Length", "0"),
            ("Connection", "X-Hop, Set-Cookie, keep-alive"), ("X-Hop", "1"), ("Keep-Alive", "timeout=5"),
            ("Access-Control-Allow-Origin", "*"), ("Access-Control-Allow-Credentials", "true"), ("Vary", "Accept"),
        ])
        #expect(rewritten.fields.map(\.name) == ["set-cookie", "set-cookie", "etag", "vary"])
    }

    /// SCH-02: no upstream ends the login of a browser by having it clear all cookies.
    @Test(arguments: [
        (#""cookies""#, []), (#""cache", "cookies""#, [#""cache""#]), (#""storage" , "COOKIES","x""#, [#""storage""#]),
        ("cookies, \"cookies", []), ("", []), (#""executionContexts""#, [#""executionContexts""#]),
        (
            #""*""#,
            [#""cache", "clientHints", "prefetchCache", "prerenderCache", "storage", "executionContexts""#]
        ),
    ])
    func cookiesAreNotCleared(_ value: String, _ expected: [String]) throws {
        let fields = [("clear-site-data", value), ("ETag", "x")]
        #expect(try Self.response(fields).values("clear-site-data") == expected)
        #expect(try Self.response(fields).values("etag") == ["x"])
        #expect(try Self.response(fields, hasCookies: false).values("clear-site-data") == [value])
    }
}

extension String {
    /// Without the white space that a reader of a field value trims (RFC 9110 section 5.5).
    var trimmingBlanks: String {
        var rest = Substring(self)
        while rest.first == " " || rest.first == "\t" { rest.removeFirst() }
        while rest.last == " " || rest.last == "\t" { rest.removeLast() }
        return String(rest)
    }
}
