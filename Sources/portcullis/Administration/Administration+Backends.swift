import Bytes
import Configuration
import Gateway
import Identity
import Model
import OAuthServer
import Reactor

/// Mobile backends: made, shown, switched, revoked (MBE-01 to MBE-07).
extension Administration {
    func listBackends(_ request: AdminRequest) throws(AdminFailure) -> AdminAnswer {
        let reading = try configuration.read()
        var writer = JSONWriter()
        writer.beginArray()
        for backend in reading.snapshot.backends.backends {
            writer.value(json: reading.snapshot.tokens.describe(backend, includingSecrets: false).span)
        }
        writer.endArray()
        return .shown(
            writer.bytes, tag: ConfigurationChange.tag(of: try configuration.text(of: "backends", reading.loaded)))
    }

    /// With `?secrets=true` the client secret is shown too, and that it was is written down (MBE-04).
    func showBackend(_ request: AdminRequest) throws(AdminFailure) -> AdminAnswer {
        let reading = try configuration.read()
        let name = request.path[1]
        let version = request.path.count > 2 ? request.path[2] : nil
        let found = reading.snapshot.backends.backends.filter { backend in
            isSame(backend.name, name) && (version.map { isSame(backend.version, $0) } ?? true)
        }
        guard let backend = found.first else {
            throw .notFound("no backend \(([name] + (version.map { [$0] } ?? [])).joined(separator: "/"))")
        }
        guard found.count == 1 else {
            let versions = found.map(\.version).joined(separator: ", ")
            throw .conflict("\(name) has several versions, name one: \(versions)")
        }
        let showsSecrets = request.parameter("secrets").map { isSame($0, "true") } ?? false
        var answer = AdminAnswer.shown(
            reading.snapshot.tokens.describe(backend, includingSecrets: showsSecrets),
            tag: ConfigurationChange.tag(of: try configuration.text(of: "backends", reading.loaded)))
        answer.object = "\(backend.name)/\(backend.version)"
        answer.isAudited = showsSecrets
        return answer
    }

    /// The answer is the one that has the secret.
    func createBackend(_ request: AdminRequest) throws(AdminFailure) -> AdminAnswer {
        let body = try AdminBody(request, known: ["name", "version", "realm"])
        let backend = NewBackend(
            name: try body.text("name") ?? "", version: try body.text("version") ?? "",
            realm: try body.text("realm") ?? "Default")
        let now = try configuration.change("backends", empty: "[]", condition: request.condition) {
            (text, before) throws(AdminFailure) in
            if before.backends.contains(where: { isSame($0.name, backend.name) && isSame($0.version, backend.version) })
            {
                throw .conflict("there is a backend \(backend.name)/\(backend.version) already")
            }
            text.append([.object(backend.members().map { ($0.name, .text($0.value)) })])
        }
        return try described(backend.name, backend.version, now, status: 201)
    }

    /// The switches, and the realm.
    func changeBackend(_ request: AdminRequest) throws(AdminFailure) -> AdminAnswer {
        let body = try AdminBody(request, known: ["oauthConsumer", "httpBasic", "enableSso", "realm"])
        let realm = try body.text("realm")
        var switches: [(String, Bool)] = []
        for name in ["oauthConsumer", "httpBasic", "enableSso"] {
            if let flag = try body.flag(name) { switches.append((name, flag)) }
        }
        let wanted = switches
        return try edit(request) { (text, place, _) throws(AdminFailure) in
            for (name, flag) in wanted { text.set(name, of: place, to: .flag(flag)) }
            if let realm { text.set("realm", of: place, to: .text(realm)) }
        }
    }

    /// A new secret; the old one and all tokens are void at once. A revoked backend is a backend again (MBE-06).
    func rotateSecret(_ request: AdminRequest) throws(AdminFailure) -> AdminAnswer {
        let secret = NewBackend.secret()
        let now = try configuration.change("backends", empty: "[]", condition: request.condition) {
            (text, before) throws(AdminFailure) in
            let place = try place(of: request, before)
            guard text.node(at: place)?["clientId"] != nil else {
                throw .conflict("the backend has no client id, and so no secret")
            }
            if let old = text.node(at: place)?["clientSecret"]?.string,
                let kind = ["env:", "file:", "cred:"].first(where: { old.hasPrefix($0) })
            {
                // GW-12: what the value is kept in is not ours to change.
                throw .conflict("the secret is kept elsewhere (\(kind)...): change it there")
            }
            text.set("clientSecret", of: place, to: .text(secret))
            text.put("revoked", of: place, nil)
            text.set("tokensNotBefore", of: place, to: .number(cutoff))
        }
        var answer = try described(request.path[1], request.path[2], now, status: 200)
        answer.endsTokens = true
        return answer
    }

    /// Nothing that was given out for this backend counts any more (MBE-06).
    func revokeBackend(_ request: AdminRequest) throws(AdminFailure) -> AdminAnswer {
        try edit(request) { (text, place, _) throws(AdminFailure) in
            text.put("clientSecret", of: place, nil)
            text.set("revoked", of: place, to: .flag(true))
            text.set("tokensNotBefore", of: place, to: .number(cutoff))
        }
    }

    /// Its tokens name an id that nobody has any more.
    func removeBackend(_ request: AdminRequest) throws(AdminFailure) -> AdminAnswer {
        _ = try configuration.change("backends", empty: "[]", condition: request.condition) {
            (text, before) throws(AdminFailure) in text.remove(try place(of: request, before))
        }
        return .changed("\(request.path[1])/\(request.path[2])")
    }

    /// Associates a route with the backend (MBE-07).
    func addBackendRoute(_ request: AdminRequest) throws(AdminFailure) -> AdminAnswer {
        let name = try AdminBody(request, known: ["route"]).required("route")
        return try edit(request) { (text, place, before) throws(AdminFailure) in
            guard before.routes.contains(where: { isSame($0.name, name) }) else {
                let near = Suggestion.nearest(to: name, among: before.routes.map(\.name))
                throw .notFound("there is no route \"\(name)\"", suggestion: near)
            }
            guard let routes = text.node(at: place)?["routes"]?.array else {
                text.set("routes", of: place, to: .texts([name]))
                return
            }
            if !routes.contains(where: { $0.string.map { isSame($0, name) } ?? false }) {
                text.append([.text(name)], to: place + [.member("routes")])
            }
        }
    }

    func removeBackendRoute(_ request: AdminRequest) throws(AdminFailure) -> AdminAnswer {
        let name = request.path[4]
        return try edit(request) { (text, place, _) throws(AdminFailure) in
            let routes = text.node(at: place)?["routes"]?.array ?? []
            guard let index = routes.firstIndex(where: { $0.string.map { isSame($0, name) } ?? false }) else {
                throw .notFound("the backend does not list the route \"\(name)\"")
            }
            text.remove(place + [.member("routes"), .element(index)])
        }
    }

    /// Changes the backend of the path; answers its settings without the secret.
    private func edit(
        _ request: AdminRequest,
        _ change: (inout SectionText, [JSONText.Step], GatewayConfiguration) throws(AdminFailure) -> Void
    ) throws(AdminFailure) -> AdminAnswer {
        let now = try configuration.change("backends", empty: "[]", condition: request.condition) {
            (text, before) throws(AdminFailure) in
            try change(&text, try place(of: request, before), before)
        }
        return try described(request.path[1], request.path[2], now, status: 200, includingSecrets: false)
    }

    private func place(
        of request: AdminRequest, _ configuration: GatewayConfiguration
    ) throws(AdminFailure) -> [JSONText.Step] {
        let (name, version) = (request.path[1], request.path[2])
        let backends = configuration.backends
        guard let index = backends.firstIndex(where: { isSame($0.name, name) && isSame($0.version, version) }) else {
            throw .notFound("no backend \(name)/\(version)")
        }
        return [.element(index)]
    }

    private func described(
        _ name: String, _ version: String, _ now: ConfigurationChange.Outcome<Void>, status: Int,
        includingSecrets: Bool = true
    ) throws(AdminFailure) -> AdminAnswer {
        let made = now.configuration.backends.last { isSame($0.name, name) && isSame($0.version, version) }
        guard let entry = made else { throw .notFound("\(name)/\(version) did not become a backend") }
        let backend = Backend(entry)
        // Which endpoints there are is known once the configuration is valid.
        let text =
            now.snapshot?.tokens.describe(backend, includingSecrets: includingSecrets)
            ?? backend.settingsJSON(
                baseURL: now.configuration.baseURL.description, paths: .init(token: nil, exchange: nil, sso: nil),
                includingSecrets: includingSecrets)
        return .changed("\(name)/\(version)", status: status, text)
    }
}
