import Bytes
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

    private func head() throws -> Head { try Head(Self.names.map { "\($0): v" }.joined(separator: "\r\n")) }

    @Test("GW-09: the gateway's own family in every alias (CVE-2025-64484, CVE-2026-88011, CVE-2020-14359)")
    func own() throws {
        let head = try head()
        #expect(head.names { ManagedName.isOwn($0, head.bytes.span) } == Array(Self.names[0..<6]))
    }

    @Test("the forwarding family in every alias (CVE-2026-35051, CVE-2026-54764)")
    func forwarding() throws {
        let head = try head()
        #expect(head.names { ManagedName.isForwarding($0, head.bytes.span) } == Array(Self.names[9..<15]))
    }

    @Test("every name that tells of the client is one of the family", arguments: forwardingNames)
    func forwarding(_ name: String) throws {
        let head = try Head("\(name): v\r\n\(name)x: v\r\nZ-\(name)-Y: v")
        #expect(head.names { ManagedName.isForwarding($0, head.bytes.span) }.first == name)
        let similar = head.names { ManagedName.isForwarding($0, head.bytes.span) }.dropFirst()
        #expect(similar.isEmpty)
    }

    @Test("overrides of method, path and environment (CVE-2023-30845, CVE-2016-5385)")
    func override() throws {
        let head = try head()
        let expected = Array(Self.names[16..<19]) + ["X-Original-URI", "x_original_host", "Proxy"]
        #expect(head.names { ManagedName.isOverride($0, head.bytes.span) } == expected)
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
