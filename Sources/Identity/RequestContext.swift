/// The content of a `request-ctx`: the challenged request, and the deadline for answering (CHAL-03).
package struct RequestContext: Equatable, Sendable {
    package var webgate: String
    package var level: Int
    package var method: String
    /// Target of the request as shown in the challenge.
    package var target: String
    /// Seconds since 1970.
    package var expiresAt: Int64

    package init(webgate: String, level: Int, method: String, target: String, expiresAt: Int64) {
        self.webgate = webgate
        self.level = level
        self.method = method
        self.target = target
        self.expiresAt = expiresAt
    }
}

/// Opens the contexts of challenges that this installation issued.
package protocol RequestContextReader: Sendable {
    /// The content of a `request-ctx`; nil if modified, expired or foreign.
    /// - Parameter now: seconds since 1970.
    func open(_ context: Span<UInt8>, now: Int64) -> RequestContext?
}
