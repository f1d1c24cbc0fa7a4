import Bytes
import Configuration
import Gateway
import Model

/// Realms: whose users log in where (MBE-09, MBE-10).
extension Administration {
    func listRealms(_ request: AdminRequest) throws(AdminFailure) -> AdminAnswer {
        let reading = try configuration.read()
        var writer = JSONWriter()
        writer.value(realms(reading.configuration))
        return .shown(
            writer.bytes, tag: ConfigurationChange.tag(of: try configuration.text(of: "realms", reading.loaded)))
    }

    /// The first realm that is added brings the list into being, with those that are in use.
    func addRealm(_ request: AdminRequest) throws(AdminFailure) -> AdminAnswer {
        let name = try AdminBody(request, known: ["name"]).required("name")
        _ = try configuration.change("realms", empty: "[]", condition: request.condition) {
            (text, before) throws(AdminFailure) in
            if before.realms?.contains(where: { isSame($0, name) }) == true {
                throw .conflict("there is a realm \"\(name)\" already")
            }
            let used = before.realms == nil ? realms(before).filter { !isSame($0, name) } : []
            text.append((used + [name]).map { .text($0) })
        }
        return .changed(name, status: 201, quoted(name))
    }

    func removeRealm(_ request: AdminRequest) throws(AdminFailure) -> AdminAnswer {
        let name = request.path[1]
        _ = try configuration.change("realms", empty: "[]", condition: request.condition) {
            (text, before) throws(AdminFailure) in
            guard let index = before.realms?.firstIndex(where: { isSame($0, name) }) else {
                let near = Suggestion.nearest(to: name, among: before.realms ?? [])
                throw .notFound("there is no realm \"\(name)\" in realms.json", suggestion: near)
            }
            let users = before.users.count { isSame($0.realm, name) }
            let backends = before.backends.count { isSame($0.realm, name) }
            if users + backends > 0 {
                throw .conflict("the realm \"\(name)\" has \(users) users and \(backends) backends")
            }
            text.remove([.element(index)])
        }
        return .changed(name)
    }

    /// Those that are listed, or else those that users and backends name.
    private func realms(_ configuration: GatewayConfiguration) -> [String] {
        if let realms = configuration.realms { return realms }
        var found: [String] = []
        for realm in configuration.backends.map(\.realm) + configuration.users.map(\.realm)
        where !found.contains(where: { isSame($0, realm) }) {
            found.append(realm)
        }
        return found
    }

    func quoted(_ text: String) -> [UInt8] {
        var writer = JSONWriter()
        writer.value(text)
        return writer.bytes
    }
}
