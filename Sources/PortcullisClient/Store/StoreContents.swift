import Foundation

/// What a credential store holds, in the clear: JSON inside the sealed file.
struct StoreContents: Codable, Equatable {
    var credentials: [StoredCredential] = []
    var properties: [StoredProperty] = []
    /// What the client itself keeps; nil for nothing.
    var session: SessionState?

    init() {}

    /// Nil where the text is not what `text` made.
    init?(_ text: [UInt8]) {
        guard let contents = try? JSONDecoder().decode(StoreContents.self, from: Data(text)) else { return nil }
        self = contents
    }

    /// Nil for values that JSON cannot hold, of which there are none here.
    var text: [UInt8]? { (try? JSONEncoder().encode(self)).map { Array($0) } }
}
