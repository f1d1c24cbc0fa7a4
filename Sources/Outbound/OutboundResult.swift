/// What became of an outbound call.
package enum OutboundResult: Sendable {
    /// The server answered, with whatever status. A redirect is an answer like another: it is never followed.
    case response(OutboundResponse)
    case failed(OutboundFailure)
}

/// The final answer to an outbound call, whole.
package struct OutboundResponse: Sendable {
    package var status: Int
    /// The fields in the order in which they came, names as the server wrote them.
    package var headers: [(name: String, value: String)]
    package var body: [UInt8]

    package init(status: Int, headers: [(name: String, value: String)] = [], body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// The values of a field, in order; the name is compared without case.
    package func values(of name: String) -> [String] {
        let wanted = name.lowercased()
        return headers.filter { $0.name.lowercased().utf8.elementsEqual(wanted.utf8) }.map(\.value)
    }

    /// The value of a field that is there exactly once.
    package func value(of name: String) -> String? {
        let values = values(of: name)
        return values.count == 1 ? values[0] : nil
    }
}

/// Why there is no answer. The raw values are stable: they stand in logs and metrics.
package enum OutboundFailure: String, Error, Sendable, CaseIterable {
    /// The name has no address, or nobody could say.
    case resolve
    /// No connection to any address.
    case connect
    /// The handshake failed: the certificate is not trusted or not the host's, or no version in common.
    case tls
    /// Connection or response took longer than allowed.
    case timeout
    /// The response is no HTTP, or was cut off; or the call itself has a field that cannot be sent.
    case malformed
    /// The response is longer than allowed.
    case tooLarge = "too_large"
    /// The process is ending, or too many calls are under way.
    case unavailable
}
