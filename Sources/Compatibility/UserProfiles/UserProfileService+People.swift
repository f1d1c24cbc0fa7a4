import Bytes
import Endpoints
import Identity
import Model
import Outbound

/// Reading and searching people (UPS-01, UPS-02, UPS-04, UPS-07).
extension UserProfileService {
    func show(_ id: String, _ call: Call) throws(ProfileRefusal) -> Answer {
        let user = try person(id, call)
        let query = try ProfileQuery(call.request.query, [.attributes, .prefetch])
        // Every user may read the own record with the own groups, but no other record.
        guard call.caller.mayRead || query.prefetch.isSubset(of: [.groups]) else {
            throw ProfileRefusal(.rightMissing)
        }
        guard query.prefetch.contains(.reports) else { return .done(shown(user, query, call)) }
        return scan { [self] in shown(user, query, call) }
    }

    private func shown(_ user: User, _ query: ProfileQuery, _ call: Call) -> EndpointResponse {
        let body = JSONWriter.object { writer in
            writer.write(user, query.attributes)
            guard !query.prefetch.isEmpty else { return }
            writer.member("prefetched") { write(query.prefetch, of: user, to: &$0) }
        }
        return .profile(body, tag: query.prefetch.isEmpty ? ProfileTag.tag(of: user) : nil)
    }

    /// UPS-01: `prefetch`. A manager who does not exist any more is null.
    private func write(_ kinds: Set<ProfileQuery.Prefetch>, of user: User, to writer: inout JSONWriter) {
        if kinds.contains(.manager) {
            writer.name("manager")
            if let manager = manager(of: user) { writer.person(manager, nil) } else { writer.null() }
        }
        if kinds.contains(.reports) {
            writer.name("reports")
            writer.beginArray()
            let page = ProfileQuery.Page(size: ProfileQuery.Page.largestSize)
            let reports = directory.find(in: user.realm, page) { UserProfileService.isReport($0, of: user) }
            for report in reports.users { writer.person(report, nil) }
            writer.endArray()
        }
        if kinds.contains(.groups) { writer.member("groups", user.roles) }
    }

    /// One attribute. Attributes that cannot be read are reported as unknown.
    func show(_ name: String, of id: String, _ call: Call) throws(ProfileRefusal) -> Answer {
        let user = try person(id, call)
        _ = try ProfileQuery(call.request.query, [])
        guard let value = ProfileAttribute(exactly: name)?.value(of: user) else {
            throw ProfileRefusal(.unknownAttribute)
        }
        let body = JSONWriter.object { writer in
            writer.member("name", name)
            writer.member("value", value)
        }
        return .done(.profile(body))
    }

    func search(_ call: Call) throws(ProfileRefusal) -> Answer {
        let query = try ProfileQuery(call.request.query, [.attributes, .page, .filter])
        return list(call.realm, query) { query.filter.takes($0) }
    }

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
        let query = try ProfileQuery(call.request.query, [.attributes])
        guard let manager = manager(of: try person(id, call)) else { throw ProfileRefusal(.noManager) }
        return .done(.person(manager, query.attributes, tag: ProfileTag.tag(of: manager)))
    }

    /// Direct reports only, so that a cycle of managers ends (UPS-07).
    func showReports(of id: String, _ call: Call) throws(ProfileRefusal) -> Answer {
        let query = try ProfileQuery(call.request.query, [.attributes, .page])
        let user = try person(id, call)
        return list(call.realm, query) { UserProfileService.isReport($0, of: user) }
    }

    private func manager(of user: User) -> User? {
        user.attributes["manager"].flatMap { settings.users.user(named: $0, realm: user.realm) }
    }

    private static func isReport(_ user: User, of manager: User) -> Bool {
        user.attributes["manager"]?.isExactly(manager.username) == true
    }
}
