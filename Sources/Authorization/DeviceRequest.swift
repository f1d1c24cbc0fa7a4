import OAuthServer

/// A device that waits for its user, carried through the login.
struct DeviceRequest: Sendable, Equatable {
    /// Id of the waiting login in the store.
    let id: String
    let code: UserCode

    init(id: String, code: UserCode) {
        self.id = id
        self.code = code
    }

    var text: String { "\(code.letters) \(id)" }

    /// Nil for text that `text` does not produce.
    init?(text: String) {
        let parts = text.split(separator: " ", maxSplits: 1).map(String.init)
        guard parts.count == 2, let code = UserCode(typed: parts[0]) else { return nil }
        self.init(id: parts[1], code: code)
    }
}
