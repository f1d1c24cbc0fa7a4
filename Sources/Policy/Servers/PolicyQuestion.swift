import Bytes
import Identity
import Model

/// The question about one request and its caller to one server.
struct PolicyQuestion: Sendable {
    /// `{"input": …}`.
    private(set) var document: [UInt8] = []
    let server: PolicyServer
    let request: PolicyRequest
    let principal: Principal?
    let route: String
    /// The places of the claims that it has, scopes first.
    private let claims: [Int?]

    init(_ server: PolicyServer, _ request: PolicyRequest, _ principal: Principal?, _ route: Route, claims: [Int?]) {
        self.server = server
        self.request = request
        self.principal = principal
        self.route = route.name
        self.claims = claims
        document = JSONWriter.object { $0.member("input", writeInput) }
    }

    private func writeInput(_ input: inout JSONWriter) {
        input.member("method", request.method)
        input.member("path", request.path)
        writeVariables(&input)
        input.member("host", request.host)
        input.member("scheme", request.isSecure ? "https" : "http")
        writeParameters(&input)
        if let address = request.address { input.member("client", "\(address)") }
        input.member("route", route)
        guard let principal else {
            input.name("user")
            input.null()
            return
        }
        input.member("user", principal.subject)
        input.member("kind", principal.kind.rawValue)
        write(principal, to: &input)
    }

    func writeVariables(_ object: inout JSONWriter) {
        object.member("variables") { object in
            for (name, value) in request.variables { object.member(name, value) }
        }
    }

    /// Query and listed fields.
    func writeParameters(_ object: inout JSONWriter) {
        object.name("query")
        object.beginArray()
        for (name, value) in request.query {
            object.object {
                $0.member("name", name)
                $0.member("value", value)
            }
        }
        object.endArray()
        object.member("headers") { object in
            for name in server.rules.inputHeaders.map({ $0.lowercased() }) {
                object.member(name, request.headers.filter { $0.name == name }.map(\.value))
            }
        }
    }

    /// What is known of a caller beside its name and kind.
    func write(_ principal: Principal, to object: inout JSONWriter) {
        object.member("method_of_login", principal.method.rawValue)
        object.member("level", principal.level)
        if let client = principal.clientID, !principal.clientField.isEmpty {
            object.member("client_id", client)
        } else if let client = principal.backendID, principal.backendField.isEmpty {
            // A token of another issuer counts as of this client.
            object.member("client_id", client)
        }
        if let backend = principal.backendID, !principal.backendField.isEmpty { object.member("backend", backend) }
        if let consumer = principal.consumerName { object.member("consumer", consumer) }
        object.member("issuer", principal.issuer)
        object.member("roles", principal.roleNames)
        func value(_ place: Int?) -> JSONNode? { place.flatMap { principal.claims.value(at: $0) } }
        let scopes = value(claims.first ?? nil) ?? value(claims.dropFirst().first ?? nil)
        let texts = scopes?.array?.compactMap(\.string) ?? scopes?.string.map { [$0] } ?? []
        object.member("scopes", texts.flatMap { $0.split(separator: " ").map(String.init) })
        object.member("claims") { object in
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
