import Bytes
import Model
import Testing

@testable import HTTP

/// Descriptions of requests at the forward-auth endpoint. 10.0.0.0/8 is trusted here; the peer is 10.0.0.1.
@Suite struct DescribedRequestTests {
    private static let trusted = ["10.0.0.0/8"].compactMap { text in
        let bytes = text.bytes
        return IPAddressRange(text: bytes.span)
    }

    private struct Outcome: Equatable {
        var head = ""
        var client = ""
        var isSecure = false
        var error: DescriptionError?
    }

    /// - Parameter question: the request line without version, and field lines.
    private func read(_ question: String, prefix: Int? = nil) throws -> Outcome {
        let lines = question.split(separator: "\n", maxSplits: 1, omittingEmptySubsequences: false)
        let rest = lines.count > 1 ? lines[1].replacing("\n", with: "\r\n") + "\r\n" : ""
        let bytes = "\(lines[0]) HTTP/1.1\r\n\(rest)\r\n".bytes
        let table = HeaderTable()
        var parser = RequestParser(limits: HTTPLimits())
        guard case .head(let head) = parser.parse(bytes.span, into: table) else {
            Issue.record("the question is invalid: \(question)")
            return Outcome()
        }
        let peer = try #require(IPAddress("10.0.0.1"))
        let chunk = Chunk(capacity: 1)
        do throws(DescriptionError) {
            let described = try DescribedRequest(
                prefix.map { .prefixed($0) } ?? .fields, head, table, bytes.span, peer: peer, trusted: Self.trusted,
                into: chunk)
            let written = chunk.readable
            return Outcome(
                head: String(copying: written).replacing("\r\n", with: "\n"), client: described.client.description,
                isSecure: described.isSecure)
        } catch {
            return Outcome(error: error)
        }
    }

    private static let traefik = """
        GET /_auth
        Host: gw:8081
        X-Forwarded-Method: POST
        X-Forwarded-Uri: /a/b?c=d
        X-Forwarded-Host: shop.example.com
        X-Forwarded-Proto: https
        X-Forwarded-For: 192.0.2.7
        """

    private static let nginx = """
        GET /_auth
        Host: shop.example.com
        X-Original-Method: DELETE
        X-Original-URI: /a
        X-Forwarded-Proto: http
        X-Forwarded-For: 1.2.3.4, 192.0.2.7, 10.0.0.9
        """

    private static let envoy = """
        PUT /_envoy/a/b?c=d
        Host: shop.example.com
        X-Forwarded-Proto: https
        X-Forwarded-For: 192.0.2.7
        """

    @Test("X-Forwarded fields name method, target, host, scheme and client")
    func forwarded() throws {
        let head = "POST /a/b?c=d HTTP/1.1\nHost: shop.example.com\n\n"
        #expect(try read(Self.traefik) == Outcome(head: head, client: "192.0.2.7", isSecure: true))
    }

    @Test("X-Original fields do; the host is that of the question")
    func original() throws {
        let head = "DELETE /a HTTP/1.1\nHost: shop.example.com\n\n"
        #expect(try read(Self.nginx) == Outcome(head: head, client: "192.0.2.7", isSecure: false))
    }

    @Test("X-Original-URL has scheme and host")
    func url() throws {
        let url = Self.nginx.replacing("X-Original-URI: /a", with: "X-Original-URL: https://api.example.com/x?y=//z")
            .replacing("X-Forwarded-Proto: http\n", with: "")
        let head = "DELETE /x?y=//z HTTP/1.1\nHost: api.example.com\n\n"
        #expect(try read(url) == Outcome(head: head, client: "192.0.2.7", isSecure: true))
        #expect(try read(url + "\nX-Forwarded-Host: API.example.com").error == nil)
        #expect(try read(url + "\nX-Forwarded-Host: other.example.com").error == .contradictory)
        #expect(try read(url + "\nX-Forwarded-Proto: http").error == .contradictory)
    }

    @Test("behind a prefix: method, target and host of the question")
    func prefixed() throws {
        let head = "PUT /a/b?c=d HTTP/1.1\nHost: shop.example.com\n\n"
        #expect(try read(Self.envoy, prefix: 7) == Outcome(head: head, client: "192.0.2.7", isSecure: true))
        let root = Self.envoy.replacing("/a/b?c=d", with: "/")
        #expect(try read(root, prefix: 7).head == "PUT / HTTP/1.1\nHost: shop.example.com\n\n")
        #expect(try read(Self.envoy + "\nX-Forwarded-Host: shop.example.com", prefix: 7).error == nil)
    }

    @Test(
        "behind a prefix, fields must not describe another request",
        arguments: [
            "X-Forwarded-Uri: /", "X-Forwarded-Method: GET", "X-Original-URI: /", "X-Original-Method: GET",
            "X-Original-URL: https://shop.example.com/", "X-Forwarded-Host: evil.net",
        ])
    func prefixedContradiction(_ field: String) throws {
        #expect(try read("\(Self.envoy)\n\(field)", prefix: 7).error == .contradictory)
    }

    @Test("other fields are those of the request; framing and hop-by-hop fields are the question's")
    func fields() throws {
        let more = """

            Authorization: Bearer x
            Cookie: a=b
            Cookie: c=d
            Origin: https://a.example.com
            Connection: close, X-Hop
            X-Hop: 1
            Content-Length: 0
            Upgrade: websocket
            TE: trailers
            Forwarded: for=1.2.3.4
            X-Forwarded-Port: 1
            X-Forwarded-Prefix: /x
            X-Gateway-User: eve
            """
        let head = """
            POST /a/b?c=d HTTP/1.1
            Host: shop.example.com
            Authorization: Bearer x
            Cookie: a=b
            Cookie: c=d
            Origin: https://a.example.com
            X-Gateway-User: eve


            """
        #expect(try read(Self.traefik + more).head == head)
    }

    @Test(
        "a part that is missing is an error",
        arguments: [
            ("X-Forwarded-Method", DescriptionError.missingMethod), ("X-Forwarded-Uri", .missingTarget),
            ("X-Forwarded-Proto", .missingScheme), ("X-Forwarded-For", .missingClient),
        ])
    func missing(_ name: String, _ error: DescriptionError) throws {
        let rest = Self.traefik.split(separator: "\n").filter { !$0.hasPrefix(name) }.joined(separator: "\n")
        #expect(try read(rest).error == error)
    }

    @Test(
        "a field that is repeated, of another family or malformed is an error",
        arguments: [
            ("X-Forwarded-Method: POST", DescriptionError.repeatedField), ("x-forwarded-uri: /a/b?c=d", .repeatedField),
            ("X-Forwarded-Host: shop.example.com", .repeatedField), ("X-Forwarded-Proto: https", .repeatedField),
            ("X-Original-URI: /a/b?c=d", .contradictory), ("X-Original-Method: POST", .contradictory),
            ("X-Original-URL: https://shop.example.com/a/b?c=d", .contradictory),
            ("X-HTTP-Method-Override: DELETE", .override), ("X-Method-Override: DELETE", .override),
            ("X-HTTP-Method: DELETE", .override), ("X-Rewrite-URL: /b", .override),
            ("X_HTTP_Method_Override: DELETE", .override), ("XHTTPMethodOverride: DELETE", .imitation),
            ("X_Gateway_User: eve", .imitation), ("X.Gateway.Roles: Manager", .imitation),
            ("HTTP_X_GATEWAY_USER: eve", .imitation), ("XGatewayUser: eve", .imitation),
            ("X--Gateway--User: eve", .imitation), ("X_Gateway-Client-Names: eve", .imitation),
            ("X_Forwarded_Uri: /", .imitation), ("Oracle_Mobile_Backend_ID: x", .imitation),
            ("HTTP_AUTHORIZATION: Bearer x", .imitation), ("X-Gateway-User: eve", .none), ("X-Other: y", .none),
        ] as [(String, DescriptionError?)])
    func more(_ field: String, _ error: DescriptionError?) throws {
        #expect(try read("\(Self.traefik)\n\(field)").error == error)
    }

    @Test(
        "a malformed part is an error",
        arguments: [
            ("POST", "", DescriptionError.malformedMethod), ("POST", "POST /x HTTP/1.1", .malformedMethod),
            ("POST", "G\u{e9}T", .malformedMethod), ("POST", "GET,POST", .malformedMethod),
            ("/a/b?c=d", "", .malformedTarget), ("/a/b?c=d", "a", .malformedTarget),
            ("/a/b?c=d", "*", .malformedTarget),
            ("/a/b?c=d", "http://evil.net/a", .malformedTarget), ("/a/b?c=d", "?a", .malformedTarget),
            ("/a/b?c=d", "/a#b", .malformedTarget), ("/a/b?c=d", "/a b", .malformedTarget),
            ("/a/b?c=d", "/a HTTP/1.1", .malformedTarget), ("/a/b?c=d", "/\u{e9}", .malformedTarget),
            ("/a/b?c=d", "/a\tb", .malformedTarget), ("shop.example.com", "a, b", .malformedHost),
            ("shop.example.com", "user@shop.example.com", .malformedHost), ("shop.example.com", "a/b", .malformedHost),
            ("https", "https, http", .malformedScheme), ("https", "ftp", .malformedScheme),
            ("https", "", .malformedScheme),
            ("192.0.2.7", "", .malformedClient), ("192.0.2.7", "unknown", .malformedClient),
            ("192.0.2.7", "1.2.3.4, unix:", .malformedClient),
        ])
    func malformed(_ old: String, _ new: String, _ error: DescriptionError) throws {
        #expect(try read(Self.traefik.replacing(": \(old)", with: ": \(new)")).error == error)
    }

    @Test(
        "an X-Original-URL that is no URL of HTTP with host and path is an error",
        arguments: [
            ("/a", DescriptionError.malformedTarget), ("ftp://a/b", .malformedTarget), ("https://", .malformedTarget),
            ("https://a", .malformedTarget), ("https:///b", .missingHost), ("https://u@a/b", .malformedHost),
            ("https://a?b/c", .malformedHost), ("http://a/b#c", .malformedTarget),
        ])
    func malformedURL(_ url: String, _ error: DescriptionError) throws {
        let text = Self.nginx.replacing("X-Original-URI: /a", with: "X-Original-URL: \(url)")
            .replacing("X-Forwarded-Proto: http\n", with: "")
        #expect(try read(text).error == error)
    }

    @Test(
        "each scheme of a WebSocket is that of its connection",
        arguments: [("ws", false), ("wss", true), ("HTTPS", true)])
    func schemes(_ scheme: String, _ isSecure: Bool) throws {
        #expect(try read(Self.traefik.replacing(": https", with: ": \(scheme)")).isSecure == isSecure)
    }

    @Test(
        "paths that an upstream may interpret differently if they are not rewritten",
        arguments: [
            ("/", false), ("/a", false), ("/a/", false), ("/a/b.c/..d", false), ("/%61", false), ("/a;b", false),
            ("//", true), ("//a", true), ("/a//b", true), ("/a/./b", true), ("/a/../b", true), ("/.", true),
            ("/a/..", true), ("/a/.", true), ("/a//", true),
        ])
    func segments(_ path: String, _ changes: Bool) {
        let bytes = path.bytes
        let result = CanonicalPath.changesSegments(bytes.span)
        #expect(result == changes)
    }
}
