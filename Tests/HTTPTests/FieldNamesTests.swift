import Bytes
import Model
import Testing

@testable import HTTP

@Suite struct FieldListTests {
    private func elements(_ value: String) -> [String] {
        let bytes = value.bytes
        var list = FieldList(ByteRange(0..<bytes.count))
        var result: [String] = []
        while let element = list.next(bytes.span) { result.append(text(element, bytes)) }
        return result
    }

    @Test(
        "RFC 9110 5.6.1: elements",
        arguments: [
            ("", []), (" ", []), (",", []), ("a", ["a"]), ("a,b", ["a", "b"]), (" a\t, \tb ", ["a", "b"]),
            (",a,,b,", ["a", "b"]),
            ("a b, c", ["a b", "c"]), ("a;q=\"x,y\", b", ["a;q=\"x,y\"", "b"]),
            ("\"a\\\",b\",c", ["\"a\\\",b\"", "c"]),
            ("\"a,b", ["\"a,b"]), ("\"a\\", ["\"a\\"]),
        ])
    func list(_ value: String, _ expected: [String]) {
        #expect(elements(value) == expected)
    }

    @Test("an element is found without case and only whole")
    func contains() {
        let bytes = "Foo, X-Bar ,baz".bytes
        func has(_ element: String) -> Bool {
            let element = element.bytes
            return FieldList.contains(ByteRange(0..<bytes.count), element.span, in: bytes.span)
        }
        #expect(has("foo"))
        #expect(has("x-bar"))
        #expect(has("BAZ"))
        #expect(!has("bar"))
        #expect(!has("fo"))
        #expect(!has(""))
    }
}

/// A parsed head to ask questions of.
struct Head {
    let bytes: [UInt8]
    let table = HeaderTable()

    init(_ fields: String) throws {
        bytes = "GET / HTTP/1.1\r\nHost: a\r\n\(fields)\r\n\r\n".bytes
        var parser = RequestParser(limits: HTTPLimits())
        let outcome = parser.parse(bytes.span, into: table)
        guard case .head = outcome else { throw HTTPParseError.malformedRequestLine }
    }

    /// Names of the fields for which the question is answered with yes.
    func names(_ question: (HeaderField) -> Bool) -> [String] {
        (0..<table.count).map { table[$0] }.filter(question).map { text($0.name, bytes) }
    }

    func dropped() -> [String] {
        let options = ConnectionOptions(table, bytes.span)
        return names { HopByHop.drops($0, options, table, bytes.span) }
    }
}

@Suite struct HopByHopTests {
    @Test("RFC 9110 7.6.1: fields of this hop are dropped, listed or not")
    func always() throws {
        let head = try Head(
            "Connection: keep-alive\r\nKeep-Alive: 5\r\nProxy-Connection: x\r\nTE: trailers\r\nTrailer: X\r\nUpgrade: h2c\r\n"
                + "Proxy-Authorization: x\r\nProxy-Authenticate: x\r\nX-Other: y\r\nAccept: z")
        #expect(
            head.dropped() == [
                "Connection", "Keep-Alive", "Proxy-Connection", "TE", "Trailer", "Upgrade", "Proxy-Authorization",
                "Proxy-Authenticate",
            ])
    }

    @Test("what Connection names is dropped, in any of its lines and any case")
    func named() throws {
        let head = try Head("Connection: close, x-one\r\nX-One: 1\r\nX-Two: 2\r\nX-Three: 3\r\nconnection: X-THREE")
        #expect(head.dropped() == ["Connection", "X-One", "X-Three", "connection"])
    }

    @Test(
        "Connection has no power over what the gateway decides by or adds (CVE-2024-45410, GHSA-w9mr-28mw-j8hg)",
        arguments: [
            "Host", "Authorization", "Content-Length", "Cookie", "Origin", "X-Gateway-User", "X-Gateway-Roles",
            "X-Gateway-Future",
            "x_gateway.user", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Unheard-Of", "Forwarded", "X-Real-IP",
            "Via",
            "X-Request-ID", "Oracle-Mobile-Backend-ID", "X-Apiomat-Apikey", "Content-Type",
            "Access-Control-Request-Method",
        ])
    func protected(_ name: String) throws {
        let field = name == "Host" ? "X: y" : "\(name): 1"
        let head = try Head("Connection: \(name), x-one\r\n\(field)\r\nX-One: 1")
        #expect(head.dropped() == ["Connection", "X-One"])
    }

    @Test("connection options")
    func options() throws {
        func options(_ fields: String) throws -> ConnectionOptions {
            let head = try Head(fields)
            return ConnectionOptions(head.table, head.bytes.span)
        }
        let none = try options("X: y")
        #expect(!none.close && !none.keepAlive && !none.upgrade && !none.namesFields)
        let all = try options("Connection: CLOSE,Keep-Alive , upgrade\r\nConnection: x")
        #expect(all.close && all.keepAlive && all.upgrade && all.namesFields)
        let common = try options("Connection: keep-alive")
        #expect(common.keepAlive && !common.namesFields)
    }
}

@Suite struct ManagedNameTests {
    private static let names = [
        "X-Gateway-User", "x-gateway-roles", "X_Gateway_Backend", "X.Gateway.User", "X-Gateway-Anything",
        "x~gateway~new",
        "X-Gateways", "X-Gateway", "Gateway-User", "X-Forwarded-For", "x_forwarded_for", "X.Forwarded.Future",
        "Forwarded",
        "X-Real-IP", "X_REAL_IP", "X-Forwarder-For", "X-HTTP-Method-Override", "x_http_method_override",
        "X-Original.URL", "Accept", "X-Original-URI", "x_original_host", "Proxy", "Proxy-Authenticate-Not", "Proxyx",
    ]

    /// Names by which some balancer or framework calls the client's address, scheme or host.
    private static let forwardingNames = [
        "X-Host", "X-Scheme", "Client-IP", "X-Client-IP", "x_client.ip", "X-Remote-IP", "X-Forwarded", "X-Url-Scheme",
        "Client-Cert", "Client_Cert_Chain", "X-Client-Cert", "X-SSL-Client-Verify", "X-Remote-Addr", "Fly-Client-IP",
        "Forwarded-For", "True-Client-IP", "TRUE_CLIENT_IP", "X-ProxyUser-IP",
        "Proxy-Client-IP", "Front-End-Https", "CF-Connecting-IP", "CF-Connecting-IPv6", "Fastly-Client-IP",
        "X-Azure-ClientIP", "X-Azure-SocketIP", "WL-Proxy-Client-IP", "X-Cluster-Client-IP", "X-AppEngine-User-IP",
        "X-HTTP-Host-Override", "X-Envoy-External-Address",
    ]

    /// Names by which some proxy or access manager gives the user, or the user's certificate.
    private static let identityNames = [
        "Remote-User", "X-Auth-Request-User", "X-Forwarded-User", "X-Forwarded-Email", "X-Forwarded-Groups",
        "X-WEBAUTH-USER", "X-Auth-Subject", "SSL-Client-Cert", "SSL-Client-Verify", "SSL-Client-Subject-DN",
        "X-ARR-ClientCert", "X-Tls-Client-Cert", "WL-Proxy-Client-Cert", "WL-Proxy-SSL", "X-Envoy-Original-Path",
        "X-Remote-User", "OAM_REMOTE_USER", "X-Authenticated-UserId", "X-MS-Client-Principal-Id", "SM_USER", "iv-user",
        "X-Amzn-Oidc-Data", "X-Consumer-Username", "Remote-Groups",
    ]

    private func head() throws -> Head { try Head(Self.names.map { "\($0): v" }.joined(separator: "\r\n")) }

    private func removed(_ head: Head, _ names: ManagedNames = .standard) -> [String] {
        head.names { names.contains($0, head.bytes.span) }
    }

    @Test(
        "GW-09: the families of gateway, forwarding and overrides in every alias (CVE-2025-64484, CVE-2026-88011, CVE-2020-14359, CVE-2026-35051, CVE-2026-54764, CVE-2023-30845, CVE-2016-5385)"
    )
    func families() throws {
        let expected =
            Array(Self.names[0..<6]) + Array(Self.names[9..<15]) + Array(Self.names[16..<19])
            + ["X-Original-URI", "x_original_host", "Proxy"]
        #expect(removed(try head()) == expected)
    }

    @Test("every name that tells of the client is one of them", arguments: forwardingNames + identityNames)
    func usual(_ name: String) throws {
        let families = [
            "client-cert-", "x-client-cert-", "ssl-client-", "x-ssl-client-", "x-tls-client-", "wl-proxy-",
            "x-forwarded-",
            "x-auth-request-", "x-webauth-", "x-authenticated-", "x-ms-client-principal-", "x-amzn-oidc-",
        ]
        let plain = name.lowercased().replacing("_", with: "-")
        let isOfFamily = families.contains { plain.hasPrefix($0) }
        let head = try Head("\(name): v\r\n\(name)x: v\r\nZ-\(name)-Y: v")
        #expect(removed(head) == (isOfFamily ? [name, "\(name)x"] : [name]))
    }

    @Test(
        "a name is what its letters and digits are", arguments: identityNames + ["X-Gateway-User", "X-Forwarded-For"])
    func writings(_ name: String) throws {
        let doubled = name.replacing("-", with: "--").replacing("_", with: "__")
        let bare = name.filter { $0.isLetter || $0.isNumber }
        let cgi = "HTTP_" + name.uppercased().replacing("-", with: "_")
        let writings = [
            doubled, bare, bare.uppercased(), cgi, "_\(name)", "\(name)_", "-\(doubled)",
            name.replacing("-", with: "."),
            "HTTP_\(cgi)",
        ]
        let head = try Head(writings.map { "\($0): v" }.joined(separator: "\r\n"))
        #expect(removed(head) == writings)
    }

    @Test("what the gateway decides by has no other writing")
    func imitations() throws {
        let imitations = [
            "OracleMobileBackendID", "X--Apiomat--Apikey", "XApiomatApikey", "HTTP_AUTHORIZATION", "_Authorization",
            "XRequestId", "Oracle--Mobile-Social-Access-Token",
        ]
        let own = ["Authorization", "Oracle-Mobile-Backend-ID", "X-Apiomat-Apikey"]
        let head = try Head((imitations + own).map { "\($0): v" }.joined(separator: "\r\n"))
        #expect(removed(head) == imitations)
    }

    @Test("ordinary names stay")
    func ordinary() throws {
        let names = [
            "Accept", "Accept-Language", "Authorization", "Cookie", "Content-Type", "User-Agent", "Referer", "Origin",
            "X-Requested-With", "X-Auth-Token", "X-Api-Key", "X-CSRF-Token", "X-Correlation-Id", "X-B3-TraceId",
            "Traceparent", "Sec-WebSocket-Key", "If-None-Match", "Range", "Priority", "Pragma", "DNT", "X-User",
            "X-Request-ID", "HTTP2-Settings", "Client-Version", "X-Client-Version", "Remote-Control", "X-SSO", "X",
            "X-",
            "Idempotency-Key", "Depth", "Destination", "SOAPAction", "X-Gateways", "X-Gateway",
        ]
        let head = try Head(names.map { "\($0): v" }.joined(separator: "\r\n"))
        #expect(removed(head).isEmpty)
    }

    @Test("configured names, families and tokens")
    func configured() throws {
        let managed = ManagedNames(["X-Employee", "Impersonate-*", "Cookie", "2FA-Result"])
        let head = try Head(
            [
                "x_employee", "X-Employees", "Impersonate-User", "Impersonate", "Impersonater-X", "Cookie",
                "2fa-result",
                "X-Gateway-User", "Accept",
            ].map { "\($0): v" }.joined(separator: "\r\n"))
        #expect(
            removed(head, managed) == ["x_employee", "Impersonate-User", "Cookie", "2fa-result", "X-Gateway-User"])
        #expect(removed(head) == ["X-Gateway-User"])
        // Many of them: the table grows.
        let many = ManagedNames((0..<2000).map { "X-Name-\($0)" })
        let names = ["x-name-0", "X_Name_1999", "X-Name-2000"].map { Array($0.utf8) }
        let found = names.map { many.contains($0.span) }
        #expect(found == [true, true, false])
    }

    @Test(
        "aliases of a configured name",
        arguments: [
            ("X-Api-Token", true), ("x_api_token", true), ("X.API~TOKEN", true), ("X-Api-Tokens", false),
            ("XApiToken", false),
            ("X--Api-Token", false), ("", false),
        ])
    func alias(_ name: String, _ expected: Bool) {
        let name = name.bytes
        let managed = "x-api-token".bytes
        let result = ManagedName.isAlias(name.span, of: managed.span)
        #expect(result == expected)
    }
}
