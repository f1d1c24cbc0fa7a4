import Bytes
import Configuration
import Gateway
import HTTP
import Identity
import Model
import OAuthServer

/// Mobile backends (MBE-01 to MBE-07).
struct BackendAdministration: ResourceAdministration {
    let administration: Administration

    static let operations = [
        operation(.get, "backends", "backends.list", Self.list),
        operation(.post, "backends", "backends.create", Self.create),
        operation(.get, "backends/*", "backends.show", Self.show),
        operation(.get, "backends/*/*", "backends.show", Self.show),
        operation(.patch, "backends/*/*", "backends.change", Self.change),
        operation(.delete, "backends/*/*", "backends.remove", Self.remove),
        operation(.post, "backends/*/*/rotate-secret", "backends.rotate-secret", Self.rotateSecret),
        operation(.post, "backends/*/*/revoke", "backends.revoke", Self.revoke),
        operation(.post, "backends/*/*/routes", "backends.add-route", Self.addRoute),
        operation(.delete, "backends/*/*/routes/*", "backends.remove-route", Self.removeRoute),
    ]

    func list(_ request: AdminRequest) throws(AdminFailure) -> AdminAnswer {
        try administration.shown("backends") { reading, _ in
            var writer = JSONWriter()
            writer.beginArray()
            for backend in reading.snapshot.backends.backends {
                writer.value(json: reading.snapshot.tokens.describe(backend, includingSecrets: false).span)
            }
            writer.endArray()
            return writer.bytes
        }
    }

    /// `?secrets=true` includes the client secret, which is audited (MBE-04).
    func show(_ request: AdminRequest) throws(AdminFailure) -> AdminAnswer {
        var object = ""
        let name = request.path[1]
        let version = request.path.count > 2 ? request.path[2] : nil
        let showsSecrets = request.flag("secrets")
        var answer = try administration.shown("backends") { (reading, _) throws(AdminFailure) in
            let found = reading.snapshot.backends.backends.filter { backend in
                backend.name.isExactly(name)
                    && (version.map { backend.version.isExactly($0) } ?? true)
            }
            guard let backend = found.first else {
                throw .notFound("no backend \(request.path[1...].joined(separator: "/"))")
            }
            guard found.count == 1 else {
                let versions = found.map(\.version).joined(separator: ", ")
                throw .conflict("\(name) has several versions, name one: \(versions)")
            }
            object = "\(backend.name)/\(backend.version)"
            return reading.snapshot.tokens.describe(backend, includingSecrets: showsSecrets)
        }
        answer.object = object
        answer.isAudited = showsSecrets
        return answer
    }

    /// The response includes the secret.
    func create(_ request: AdminRequest) throws(AdminFailure) -> AdminAnswer {
        let body = try AdminBody(request, known: ["name", "version", "realm"])
        let backend = NewBackend(
            name: try body.text("name") ?? "", version: try body.text("version") ?? "",
            realm: try body.text("realm") ?? "Default")
        let now = try administration.change("backends", request) { (text, before) throws(AdminFailure) in
            if Self.index(backend.name, backend.version, before) != nil {
                throw .conflict("there is a backend \(backend.name)/\(backend.version) already")
            }
            text.append([.object(backend.members().map { ($0.name, .text($0.value)) })])
        }
        return try described(backend.name, backend.version, now, status: 201)
    }

    /// Changes the login methods and the realm.
    func change(_ request: AdminRequest) throws(AdminFailure) -> AdminAnswer {
        let body = try AdminBody(request, known: ["oauthConsumer", "httpBasic", "enableSso", "realm"])
        let realm = try body.text("realm")
        let methods = try ["oauthConsumer", "httpBasic", "enableSso"].map { (name) throws(AdminFailure) in
            (name, try body.flag(name))
        }
        return try edit(request) { (text, place, _) throws(AdminFailure) in
            for (name, flag) in methods { if let flag { text.set(name, of: place, to: .flag(flag)) } }
            if let realm { text.set("realm", of: place, to: .text(realm)) }
        }
    }

    /// Creates a new secret; the old one and all tokens become invalid. Reactivates a revoked backend (MBE-06).
    func rotateSecret(_ request: AdminRequest) throws(AdminFailure) -> AdminAnswer {
        let secret = NewBackend.secret()
        let now = try administration.change("backends", request) { (text, before) throws(AdminFailure) in
            let place = try place(of: request, before)
            guard text.node(at: place)?["clientId"] != nil else {
                throw .conflict("the backend has no client id, and so no secret")
            }
            if let kind = text.node(at: place)?["clientSecret"]?.string.flatMap(SecretReference.init(in:)) {
                // GW-12: the place of a referenced secret is not part of the configuration.
                throw .conflict("the secret is kept elsewhere (\(kind.rawValue)...): change it there")
            }
            text.set("clientSecret", of: place, to: .text(secret))
            text.put("revoked", of: place, nil)
            text.set("tokensNotBefore", of: place, to: .number(administration.cutoff))
        }
        var answer = try described(request.path[1], request.path[2], now, status: 200)
        answer.endsTokens = true
        return answer
    }

    /// Invalidates the secret and all tokens of the backend (MBE-06).
    func revoke(_ request: AdminRequest) throws(AdminFailure) -> AdminAnswer {
        try edit(request) { (text, place, _) throws(AdminFailure) in
            text.put("clientSecret", of: place, nil)
            text.set("revoked", of: place, to: .flag(true))
            text.set("tokensNotBefore", of: place, to: .number(administration.cutoff))
        }
    }

    /// Tokens of the backend become invalid, since their backend id is unknown.
    func remove(_ request: AdminRequest) throws(AdminFailure) -> AdminAnswer {
        try administration.change("backends", request) { (text, before) throws(AdminFailure) in
            text.remove(try place(of: request, before))
        }
        return .changed("\(request.path[1])/\(request.path[2])")
    }

    /// Associates a route with the backend (MBE-07).
    func addRoute(_ request: AdminRequest) throws(AdminFailure) -> AdminAnswer {
        let name = try AdminBody(request, known: ["route"]).required("route")
        return try edit(request) { (text, place, before) throws(AdminFailure) in
            _ = try Administration.index(of: name, in: before.routes.map(\.name), "route")
            guard let routes = text.node(at: place)?["routes"]?.array else {
                text.set("routes", of: place, to: .texts([name]))
                return
            }
            if !routes.contains(where: { $0.string.map { $0.isExactly(name) } ?? false }) {
                text.append([.text(name)], to: place + [.member("routes")])
            }
        }
    }

    func removeRoute(_ request: AdminRequest) throws(AdminFailure) -> AdminAnswer {
        let name = request.path[4]
        return try edit(request) { (text, place, _) throws(AdminFailure) in
            let routes = text.node(at: place)?["routes"]?.array ?? []
            guard let index = routes.firstIndex(where: { $0.string.map { $0.isExactly(name) } ?? false }) else {
                throw .notFound("the backend does not list the route \"\(name)\"")
            }
            text.remove(place + [.member("routes"), .element(index)])
        }
    }

    /// Changes the backend of the path. The response is its settings without the secret.
    private func edit(
        _ request: AdminRequest,
        _ change: (inout SectionText, [JSONText.Step], GatewayConfiguration) throws(AdminFailure) -> Void
    ) throws(AdminFailure) -> AdminAnswer {
        let now = try administration.change("backends", request) { (text, before) throws(AdminFailure) in
            try change(&text, try place(of: request, before), before)
        }
        return try described(request.path[1], request.path[2], now, status: 200, includingSecrets: false)
    }

    private func place(
        of request: AdminRequest, _ configuration: GatewayConfiguration
    ) throws(AdminFailure) -> [JSONText.Step] {
        let (name, version) = (request.path[1], request.path[2])
        guard let index = Self.index(name, version, configuration) else {
            throw .notFound("no backend \(name)/\(version)")
        }
        return [.element(index)]
    }

    private static func index(_ name: String, _ version: String, _ configuration: GatewayConfiguration) -> Int? {
        configuration.backends.firstIndex {
            $0.backend.name.isExactly(name) && $0.backend.version.isExactly(version)
        }
    }

    private func described(
        _ name: String, _ version: String, _ now: ConfigurationChange.Outcome<Void>, status: Int,
        includingSecrets: Bool = true
    ) throws(AdminFailure) -> AdminAnswer {
        guard let index = Self.index(name, version, now.configuration) else {
            throw .notFound("no backend \(name)/\(version)")
        }
        let backend = now.configuration.backends[index].inForce
        // The endpoints are known only for a valid configuration.
        let text =
            now.snapshot?.tokens.describe(backend, includingSecrets: includingSecrets)
            ?? backend.settingsJSON(
                baseURL: now.configuration.baseURL.description, paths: .init(token: nil, exchange: nil, sso: nil),
                includingSecrets: includingSecrets)
        return .changed("\(name)/\(version)", status: status, text)
    }
}
