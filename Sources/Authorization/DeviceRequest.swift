import OAuthServer

/// A device that waits for its user, carried through the login.
struct DeviceRequest: Sendable, Equatable {
    /// Id of the waiting login in the store.
    let id: String
    let code: UserCode
    /// The half of the browser that the code was typed in; no other one goes on with it.
    let nonce: String

    init(id: String, code: UserCode, nonce: String) {
        self.id = id
        self.code = code
        self.nonce = nonce
    }

    var text: String { "\(code.letters) \(nonce) \(id)" }

    /// Nil for text that `text` does not produce.
    init?(text: String) {
        let parts = text.split(separator: " ", maxSplits: 2).map(String.init)
        guard parts.count == 3, let code = UserCode(typed: parts[0]) else { return nil }
        self.init(id: parts[2], code: code, nonce: parts[1])
    }
}
