/// Why the index of signing keys cannot be used or changed.
package enum SigningKeyError: Error, Equatable {
    /// The text of the index breaks a rule.
    case damaged(String)
    /// The states of the keys do not allow the change.
    case conflict(String)
    /// There is no such key.
    case unknown(keyID: String)

    /// What is wrong, without the place.
    package var message: String {
        switch self {
        case .damaged(let text), .conflict(let text): text
        case .unknown(let keyID): "there is no signing key \"\(keyID)\""
        }
    }
}
