import Bytes
import Configuration
import Gateway
import Model

/// Realms, which determine whose users log in where (MBE-09, MBE-10).
extension Administration {
    func listRealms(_ request: AdminRequest) throws(AdminFailure) -> AdminAnswer {
        try shown("realms") { reading, _ in JSONNode.texts(realms(reading.configuration)).serialized }
    }

    /// The first added realm creates the list, together with the realms in use.
    func addRealm(_ request: AdminRequest) throws(AdminFailure) -> AdminAnswer {
        let name = try AdminBody(request, known: ["name"]).required("name")
        try change("realms", request) { (text, before) throws(AdminFailure) in
            if before.realms?.contains(where: { isSame($0, name) }) == true {
                throw .conflict("there is a realm \"\(name)\" already")
            }
            let used = before.realms == nil ? realms(before).filter { !isSame($0, name) } : []
            text.append((used + [name]).map { .text($0) })
        }
        return .changed(name, status: 201, JSONNode.text(name).serialized)
    }

    func removeRealm(_ request: AdminRequest) throws(AdminFailure) -> AdminAnswer {
        let name = request.path[1]
        try change("realms", request) { (text, before) throws(AdminFailure) in
            guard let index = before.realms?.firstIndex(where: { isSame($0, name) }) else {
                let near = Suggestion.nearest(to: name, among: before.realms ?? [])
                throw .notFound("there is no realm \"\(name)\" in realms.json", suggestion: near)
            }
            let users = before.users.count { isSame($0.realm, name) }
            let backends = before.backends.count { isSame($0.backend.realm, name) }
            if users + backends > 0 {
                throw .conflict("the realm \"\(name)\" has \(users) users and \(backends) backends")
            }
            text.remove([.element(index)])
        }
        return .changed(name)
    }

    /// The listed realms, or without a list those of users and backends.
    private func realms(_ configuration: GatewayConfiguration) -> [String] {
        if let realms = configuration.realms { return realms }
        var found: [String] = []
        for realm in configuration.backends.map(\.backend.realm) + configuration.users.map(\.realm)
        where !found.contains(where: { isSame($0, realm) }) {
            found.append(realm)
        }
        return found
    }
}
