import Bytes
import Crypto
import Endpoints
import HTTP
import Identity
import Model
import Outbound

/// Creating, changing and removing people (UPS-03).
extension UserProfileService {
    func create(_ call: Call) throws(ProfileRefusal) -> Answer {
        let body = try PersonBody(call.request, of: nil)
        guard let id = body.id else { throw ProfileRefusal(.invalidAttribute, "id") }
        guard settings.users.user(named: id, realm: call.realm) == nil else { throw ProfileRefusal(.nameTaken) }
        let user = User(username: id, realm: call.realm).with(body.changes(isWhole: false))
        try checkReferences(of: body, in: user)
        guard let password = body.password else { return add(user, call) }
        let hasher = settings.hasher
        return .hash { [self] in
            guard let hash = try? hasher.makeNew(Array(password.utf8).span) else {
                return .done(ProfileRefusal(.invalidAttribute, "password").response)
            }
            var user = user
            user.passwordHash = hash
            return add(user, call)
        }
    }

    private func add(_ user: User, _ call: Call) -> Answer {
        perform(.add(user), call, exists: .nameTaken) { now in
            var response = UserProfileService.written(now ?? user, call, status: 201, reason: .profileCreated)
            response.headers.append((name: "Location", value: ProfilePath.person(user.username)))
            return response
        }
    }

    /// PUT replaces the whole profile, PATCH changes the attributes that it names.
    func change(_ id: String, _ call: Call) throws(ProfileRefusal) -> Answer {
        let user = try existingUser(id, call)
        let body = try PersonBody(call.request, of: user)
        let changes = body.changes(isWhole: call.request.method == .put)
        try checkReferences(of: body, in: user)
        let condition = try condition(call)
        let change = UserChange.setProfile(
            username: user.username, realm: user.realm, values: changes, condition: condition)
        return perform(change, call) { now in
            UserProfileService.written(now ?? user.with(changes), call, reason: .profileChanged)
        }
    }

    /// The reload that follows revokes all tokens of the user (CACHE-07).
    func remove(_ id: String, _ call: Call) throws(ProfileRefusal) -> Answer {
        let user = try existingUser(id, call)
        let change = UserChange.remove(
            username: user.username, realm: user.realm, condition: try condition(call))
        return perform(change, call) { _ in .removedProfile }
    }

    /// The condition of `If-Match`. A request with several of these fields is refused.
    private func condition(_ call: Call) throws(ProfileRefusal) -> UserCondition? {
        let values = call.request.fields.filter { $0.name.isExactly("if-match") }.map(\.value)
        guard values.count <= 1 else { throw ProfileRefusal(.preconditionFailed) }
        return values.first.map(ProfileTag.condition)
    }

    /// Mail addresses are unique, since they identify users at logins (JWT-24), and a manager must exist.
    private func checkReferences(of body: PersonBody, in user: User) throws(ProfileRefusal) {
        if let mail = body[.mail] {
            let others = settings.users.users(withEmail: mail, realm: user.realm)
            guard others.allSatisfy({ $0.username.isExactly(user.username) }) else {
                throw ProfileRefusal(.mailTaken, "mail")
            }
        }
        if let manager = body[.manager], !manager.isExactly(user.username) {
            guard settings.users.user(named: manager, realm: user.realm) != nil else {
                throw ProfileRefusal(.invalidAttribute, "manager")
            }
        }
    }

    /// Whether a text can be the name of a new user or group: fit for header fields, unambiguous in paths (GW-02), and
    /// without the colon that would end a name in Basic (RFC 7617 section 2).
    static func isName(_ name: String, maximumBytes: Int) -> Bool {
        let isPath = name.isExactly(".") || name.isExactly("..") || name.utf8.contains { "/\\%".utf8.contains($0) }
        return !name.isEmpty && name.utf8.count <= maximumBytes && !isPath && !name.utf8.contains(ASCII.colon)
            && ExternalIdentityRules.isFitForHeaders(name)
    }

    // MARK: Outcomes

    /// Performs a change.
    /// - Parameter done: makes the response from the changed user, if the registry returns it.
    func perform(
        _ change: UserChange, _ call: Call, exists: ProfileFailure = .conflict,
        unknown: ProfileFailure = .unknownPerson, _ done: @escaping @Sendable (User?) -> EndpointResponse
    ) -> Answer {
        guard let registry = settings.registry else { return .done(ProfileFailure.usersUnavailable.response) }
        let origin = call.caller.origin(call.request)
        return .answer(of: { registry.perform(change, from: origin, then: $0) }) { outcome in
            switch outcome {
            case .done: .done(done(nil))
            case .saved(let user): .done(done(user))
            case .exists: .done(exists.response)
            case .unknown: .done(unknown.response)
            case .changedMeanwhile: .done(ProfileFailure.preconditionFailed.response)
            case .unfit: .done(ProfileFailure.conflict.response)
            case .failed: .done(ProfileFailure.usersUnavailable.response)
            }
        }
    }

    /// The response to a write. Callers without the right to read get only the URI.
    static func written(
        _ user: User, _ call: Call, status: Int = 200, reason: Reason
    ) -> EndpointResponse {
        let isReadable = call.caller.mayRead || call.caller.isSame(user.username)
        let tag = isReadable ? ProfileTag.tag(of: user) : nil
        return .person(user, isReadable ? nil : [.uri], status: status, tag: tag, reason: reason)
    }
}

extension EndpointResponse {
    static var removedProfile: EndpointResponse {
        EndpointResponse(
            status: 204, headers: [(name: "Cache-Control", value: "no-store")], body: [], reason: .profileRemoved)
    }
}
