import Bytes
import Identity
import Model

/// The question about one request and its caller to one server.
struct PolicyQuestion: Sendable {
    /// `{"input": …}`.
    let document: [UInt8]
    private let server: PolicyServer
    private let request: PolicyRequest
    private let principal: Principal?

    init(_ server: PolicyServer, _ request: PolicyRequest, _ principal: Principal?, _ route: Route, claims: [Int?]) {
        self.server = server
        self.request = request
        self.principal = principal
        document = JSONWriter.object { writer in
            writer.member("input") { input in
                input.member("method", request.method)
                input.member("path", request.path)
                input.member("variables") { object in
                    for (name, value) in request.variables { object.member(name, value) }
                }
                input.member("host", request.host)
                input.member("scheme", request.isSecure ? "https" : "http")
                input.name("query")
                input.beginArray()
                for (name, value) in request.query {
                    input.object {
                        $0.member("name", name)
                        $0.member("value", value)
                    }
                }
                input.endArray()
                input.member("headers") { object in
                    for name in server.rules.inputHeaders.map({ $0.lowercased() }) {
                        object.member(name, request.headers.filter { $0.name == name }.map(\.value))
                    }
                }
                if let address = request.address { input.member("client", "\(address)") }
                input.member("route", route.name)
                PolicyQuestion.append(principal, claims, server, &input)
            }
        }
    }

    private static func append(
        _ principal: Principal?, _ claims: [Int?], _ server: PolicyServer, _ input: inout JSONWriter
    ) {
        guard let principal else {
            input.name("user")
            input.null()
            return
        }
        input.member("user", principal.subject)
        input.member("kind", principal.kind.rawValue)
        input.member("method_of_login", principal.method.rawValue)
        input.member("level", principal.level)
        if let client = principal.clientID, !principal.clientField.isEmpty {
            input.member("client_id", client)
        } else if let client = principal.backendID, principal.backendField.isEmpty {
            // A token of another issuer counts as of this client.
            input.member("client_id", client)
        }
        if let backend = principal.backendID, !principal.backendField.isEmpty { input.member("backend", backend) }
        if let consumer = principal.consumerName { input.member("consumer", consumer) }
        input.member("issuer", principal.issuer)
        input.member("roles", principal.roleNames)
        func value(_ place: Int?) -> JSONNode? { place.flatMap { principal.claims.value(at: $0) } }
        let scopes = value(claims.first ?? nil) ?? value(claims.dropFirst().first ?? nil)
        let texts = scopes?.array?.compactMap(\.string) ?? scopes?.string.map { [$0] } ?? []
        input.member("scopes", texts.flatMap { $0.split(separator: " ").map(String.init) })
        input.member("claims") { object in
            for (path, place) in zip(server.rules.claims, claims.dropFirst(2)) {
                if let value = value(place) { object.member(path.text, value) }
            }
        }
    }

    /// What answers are kept by: every value that a server may decide by. Servers that decide by fields see the query as
    /// written, and may decode it differently.
    var identity: [UInt8] { document + request.queryText.utf8 }

    /// The places of scopes, which are in the input beside the listed claims.
    static let scopeClaims = [ClaimPath(literal: "scope"), ClaimPath(literal: "scp")]

    /// The same as fields, for servers that decide by those. A value is written as upstreams get it.
    var fields: [(name: String, value: String)] {
        var fields: [(name: String, value: String)] = [
            ("X-Forwarded-Method", request.method), ("X-Forwarded-Proto", request.isSecure ? "https" : "http"),
            ("X-Forwarded-Host", request.host), ("X-Forwarded-Uri", request.path + request.queryText),
        ]
        if let address = request.address { fields.append(("X-Forwarded-For", "\(address)")) }
        if let principal {
            fields.append(("X-Gateway-User", String(decoding: principal.subjectField, as: UTF8.self)))
            fields.append(("X-Gateway-Issuer", String(decoding: principal.issuerField, as: UTF8.self)))
            fields.append(("X-Gateway-Roles", String(decoding: principal.roleField, as: UTF8.self)))
            if !principal.consumerField.isEmpty {
                fields.append(("X-Gateway-Consumer", String(decoding: principal.consumerField, as: UTF8.self)))
            }
            if !principal.clientField.isEmpty {
                fields.append(("X-Gateway-Client", String(decoding: principal.clientField, as: UTF8.self)))
            }
            if !principal.backendField.isEmpty {
                fields.append(("X-Gateway-Backend", String(decoding: principal.backendField, as: UTF8.self)))
            }
        }
        for name in server.rules.inputHeaders {
            fields += request.headers.filter { $0.name == name.lowercased() }.map { (name, $0.value) }
        }
        return fields
    }
}
