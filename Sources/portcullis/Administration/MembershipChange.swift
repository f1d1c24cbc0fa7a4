import Gateway

/// The roles that a user is given and those that are taken away, for the audit log.
struct MembershipChange: Equatable {
    var given: [String] = []
    var taken: [String] = []

    init(from before: [String], to after: [String]) {
        given = after.filter { role in !before.contains { isSame($0, role) } }
        taken = before.filter { role in !after.contains { isSame($0, role) } }
    }

    /// What a request asks for that was refused, as far as it can be read; a whole list stands for roles to be given.
    init(askedFor request: AdminRequest) {
        guard let body = try? AdminBody(request, known: NewUser.changeable) else { return }
        func roles(_ member: String) -> [String] { ((try? body.texts(member)) ?? nil) ?? [] }
        given = roles("roles") + roles("addRoles")
        taken = roles("removeRoles")
    }
}
