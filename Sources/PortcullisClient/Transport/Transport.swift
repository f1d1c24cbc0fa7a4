/// The way to a server. The client's own is `ConnectionTransport`; tests and applications may bring another.
public protocol Transport: Sendable {
    /// Sends one request as it is and answers with what came back, redirects included: they are never followed, lest a
    /// token go to another server.
    func send(_ request: ClientRequest) async throws(ClientError) -> ClientResponse
}
