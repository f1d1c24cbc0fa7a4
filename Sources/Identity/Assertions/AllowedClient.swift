import Bytes
import Model

/// One entry of `allowedMbes`: a client that may exchange an issuer's tokens (JWT-23).
package struct AllowedClient: Sendable, Equatable {
    package var name: String?
    package var version: String?
    package var clientID: String?

    package init(name: String? = nil, version: String? = nil, clientID: String? = nil) {
        self.name = name
        self.version = version
        self.clientID = clientID
    }

    /// Whether the entry names a client, by name and version together or by client id. An incomplete entry matches
    /// nothing.
    package var isComplete: Bool { name != nil || version != nil ? name != nil && version != nil : clientID != nil }

    /// Whether every member of the entry equals the client's, compared with case.
    package func matches(_ client: Client) -> Bool {
        func agrees(_ text: String?, _ other: String) -> Bool {
            text.map { $0.isExactly(other) } ?? true
        }
        return isComplete && agrees(name, client.name) && agrees(version, client.version)
            && agrees(clientID, client.clientID)
    }
}
