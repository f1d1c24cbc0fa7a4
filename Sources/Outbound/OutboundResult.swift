import Model

/// Result of an outbound call.
package enum OutboundResult: Sendable {
    /// The server answered, with any status. Redirects are never followed.
    case response(OutboundResponse)
    /// - Parameter details: for operators; nil if no server was asked.
    case failed(OutboundFailure, details: ConnectionFailure? = nil)
}

/// The complete final response to an outbound call.
package struct OutboundResponse: Sendable {
    package var status: Int
    /// The fields in the order received, with the server's spelling of names.
    package var headers: [(name: String, value: String)]
    package var body: [UInt8]

    package init(status: Int, headers: [(name: String, value: String)] = [], body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// The values of a field, in order; names are case-insensitive.
    package func values(of name: String) -> [String] {
        let wanted = name.lowercased()
        return headers.filter { $0.name.lowercased().utf8.elementsEqual(wanted.utf8) }.map(\.value)
    }

    /// The value of a field that occurs exactly once.
    package func value(of name: String) -> String? {
        let values = values(of: name)
        return values.count == 1 ? values[0] : nil
    }
}

/// Why there is no response. The raw values are stable: they appear in logs and metrics.
package enum OutboundFailure: String, Error, Sendable, CaseIterable {
    /// The name has no address, or the lookup failed.
    case resolve
    /// No connection to any address.
    case connect
    /// The handshake failed: the certificate is not trusted or not valid for the host, or there is no common version.
    case tls
    /// Connection or response took longer than allowed.
    case timeout
    /// The response is not valid HTTP, or was truncated; or the call itself has an invalid field.
    case malformed
    /// The response exceeds the limit.
    case tooLarge = "too_large"
    /// The process is ending, or too many calls are in progress.
    case unavailable
}
