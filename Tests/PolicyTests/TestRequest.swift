import Bytes
import HTTP
import Model

@testable import Policy

/// A request as the gateway has it before it decides: parsed head, field table and their buffer.
///
/// Spans stay out of `#expect`: the macro cannot take apart what does not escape. So the calls are wrapped here.
struct TestRequest {
    let bytes: [UInt8]
    let head: RequestHead
    let headers = HeaderTable()

    init(
        _ method: String = "GET", _ target: String = "/", host: String = "gw.example.com",
        _ fields: [(String, String)] = []
    ) {
        let lines = fields.map { "\($0): \($1)\r\n" }.joined()
        bytes = Array("\(method) \(target) HTTP/1.1\r\nHost: \(host)\r\n\(lines)\r\n".utf8)
        head = TestRequest.parse(bytes, into: headers)
    }

    private static func parse(_ bytes: [UInt8], into headers: HeaderTable) -> RequestHead {
        var parser = RequestParser(limits: HTTPLimits())
        guard case .head(let head) = parser.parse(bytes.span, into: headers) else {
            fatalError("the parser refuses \(String(decoding: bytes, as: UTF8.self))")
        }
        return head
    }

    /// The canonical path; nil where it can be read in two ways.
    var canonicalPath: [UInt8]? {
        let path = bytes.span.slice(head.path)
        return CanonicalPath.canonical([UInt8](copying: path))
    }

    /// The route or endpoint, by the canonical path as the gateway does it; nil where that is refused.
    func match(_ snapshot: PolicySnapshot) -> RouteMatch? {
        canonicalPath.map { snapshot.match(path: $0.span, bytes: bytes.span, head: head, headers: headers) }
    }

    func screen(_ snapshot: PolicySnapshot, _ route: Route? = nil) -> OriginVerdict {
        snapshot.screenOrigin(route, at: nil, bytes: bytes.span, head: head, headers: headers)
    }

    func authenticate(
        _ snapshot: PolicySnapshot, _ route: Route? = nil, certificate: PresentedCertificate? = nil,
        now: Int64 = TestPolicy.now,
        cache: VerifiedTokenCache = VerifiedTokenCache(capacity: 8)
    ) -> AuthenticationOutcome {
        snapshot.authenticate(
            route, bytes: bytes.span, head: head, headers: headers, certificate: certificate, now: now, cache: cache)
    }

    func challenge(_ snapshot: PolicySnapshot, _ route: Route, _ reason: Reason) -> String {
        let chunk = Chunk(capacity: 16)
        snapshot.challenges.append(
            to: chunk, route: route, reason: reason, bytes: bytes.span, head: head, headers: headers,
            requestID: Array(#"id"1"#.utf8).span, now: TestPolicy.now)
        return chunk.text
    }

    /// The CORS lines of a reply, by lower-case name.
    func corsFields(
        _ snapshot: PolicySnapshot, _ verdict: OriginVerdict, _ route: Route? = nil, status: Int = 200
    ) -> [String: String] {
        let chunk = Chunk(capacity: 16)
        let origin = verdict == .allowed ? headers.value(.origin) ?? .empty : .empty
        CORSPolicy.appendFields(
            to: chunk, origin: bytes.span.slice(origin), status: status, by: snapshot.cors(of: route))
        return chunk.fields
    }

    func preflightFields(_ route: Route) -> [String: String] {
        let chunk = Chunk(capacity: 16)
        route.appendPreflightFields(to: chunk, bytes: bytes.span, headers: headers)
        return chunk.fields
    }
}

extension Chunk {
    var text: String {
        let bytes = readable
        return String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self)
    }

    /// Field lines by lower-case name; a name that comes twice fails the run.
    var fields: [String: String] {
        let lines = text.split(separator: "\r\n", omittingEmptySubsequences: true)
        return Dictionary(
            uniqueKeysWithValues: lines.map { line in
                let colon = line.firstIndex(of: ":") ?? line.endIndex
                return (line[..<colon].lowercased(), String(line[colon...].dropFirst(2)))
            })
    }
}
