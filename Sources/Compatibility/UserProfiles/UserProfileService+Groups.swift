import Bytes
import Endpoints
import HTTP
import Identity
import Model
import Outbound

/// Groups are the roles of the catalogue (UPS-05), their members the users with that role (UPS-06).
extension UserProfileService {
    func showGroups(_ call: Call) throws(ProfileRefusal) -> Answer {
        let page = try ProfileQuery(call.request.query, [.page]).page
        let names = settings.catalogue.names
        var writer = JSONWriter()
        writer.page(page, of: names.count) { writer in
            for name in names[page.places(in: names.count)] {
                writer.object { $0.write(group: name, settings.roleDescriptions[name]) }
            }
        }
        return .done(.profile(writer.bytes))
    }

    func showGroup(_ name: String, _ call: Call) throws(ProfileRefusal) -> Answer {
        _ = try ProfileQuery(call.request.query, [])
        return .done(UserProfileService.group(try group(name), settings.roleDescriptions[name]))
    }

    func createGroup(_ call: Call) throws(ProfileRefusal) -> Answer {
        let body = try GroupBody(call.request, of: nil)
        guard let name = body.name else { throw ProfileRefusal(.invalidAttribute, "name") }
        guard settings.catalogue.index(of: name) == nil else { throw ProfileRefusal(.groupTaken) }
        let change = UserChange.addRole(name: name, description: body.description)
        return perform(change, call, exists: .groupTaken, unknown: .unknownGroup) { _ in
            var response = UserProfileService.group(name, body.description, status: 201, reason: .profileCreated)
            response.headers.append((name: "Location", value: ProfilePath.group(name)))
            return response
        }
    }

    /// Changes the description; the name is fixed, since routes and users refer to it.
    func changeGroup(_ name: String, _ call: Call) throws(ProfileRefusal) -> Answer {
        let body = try GroupBody(call.request, of: try group(name))
        guard body.hasDescription || call.request.method == .put else {
            return .done(UserProfileService.group(name, settings.roleDescriptions[name], reason: .profileChanged))
        }
        let change = UserChange.describeRole(name: name, description: body.description)
        return perform(change, call, unknown: .unknownGroup) { _ in
            UserProfileService.group(name, body.description, reason: .profileChanged)
        }
    }

    func removeGroup(_ name: String, _ call: Call) throws(ProfileRefusal) -> Answer {
        let change = UserChange.removeRole(name: try group(name))
        return perform(change, call, exists: .groupInUse, unknown: .unknownGroup) { _ in .removedProfile }
    }

    /// The name, if the catalogue has it.
    private func group(_ name: String) throws(ProfileRefusal) -> String {
        guard settings.catalogue.index(of: name) != nil else { throw ProfileRefusal(.unknownGroup) }
        return name
    }

    private static func group(
        _ name: String, _ description: String?, status: Int = 200, reason: Reason = .profileRead
    ) -> EndpointResponse {
        .profile(JSONWriter.object { $0.write(group: name, description) }, status: status, reason: reason)
    }

    // MARK: Members

    func showMembers(of name: String, _ call: Call) throws(ProfileRefusal) -> Answer {
        let query = try ProfileQuery(call.request.query, [.attributes, .page])
        let group = try group(name)
        return list(call.realm, query) { UserProfileService.isMember($0, of: group) }
    }

    func showMember(_ id: String, of name: String, _ call: Call) throws(ProfileRefusal) -> Answer {
        let user = try person(id, call)
        let query = try ProfileQuery(call.request.query, [.attributes])
        guard UserProfileService.isMember(user, of: try group(name)) else { throw ProfileRefusal(.notAMember) }
        return .done(.person(user, query.attributes))
    }

    func addMember(_ id: String, to name: String, _ call: Call) throws(ProfileRefusal) -> Answer {
        let (group, user) = (try group(name), try existingUser(id, call))
        let change = UserChange.setMembership(
            username: user.username, realm: user.realm, role: group, isMember: true)
        return perform(change, call) { now in
            UserProfileService.written(now ?? user, call, reason: .profileChanged)
        }
    }

    func removeMember(_ id: String, from name: String, _ call: Call) throws(ProfileRefusal) -> Answer {
        let (group, user) = (try group(name), try existingUser(id, call))
        guard UserProfileService.isMember(user, of: group) else { throw ProfileRefusal(.notAMember) }
        let change = UserChange.setMembership(
            username: user.username, realm: user.realm, role: group, isMember: false)
        return perform(change, call) { _ in .removedProfile }
    }

    private static func isMember(_ user: User, of group: String) -> Bool {
        user.roles.contains { $0.isExactly(group) }
    }
}

/// The body of a POST, PUT or PATCH on groups.
private struct GroupBody {
    private(set) var name: String?
    private(set) var description: String?
    private(set) var hasDescription = false

    /// - Parameter group: the group to change, whose name and URI may be repeated; nil for a new group.
    init(_ request: EndpointRequest, of group: String?) throws(ProfileRefusal) {
        for member in try PersonBody.members(request) {
            let value = try PersonBody.text(member)
            switch member.name {
            case "description":
                if let value, !ProfileAttribute.description.takes(value) {
                    throw ProfileRefusal(.invalidAttribute, member.name)
                }
                description = value
                hasDescription = true
            case "name" where group == nil:
                // Names are sent to upstreams in one field, separated by commas.
                guard let value, UserProfileService.isName(value, maximumBytes: 128), !value.utf8.contains(ASCII.comma)
                else { throw ProfileRefusal(.invalidAttribute, member.name) }
                name = value
            default:
                let known = ["name": group, "uri": group.map(ProfilePath.group)][member.name] ?? nil
                guard let value, let known, value.isExactly(known) else {
                    throw ProfileRefusal(.attributeRefused, member.name)
                }
            }
        }
    }
}

extension JSONWriter {
    fileprivate mutating func write(group name: String, _ description: String?) {
        member("name", name)
        if let description { member("description", description) }
        member("uri", ProfilePath.group(name))
    }
}
