import Bytes
import Gateway

/// The granted and revoked roles of a user, for the audit log.
struct MembershipChange: Equatable {
    var given: [String] = []
    var taken: [String] = []

    init(from before: [String], to after: [String]) {
        given = after.filter { role in !before.contains { $0.isExactly(role) } }
        taken = before.filter { role in !after.contains { $0.isExactly(role) } }
    }

    /// The requested change of a refused request; a complete list counts as granted.
    init(askedFor request: AdminRequest) {
        guard let body = try? AdminBody(request, known: NewUser.changeable) else { return }
        func roles(_ member: String) -> [String] { ((try? body.texts(member)) ?? nil) ?? [] }
        given = roles("roles") + roles("addRoles")
        taken = roles("removeRoles")
    }
}
