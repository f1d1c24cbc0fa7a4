import Model

/// Makes and changes local users and roles for good. What was done holds for every request that begins afterwards.
package protocol UserRegistry: AnyObject, Sendable {
    /// Does it. Never blocks; `then` is called exactly once, from any thread, and must not block either.
    func perform(_ change: UserChange, from origin: ChangeOrigin, then: @escaping @Sendable (UserChangeOutcome) -> Void)
}

package enum UserChange: Sendable, Equatable {
    /// A user whose name nobody else has in the realm.
    case add(User)
    /// - Parameter passwordHash: `{scheme}payload` (CRYPTO-01).
    case setPassword(username: String, realm: String, passwordHash: String)
    /// Sets what a profile says; nil takes it out (UPS-03).
    ///
    /// - Parameters:
    ///   - values: by the names of `users.json`: `email`, `firstName`, `lastName`, and those of `attributes`.
    ///   - condition: the `If-Match` of who asks; nil changes whatever there is.
    case setProfile(username: String, realm: String, values: [ProfileValue], condition: UserCondition?)
    /// The user goes, and with the user all tokens.
    case remove(username: String, realm: String, condition: UserCondition?)
    /// Gives a role to a user, or takes it away; no change where it is so already (UPS-06).
    case setMembership(username: String, realm: String, role: String, isMember: Bool)
    /// A role that the catalogue does not have yet (UPS-05).
    case addRole(name: String, description: String?)
    case describeRole(name: String, description: String?)
    /// Refused with `exists` where something names the role.
    case removeRole(name: String)
}

/// What must be so of a user for a change to be made: the `If-Match` of a request, and what it means.
package struct UserCondition: Sendable, Equatable {
    package let text: String
    package let isMet: @Sendable (User) -> Bool

    package init(_ text: String, isMet: @escaping @Sendable (User) -> Bool) {
        self.text = text
        self.isMet = isMet
    }

    // The text says all.
    package static func == (left: UserCondition, right: UserCondition) -> Bool { left.text == right.text }
}

/// One value of a profile; nil for none.
package struct ProfileValue: Sendable, Equatable {
    package var name: String
    package var value: String?

    package init(_ name: String, _ value: String?) {
        self.name = name
        self.value = value
    }
}

package enum UserChangeOutcome: Sendable, Equatable {
    case done
    /// Done, and this is the user now.
    case saved(User)
    /// The name is taken, or the role is in use.
    case exists
    /// There is no such user or role.
    case unknown
    /// The condition does not hold any more.
    case changedMeanwhile
    /// It does not go together with what there is now.
    case unfit
    /// It could not be written down; nothing has changed.
    case failed
}
