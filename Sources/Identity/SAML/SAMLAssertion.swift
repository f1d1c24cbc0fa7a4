/// A SAML 2.0 assertion (SAML core section 2.3) as its issuer signed it: nothing of it comes from outside the signature.
/// Times are seconds since 1970, fractions dropped. Whether it is good for anything here is for `SAMLConditions` to say.
package struct SAMLAssertion: Sendable, Equatable {
    /// `NameID` of the subject (core section 2.2.2).
    package struct NameID: Sendable, Equatable {
        package var value: String
        package var format: String?
        package var nameQualifier: String?
        package var spNameQualifier: String?

        package init(
            value: String, format: String? = nil, nameQualifier: String? = nil, spNameQualifier: String? = nil
        ) {
            self.value = value
            self.format = format
            self.nameQualifier = nameQualifier
            self.spNameQualifier = spNameQualifier
        }
    }

    /// `SubjectConfirmation` with its data (core section 2.4.1.1).
    package struct Confirmation: Sendable, Equatable {
        package var method: String
        package var recipient: String?
        package var notBefore: Int64?
        package var notOnOrAfter: Int64?
        package var inResponseTo: String?

        /// Whoever has the assertion may use it (profiles section 3.3).
        package static let bearer = "urn:oasis:names:tc:SAML:2.0:cm:bearer"

        package init(
            method: String = Confirmation.bearer, recipient: String? = nil, notBefore: Int64? = nil,
            notOnOrAfter: Int64? = nil, inResponseTo: String? = nil
        ) {
            self.method = method
            self.recipient = recipient
            self.notBefore = notBefore
            self.notOnOrAfter = notOnOrAfter
            self.inResponseTo = inResponseTo
        }
    }

    /// `Attribute`, with the texts of its values in their order (core section 2.7.3.1).
    package struct Attribute: Sendable, Equatable {
        package var name: String
        package var friendlyName: String?
        package var values: [String]

        package init(name: String, friendlyName: String? = nil, values: [String]) {
            self.name = name
            self.friendlyName = friendlyName
            self.values = values
        }
    }

    package var id: String
    package var issuer: String
    package var issueInstant: Int64
    /// Nil where the assertion is about nobody by name.
    package var nameID: NameID?
    package var confirmations: [Confirmation] = []
    package var notBefore: Int64?
    package var notOnOrAfter: Int64?
    /// Each restriction must be met, by any one of its audiences (core section 2.5.1.4).
    package var audienceRestrictions: [[String]] = []
    /// It must not be used twice (core section 2.5.1.5).
    package var isOneTimeUse = false
    /// There is a condition whose meaning is not known, which leaves validity open (core section 2.5.1.1).
    package var hasUnknownCondition = false
    /// Of all statements, in their order.
    package var attributes: [Attribute] = []
    /// When the user logged in at the issuer; the first statement that says so.
    package var authnInstant: Int64?
    package var sessionIndex: String?
    package var sessionNotOnOrAfter: Int64?
    package var authnContextClass: String?

    package init(id: String, issuer: String, issueInstant: Int64, nameID: NameID? = nil) {
        self.id = id
        self.issuer = issuer
        self.issueInstant = issueInstant
        self.nameID = nameID
    }
}
