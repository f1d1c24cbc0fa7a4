/// A SAML 2.0 response (SAML core section 3.3.3) with exactly one assertion, signed by its issuer.
///
/// If only the assertion is signed, `destination`, `inResponseTo` and `issuer` are unsigned claims of the sender; see
/// `isSigned`.
package struct SAMLResponse: Sendable, Equatable {
    /// `Status` (core section 3.2.2).
    package struct Status: Sendable, Equatable {
        /// The top-level code.
        package var code: String
        package var secondLevel: String?
        package var message: String?

        package static let success = "urn:oasis:names:tc:SAML:2.0:status:Success"

        package init(code: String = Status.success, secondLevel: String? = nil, message: String? = nil) {
            self.code = code
            self.secondLevel = secondLevel
            self.message = message
        }
    }

    package var id: String
    package var inResponseTo: String?
    package var destination: String?
    package var issuer: String?
    package var status: Status
    /// Whether the signature covers the whole response.
    package var isSigned: Bool
    package var assertion: SAMLAssertion

    package init(
        id: String, inResponseTo: String? = nil, destination: String? = nil, issuer: String? = nil,
        status: Status = Status(), isSigned: Bool = false, assertion: SAMLAssertion
    ) {
        self.id = id
        self.inResponseTo = inResponseTo
        self.destination = destination
        self.issuer = issuer
        self.status = status
        self.isSigned = isSigned
        self.assertion = assertion
    }
}
