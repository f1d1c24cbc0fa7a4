import Bytes
import Configuration
import Declaration
import Gateway
import HTTP
import Model

/// Realms, which determine whose users log in where.
struct RealmAdministration: ResourceAdministration {
    let administration: Administration

    static let operations = [
        operation(.get, "realms", "realms.list", Self.list),
        operation(.post, "realms", "realms.add", Self.add),
        operation(.delete, "realms/*", "realms.remove", Self.remove),
    ]

    func list(_ request: AdminRequest) throws(AdminFailure) -> AdminAnswer {
        try administration.shown("realms") { reading, _ in JSONNode.texts(realms(reading.configuration)).serialized }
    }

    /// The first added realm creates the list, together with the realms in use.
    func add(_ request: AdminRequest) throws(AdminFailure) -> AdminAnswer {
        let name = try AdminBody(request, known: ["name"]).required("name")
        try administration.change("realms", request) { (text, before) throws(AdminFailure) in
            if before.realms?.contains(where: { $0.isExactly(name) }) == true {
                throw .conflict("there is a realm \"\(name)\" already")
            }
            let used = before.realms == nil ? realms(before).filter { !$0.isExactly(name) } : []
            text.append((used + [name]).map { .text($0) })
        }
        return .changed(name, status: 201, JSONNode.text(name).serialized)
    }

    func remove(_ request: AdminRequest) throws(AdminFailure) -> AdminAnswer {
        let name = request.path[1]
        try administration.change("realms", request) { (text, before) throws(AdminFailure) in
            guard let index = before.realms?.firstIndex(where: { $0.isExactly(name) }) else {
                let near = Suggestion.nearest(to: name, among: before.realms ?? [])
                throw .notFound("there is no realm \"\(name)\" in realms.json", suggestion: near)
            }
            let users = before.users.count { $0.realm.isExactly(name) }
            let clients = before.clients.count { $0.client.realm.isExactly(name) }
            if users + clients > 0 {
                throw .conflict("the realm \"\(name)\" is in use; users: \(users), clients: \(clients)")
            }
            text.remove([.element(index)])
        }
        return .changed(name)
    }

    /// The listed realms, or without a list those of users and clients.
    private func realms(_ configuration: GatewayConfiguration) -> [String] {
        if let realms = configuration.realms { return realms }
        var found: [String] = []
        for realm in configuration.clients.map(\.client.realm) + configuration.users.map(\.realm)
        where !found.contains(where: { $0.isExactly(realm) }) {
            found.append(realm)
        }
        return found
    }
}
