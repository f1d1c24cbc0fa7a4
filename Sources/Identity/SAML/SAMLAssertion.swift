/// A SAML 2.0 assertion (SAML core section 2.3) as signed by its issuer: every member comes from signed content. Times
/// are seconds since 1970, without fractions. `SAMLConditions` decides whether it is usable.
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

        /// The bearer of the assertion may use it (profiles section 3.3).
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

    /// `Attribute` with its values in order (core section 2.7.3.1).
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
    /// Nil if the subject has no name.
    package var nameID: NameID?
    package var confirmations: [Confirmation] = []
    package var notBefore: Int64?
    package var notOnOrAfter: Int64?
    /// Each restriction must be met by one of its audiences (core section 2.5.1.4).
    package var audienceRestrictions: [[String]] = []
    /// Whether it must be used only once (core section 2.5.1.5).
    package var isOneTimeUse = false
    /// Whether it has an unknown condition, which leaves its validity undetermined (core section 2.5.1.1).
    package var hasUnknownCondition = false
    /// From all statements, in order.
    package var attributes: [Attribute] = []
    /// Time of the login at the issuer, from the first statement that has one.
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
