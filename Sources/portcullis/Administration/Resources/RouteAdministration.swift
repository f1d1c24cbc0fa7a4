import Bytes
import Configuration
import Gateway
import HTTP
import Model

/// Single settings of routes (TOOL-02).
struct RouteAdministration: ResourceAdministration {
    let administration: Administration

    static let operations = [
        operation(.get, "routes", "routes.list", Self.list),
        operation(.get, "routes/*", "routes.show", Self.show),
        operation(.patch, "routes/*", "routes.set", Self.set),
    ]

    func list(_ request: AdminRequest) throws(AdminFailure) -> AdminAnswer {
        try administration.shown("routes") { _, text in (text?.root ?? JSONNode(.array([]))).serialized }
    }

    func show(_ request: AdminRequest) throws(AdminFailure) -> AdminAnswer {
        try administration.shown("routes") { (reading, text) throws(AdminFailure) in
            let index = try place(of: request.path[1], reading.configuration)
            return (text?.node(at: [.element(index)]) ?? JSONNode(.null)).serialized
        }
    }

    /// Sets members of a route by their paths, such as `methods.GET.loginRequired`; null removes a member.
    func set(_ request: AdminRequest) throws(AdminFailure) -> AdminAnswer {
        let members = try members(request)
        let now = try administration.change("routes", request) { (text, before) throws(AdminFailure) -> Int in
            let index = try place(of: request.path[1], before)
            for member in members {
                let names = member.name.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
                try set(member.node, names[...], of: [.element(index)], &text)
            }
            return index
        }
        let text = try administration.configuration.text(of: "routes", now.loaded)
        return .changed(request.path[1], (text?.node(at: [.element(now.value)]) ?? JSONNode(.null)).serialized)
    }

    private func members(_ request: AdminRequest) throws(AdminFailure) -> [JSONMember] {
        guard let members = (try? JSONNode.parse(request.body.span))?.members, !members.isEmpty else {
            throw .malformed("the body must be a JSON object with the settings of a route")
        }
        for member in members where member.name.split(separator: ".", omittingEmptySubsequences: false).contains("") {
            throw .malformed("\"\(member.name)\" is not the path of a setting")
        }
        return members
    }

    private func set(
        _ value: JSONNode, _ names: ArraySlice<String>, of place: [JSONText.Step], _ text: inout SectionText
    ) throws(AdminFailure) {
        guard let name = names.first else { return }
        let rest = names.dropFirst()
        guard !rest.isEmpty else {
            text.put(name, of: place, value.isNull ? nil : value)
            return
        }
        guard let inner = text.node(at: place)?[name] else {
            if value.isNull { return }
            let made = rest.reversed().reduce(value) { .object([($1, $0)]) }
            text.set(name, of: place, to: made)
            return
        }
        guard inner.members != nil else { throw .conflict("\"\(name)\" of the route is not an object") }
        try set(value, rest, of: place + [.member(name)], &text)
    }

    /// The position of a route by its name, or by its path if no other route has the same.
    private func place(of name: String, _ configuration: GatewayConfiguration) throws(AdminFailure) -> Int {
        let routes = configuration.routes
        if let index = routes.firstIndex(where: { $0.name.isExactly(name) }),
            routes.count(where: { $0.name.isExactly(name) }) == 1
        {
            return index
        }
        let found = routes.indices.filter { routes[$0].path.text.isExactly(name) || routes[$0].name.isExactly(name) }
        guard found.count <= 1 else {
            throw .conflict("several routes have the path \(name): give each a \"name\", and use that")
        }
        if let index = found.first { return index }
        return try Administration.index(of: name, in: routes.map(\.name), "route")
    }
}
