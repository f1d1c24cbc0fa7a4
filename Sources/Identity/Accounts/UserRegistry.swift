import Model

/// Persistent changes of local users and roles. A completed change applies to every request that begins afterwards.
package protocol UserRegistry: AnyObject, Sendable {
    /// Performs a change. Never blocks; `then` is called exactly once, from any thread, and must not block.
    func perform(_ change: UserChange, from origin: ChangeOrigin, then: @escaping @Sendable (UserChangeOutcome) -> Void)
}

package enum UserChange: Sendable, Equatable {
    /// A user whose name is unused in the realm.
    case add(User)
    /// - Parameter passwordHash: `{scheme}payload` (CRYPTO-01).
    case setPassword(username: String, realm: String, passwordHash: String)
    /// Sets profile values; nil removes one (UPS-03).
    ///
    /// - Parameters:
    ///   - values: by the names of `users.json`: `email`, `firstName`, `lastName`, and those of `attributes`.
    ///   - condition: the request's `If-Match`; nil changes unconditionally.
    case setProfile(username: String, realm: String, values: [ProfileValue], condition: UserCondition?)
    /// Removes the user and all of the user's tokens.
    case remove(username: String, realm: String, condition: UserCondition?)
    /// Grants or removes a user's role; no change if already so (UPS-06).
    case setMembership(username: String, realm: String, role: String, isMember: Bool)
    /// A role that is not yet in the catalogue (UPS-05).
    case addRole(name: String, description: String?)
    case describeRole(name: String, description: String?)
    /// Refused with `exists` if the role is referenced.
    case removeRole(name: String)
}

/// A precondition on a user: the `If-Match` of a request, parsed.
package struct UserCondition: Sendable, Equatable {
    package let text: String
    package let isMet: @Sendable (User) -> Bool

    package init(_ text: String, isMet: @escaping @Sendable (User) -> Bool) {
        self.text = text
        self.isMet = isMet
    }

    // The text is the complete value.
    package static func == (left: UserCondition, right: UserCondition) -> Bool { left.text == right.text }
}

/// One profile value; nil to remove it.
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
    /// Done; the user as it is now.
    case saved(User)
    /// The name exists, or the role is in use.
    case exists
    /// There is no such user or role.
    case unknown
    /// The condition no longer holds.
    case changedMeanwhile
    /// The change conflicts with the current state.
    case unfit
    /// The change could not be written; nothing has changed.
    case failed
}
