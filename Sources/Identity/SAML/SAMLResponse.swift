/// A SAML 2.0 response (SAML core section 3.3.3) with the one assertion in it that its issuer signed.
///
/// Where the signature is the assertion's own, what is beside the assertion is not signed: `destination`,
/// `inResponseTo` and `issuer` are then what whoever has sent the response says. `isSigned` tells.
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
    /// Whether the signature is the whole response's.
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
