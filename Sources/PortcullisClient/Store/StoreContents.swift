import Foundation

/// The decrypted contents of a credential store: JSON.
struct StoreContents: Codable, Equatable {
    var credentials: [StoredCredential] = []
    var properties: [StoredProperty] = []
    /// The state of the client, if any.
    var session: SessionState?

    init() {}

    /// Nil for a text that `text` did not create.
    init?(_ text: [UInt8]) {
        guard let contents = try? JSONDecoder().decode(StoreContents.self, from: Data(text)) else { return nil }
        self = contents
    }

    /// Nil for values without JSON form, which do not occur.
    var text: [UInt8]? { (try? JSONEncoder().encode(self)).map { Array($0) } }
}
