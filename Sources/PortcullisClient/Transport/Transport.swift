import ClientStore

/// Sends requests to servers. The default is `ConnectionTransport`; tests and applications may use another.
public protocol Transport: Sendable {
    /// Sends a request and returns the response. Redirects are never followed, since a token could be sent to another
    /// server.
    func send(_ request: ClientRequest) async throws(ClientError) -> ClientResponse
}
