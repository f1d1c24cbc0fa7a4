import Bytes
import Endpoints
import Gateway
import HTTP
import Identity
import Model

extension Administration {
    /// Performs changes of applications as administrative requests (AOM-17, AOM-26, UPS-03, UPS-05, UPS-06), with one
    /// reload. Blocks on files.
    ///
    /// - Returns: the outcome of each, and the second from which it holds, see `handle`.
    func perform(
        _ changes: [(change: UserChange, origin: ChangeOrigin)]
    ) -> [(outcome: UserChangeOutcome, since: Int64)] {
        let requests = changes.map { change, origin in
            var request = AdminRequest(change)
            request.origin = origin
            return request
        }
        return conclusions(of: requests).map { (Administration.outcome($0), $0.since) }
    }

    private static func outcome(_ conclusion: Conclusion) -> UserChangeOutcome {
        // A failure to notify other gateways is not reported to users.
        if conclusion.isDone { return conclusion.user.map { .saved($0) } ?? .done }
        return switch conclusion.response.status {
        case 404: .unknown
        case 409: .exists
        case 412: .changedMeanwhile
        case 400, 422: .unfit
        default: .failed
        }
    }
}

extension AdminRequest {
    /// The administrative request for a change.
    fileprivate init(_ change: UserChange) {
        switch change {
        case .add(let user):
            self.init(.post, ["users"]) { $0.members(of: user) }
        case .setPassword(let username, let realm, let passwordHash):
            self.init(.patch, ["users", username], realm: realm) { $0.member("passwordHash", passwordHash) }
        case .setProfile(let username, let realm, let values, let condition):
            self.init(.patch, ["users", username], realm: realm) { $0.members(of: values) }
            userCondition = condition
        case .remove(let username, let realm, let condition):
            self.init(.delete, ["users", username], realm: realm) { _ in }
            userCondition = condition
        case .setMembership(let username, let realm, let role, let isMember):
            self.init(.patch, ["users", username], realm: realm) {
                $0.member(isMember ? "addRoles" : "removeRoles", [role])
            }
        case .addRole(let name, let description):
            self.init(.post, ["roles"]) {
                $0.member("name", name)
                $0.member("description", orNull: description)
            }
        case .describeRole(let name, let description):
            self.init(.patch, ["roles", name]) { $0.member("description", orNull: description) }
        case .removeRole(let name):
            self.init(.delete, ["roles", name]) { _ in }
        }
    }

    private init(
        _ method: Method, _ path: [String], realm: String? = nil, _ members: (inout JSONWriter) -> Void
    ) {
        var writer = JSONWriter()
        writer.beginObject()
        members(&writer)
        writer.endObject()
        self.init(
            method: method, path: path, parameters: realm.map { [.init(name: "realm", value: $0)] } ?? [],
            contentType: "application/json", body: writer.bytes)
    }
}

extension JSONWriter {
    fileprivate mutating func member(_ name: String, orNull text: String?) {
        self.name(name)
        if let text { value(text) } else { null() }
    }

    fileprivate mutating func members(of user: User) {
        member("username", user.username)
        member("realm", user.realm)
        let texts = [
            ("email", user.email), ("firstName", user.firstName), ("lastName", user.lastName),
            ("passwordHash", user.passwordHash ?? ""),
        ]
        for (name, text) in texts where !text.isEmpty { member(name, text) }
        guard !user.attributes.isEmpty else { return }
        name("attributes")
        beginObject()
        for (name, value) in user.attributes.sorted(by: { $0.key < $1.key }) { member(name, value) }
        endObject()
    }

    /// Email and names have members of their own beside `attributes`.
    fileprivate mutating func members(of values: [ProfileValue]) {
        func isOwnMember(_ value: ProfileValue) -> Bool { ["email", "firstName", "lastName"].contains(value.name) }
        for value in values where isOwnMember(value) { member(value.name, orNull: value.value) }
        name("attributes")
        beginObject()
        for value in values where !isOwnMember(value) { member(value.name, orNull: value.value) }
        endObject()
    }
}
