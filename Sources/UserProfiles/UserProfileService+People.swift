import Bytes
import Endpoints
import Identity
import Model
import Outbound

/// People are looked at, and looked for (UPS-01, UPS-02, UPS-04, UPS-07).
extension UserProfileService {
    func show(_ id: String, _ call: Call) throws(ProfileRefusal) -> Answer {
        let user = try person(id, call)
        let query = try ProfileQuery(call.request.query, [.attributes, .prefetch])
        // The own record and the own groups are everybody's to read; those of others are not.
        guard call.caller.mayRead || query.prefetch.isSubset(of: [.groups]) else {
            throw ProfileRefusal(.rightMissing)
        }
        guard query.prefetch.contains(.reports) else { return .done(shown(user, query, call)) }
        return scan { [self] in shown(user, query, call) }
    }

    private func shown(_ user: User, _ query: ProfileQuery, _ call: Call) -> EndpointResponse {
        var writer = JSONWriter()
        writer.beginObject()
        writer.write(user, query.attributes)
        if !query.prefetch.isEmpty { write(query.prefetch, of: user, call, to: &writer) }
        writer.endObject()
        return .profile(writer.bytes, tag: query.prefetch.isEmpty ? UserProfileService.tag(of: user) : nil)
    }

    /// UPS-01: `prefetch`. A manager who is not there any more is null.
    private func write(
        _ kinds: Set<ProfileQuery.Prefetch>, of user: User, _ call: Call, to writer: inout JSONWriter
    ) {
        writer.name("prefetched")
        writer.beginObject()
        if kinds.contains(.manager) {
            writer.name("manager")
            if let manager = manager(of: user) { writer.person(manager, nil) } else { writer.null() }
        }
        if kinds.contains(.reports) {
            writer.name("reports")
            writer.beginArray()
            let page = ProfileQuery.Page(size: ProfileQuery.Page.largestSize)
            for report in reports(of: user, page).users { writer.person(report, nil) }
            writer.endArray()
        }
        if kinds.contains(.groups) { writer.member("groups", user.roles) }
        writer.endObject()
    }

    /// One attribute. What nobody may read is as unknown as what does not exist.
    func show(_ name: String, of id: String, _ call: Call) throws(ProfileRefusal) -> Answer {
        let user = try person(id, call)
        _ = try ProfileQuery(call.request.query, [])
        guard let value = ProfileAttribute(exactly: name)?.value(of: user) else {
            throw ProfileRefusal(.unknownAttribute)
        }
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("name", name)
        writer.member("value", value)
        writer.endObject()
        return .done(.profile(writer.bytes))
    }

    func search(_ call: Call) throws(ProfileRefusal) -> Answer {
        guard call.caller.mayRead else { throw ProfileRefusal(.rightMissing) }
        let query = try ProfileQuery(call.request.query, [.attributes, .page, .filter])
        return list(call.realm, query) { query.filter.takes($0) }
    }

    /// A page of users.
    func list(
        _ realm: String, _ query: ProfileQuery, where isWanted: @escaping @Sendable (User) -> Bool
    ) -> Answer {
        scan { [directory] in
            let (users, total) = directory.find(in: realm, query.page, where: isWanted)
            var writer = JSONWriter()
            writer.page(query.page, of: total) { writer in
                for user in users { writer.person(user, query.attributes) }
            }
            return .profile(writer.bytes)
        }
    }

    // MARK: Organisation

    func showManager(of id: String, _ call: Call) throws(ProfileRefusal) -> Answer {
        guard call.caller.mayRead else { throw ProfileRefusal(.rightMissing) }
        let query = try ProfileQuery(call.request.query, [.attributes])
        guard let manager = manager(of: try person(id, call)) else { throw ProfileRefusal(.noManager) }
        var writer = JSONWriter()
        writer.person(manager, query.attributes)
        return .done(.profile(writer.bytes, tag: UserProfileService.tag(of: manager)))
    }

    /// Of one level: a circle of managers ends there (UPS-07).
    func showReports(of id: String, _ call: Call) throws(ProfileRefusal) -> Answer {
        guard call.caller.mayRead else { throw ProfileRefusal(.rightMissing) }
        let query = try ProfileQuery(call.request.query, [.attributes, .page])
        let user = try person(id, call)
        return list(call.realm, query) { UserProfileService.isReport($0, of: user) }
    }

    private func manager(of user: User) -> User? {
        user.attributes["manager"].flatMap { settings.users.user(named: $0, realm: user.realm) }
    }

    private func reports(of user: User, _ page: ProfileQuery.Page) -> (users: [User], total: Int) {
        directory.find(in: user.realm, page) { UserProfileService.isReport($0, of: user) }
    }

    private static func isReport(_ user: User, of manager: User) -> Bool {
        user.attributes["manager"]?.isExactly(manager.username) == true
    }
}
