import Bytes
import Configuration
import Gateway
import HTTP
import Model

/// Mobile backends.
struct BackendAdministration: CredentialAdministration {
    static let (section, noun, depth) = ("backends", "backend", 2)

    let administration: Administration

    static let operations = [
        operation(.get, "backends", "backends.list", Self.list),
        operation(.delete, "backends/*/*", "backends.remove", Self.remove),
        operation(.post, "backends/*/*/rotate-secret", "backends.rotate-secret", Self.rotateSecret),
        operation(.post, "backends/*/*/revoke", "backends.revoke", Self.revoke),
        operation(.post, "backends", "backends.create", Self.create),
        operation(.get, "backends/*", "backends.show", Self.show),
        operation(.get, "backends/*/*", "backends.show", Self.show),
        operation(.patch, "backends/*/*", "backends.change", Self.change),
        operation(.post, "backends/*/*/routes", "backends.add-route", Self.addRoute),
        operation(.delete, "backends/*/*/routes/*", "backends.remove-route", Self.removeRoute),
    ]

    /// `?secrets=true` includes the client secret, which is audited. The version may be left out where there is one.
    func show(_ request: AdminRequest) throws(AdminFailure) -> AdminAnswer {
        let name = request.path[1]
        let version = request.path.count > 2 ? request.path[2] : nil
        return try shown(request) { (backends) throws(AdminFailure) in
            let found = backends.filter { backend in
                backend.name.isExactly(name) && (version.map { backend.version.isExactly($0) } ?? true)
            }
            guard let backend = found.first else {
                throw .notFound("no backend \(request.path[1...].joined(separator: "/"))")
            }
            guard found.count == 1 else {
                let versions = found.map(\.version).joined(separator: ", ")
                throw .conflict("\(name) has several versions, name one: \(versions)")
            }
            return backend
        }
    }

    /// The response includes the secret.
    func create(_ request: AdminRequest) throws(AdminFailure) -> AdminAnswer {
        let body = try AdminBody(request, known: ["name", "version", "realm"])
        let backend = NewBackend(
            name: try body.text("name") ?? "", version: try body.text("version") ?? "",
            realm: try body.text("realm") ?? "Default")
        let reference = "\(backend.name)/\(backend.version)"
        let now = try administration.change("backends", request) { (text, before) throws(AdminFailure) in
            if Self.index(reference, before) != nil { throw .conflict("there is a backend \(reference) already") }
            text.append([.object(backend.members().map { ($0.name, .text($0.value)) })])
        }
        return try described(reference, now, status: 201)
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

    /// Associates a route with the backend.
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
}
