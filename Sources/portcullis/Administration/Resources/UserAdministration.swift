import Bytes
import Configuration
import Crypto
import Declaration
import Gateway
import HTTP
import Identity
import Model

/// Local users (MAP-04).
struct UserAdministration: ResourceAdministration {
    let administration: Administration

    static let operations = [
        operation(.get, "users", "users.list", Self.list),
        operation(.post, "users", "users.add", Self.add),
        operation(.get, "users/*", "users.show", Self.show),
        operation(.patch, "users/*", "users.change", Self.change),
        operation(.delete, "users/*", "users.remove", Self.remove),
    ]

    func list(_ request: AdminRequest) throws(AdminFailure) -> AdminAnswer {
        let realm = request.parameter("realm")
        return try administration.shown("users") { reading, _ in
            var writer = JSONWriter()
            writer.beginArray()
            for user in reading.configuration.users where realm.map({ $0.isExactly(user.realm) }) ?? true {
                writer.write(inForce(user))
            }
            writer.endArray()
            return writer.bytes
        }
    }

    func show(_ request: AdminRequest) throws(AdminFailure) -> AdminAnswer {
        try administration.shown("users") { (reading, _) throws(AdminFailure) in
            inForce(try find(request, reading.configuration).user).json
        }
    }

    /// The user without what another gateway has taken away.
    private func inForce(_ user: User) -> User { administration.withdrawn?.current(user) ?? user }

    /// Adds one user (JSON) or several (CSV).
    func add(_ request: AdminRequest) throws(AdminFailure) -> AdminAnswer {
        if request.contentType?.lowercased().hasPrefix("text/csv") == true { return try importList(request) }
        let body = try AdminBody(request, known: NewUser.members)
        var user = NewUser(username: try body.required("username"))
        if let problem = UserName.problem(user.username) {
            throw .malformed("\(problem.text); expected \(UserName.expected)")
        }
        user.realm = try body.text("realm")
        user.email = try body.text("email")
        user.firstName = try body.text("firstName")
        user.lastName = try body.text("lastName")
        user.roles = try body.texts("roles") ?? []
        user.enabled = try body.flag("enabled") ?? true
        user.password = try storedPassword(body)
        user.attributes = try body.object("attributes")
        let made = user
        let now = try administration.change("users", request) { (text, before) throws(AdminFailure) in
            try made.refuseDuplicate(among: before.users)
            text.append([made.node])
        }
        let added = now.configuration.users.last { $0.username.isExactly(made.username) }
        var answer = AdminAnswer.changed(made.username, status: 201, added?.json ?? [])
        answer.user = added
        answer.roles = MembershipChange(from: [], to: made.roles)
        return answer
    }

    /// Null removes a member; `addRoles` and `removeRoles` change the existing list.
    func change(_ request: AdminRequest) throws(AdminFailure) -> AdminAnswer {
        let body = try AdminBody(request, known: NewUser.changeable)
        let password = try storedPassword(body)
        let (email, first, last) = (try body.text("email"), try body.text("firstName"), try body.text("lastName"))
        let (enabled, attributes) = (try body.flag("enabled"), try body.object("attributes"))
        let (roles, added) = (try body.texts("roles"), try body.texts("addRoles") ?? [])
        let removed = try body.texts("removeRoles") ?? []
        let now = try administration.change("users", request) { (text, before) throws(AdminFailure) in
            let (index, user) = try find(request, before)
            try checkCondition(request, user)
            let place: [JSONText.Step] = [.element(index)]
            for (member, value) in [("email", email), ("firstName", first), ("lastName", last)] where body.has(member) {
                text.put(member, of: place, value.map { .text($0) })
            }
            if body.has("attributes") {
                let merged = attributes.flatMap { Self.merge($0, into: user.attributes) }
                text.put("attributes", of: place, merged)
            }
            var wanted = (roles ?? user.roles).filter { role in !removed.contains { $0.isExactly(role) } }
            for role in added where !wanted.contains(where: { $0.isExactly(role) }) { wanted.append(role) }
            if wanted != user.roles { text.put("roles", of: place, .texts(wanted)) }
            if let enabled { text.put("enabled", of: place, enabled ? nil : .flag(false)) }
            let isNewPassword = body.has("password") || body.has("passwordHash")
            if isNewPassword { text.put("password", of: place, password.map { .text($0) }) }
            // Earlier tokens become invalid (MAP-04), also if the user is disabled already: another gateway may have
            // enabled the account meanwhile.
            let endsTokens = isNewPassword || enabled == false
            if endsTokens { text.put("tokensNotBefore", of: place, .number(administration.cutoff)) }
            return (before: user, endsTokens: endsTokens)
        }
        let user = try find(request, now.configuration).user
        var answer = AdminAnswer.changed(user.username, user.json, endsTokens: now.value.endsTokens)
        answer.user = user
        answer.roles = MembershipChange(from: now.value.before.roles, to: user.roles)
        return answer
    }

    func remove(_ request: AdminRequest) throws(AdminFailure) -> AdminAnswer {
        let removed = try administration.change("users", request) { (text, before) throws(AdminFailure) in
            let (index, user) = try find(request, before)
            try checkCondition(request, user)
            text.remove([.element(index)])
            return user.username
        }
        // A new user of the same name is distinguished by the second of the creation.
        return .changed(removed.value, endsTokens: true)
    }

    /// The condition of UPS-03 is on one user, while other users may have changed.
    private func checkCondition(_ request: AdminRequest, _ user: User) throws(AdminFailure) {
        if let condition = request.userCondition, !condition.isMet(user) { throw .changedMeanwhile }
    }

    /// The changed attributes; null removes one. Nil if none is left.
    private static func merge(_ changes: [JSONMember], into attributes: [String: String]) -> JSONNode? {
        var merged = attributes.filter { attribute in !changes.contains { $0.name.isExactly(attribute.key) } }
            .map { (name: $0.key, value: JSONNode.text($0.value)) }
        merged += changes.filter { !$0.node.isNull }.map { (name: $0.name, value: $0.node) }
        return merged.isEmpty ? nil : .object(merged.sorted { $0.name < $1.name })
    }

    /// The user of the path in the realm of the query (default: `Default`).
    private func find(
        _ request: AdminRequest, _ configuration: GatewayConfiguration
    ) throws(AdminFailure) -> (index: Int, user: User) {
        let (name, realm) = (request.path[1], request.parameter("realm") ?? "Default")
        let users = configuration.users
        guard let index = users.firstIndex(where: { $0.username.isExactly(name) && $0.realm.isExactly(realm) }) else {
            let near = Suggestion.nearest(to: name, among: users.map(\.username))
            throw .notFound("there is no user \"\(name)\" in the realm \"\(realm)\"", suggestion: near)
        }
        return (index, users[index])
    }

    /// The hash of `password`, or `passwordHash`.
    private func storedPassword(_ body: AdminBody) throws(AdminFailure) -> String? {
        if let stored = try body.text("passwordHash") {
            guard !body.has("password") else { throw .malformed("one of \"password\" and \"passwordHash\"") }
            return stored
        }
        let scheme = try PasswordScheme.named(try body.text("scheme"))
        guard let password = try body.text("password") else { return nil }
        let hasher = try hasher()
        do throws(PasswordError) {
            return try hasher.makeNew(Array(password.utf8).span, scheme: scheme)
        } catch {
            throw .malformed(error.text)
        }
    }

    /// Also of a configuration with errors, such as one that lacks the user who is added.
    func hasher() throws(AdminFailure) -> PasswordHasher {
        try administration.configuration.values(withValid: "passwords").passwords.hasher
    }
}
