/// Makes and changes local users for good. What was done holds for every request that begins afterwards.
package protocol UserRegistry: AnyObject, Sendable {
    /// Does it. Never blocks; `then` is called exactly once, from any thread, and must not block either.
    func perform(_ change: UserChange, from origin: ChangeOrigin, then: @escaping @Sendable (UserChangeOutcome) -> Void)
}

package enum UserChange: Sendable, Equatable {
    /// A user whose name nobody else has in the realm.
    case add(User)
    /// - Parameter passwordHash: `{scheme}payload` (CRYPTO-01).
    case setPassword(username: String, realm: String, passwordHash: String)
}

package enum UserChangeOutcome: Sendable, Equatable {
    case done
    /// The name is taken.
    case exists
    /// There is no such user.
    case unknown
    /// It could not be written down; nothing has changed.
    case failed
}
