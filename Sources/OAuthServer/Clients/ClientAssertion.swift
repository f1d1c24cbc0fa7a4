import Bytes

/// A JWT by which a client shows who it is (RFC 7521 section 4.2, RFC 7523 section 2.2), not yet believed.
struct ClientAssertion {
    /// What must not be used a second time (RFC 7523 section 3, item 7).
    struct SingleUse: Sendable, Equatable {
        /// Names client and assertion.
        let key: String
        /// Seconds since 1970 when the assertion would no longer be taken anyway.
        let until: Int64
    }

    /// The one `client_assertion_type`.
    static let type = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"

    let token: [UInt8]
    /// `client_id`, which is not needed beside an assertion and must agree with it.
    let named: String?

    /// Nil where the request has no assertion.
    init?(_ authorization: [String], _ form: TokenForm) throws(TokenFailure) {
        let type = form["client_assertion_type"]
        guard let assertion = form["client_assertion"] else {
            if type != nil { throw .missingParameter }
            return nil
        }
        guard authorization.isEmpty, form["client_secret"] == nil else { throw .twoCredentials }
        guard let type else { throw .missingParameter }
        guard type.isExactly(ClientAssertion.type) else { throw .invalidClientAssertion }
        token = Array(assertion.utf8)
        named = form["client_id"]
    }
}
