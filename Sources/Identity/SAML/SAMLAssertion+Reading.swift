extension SAMLAssertion {
    /// `Issuer` of an assertion.
    static func issuer(of element: XMLElement) throws(SAMLRejection) -> String {
        guard !element.has("EncryptedAssertion", SAMLName.assertion) else { throw .encrypted }
        guard element.has("Assertion", SAMLName.assertion) else { throw .malformed }
        let issuers = element.children("Issuer", SAMLName.assertion)
        guard issuers.count == 1, let issuer = issuers[0].simpleText, !issuer.isEmpty else { throw .malformed }
        return issuer
    }

    /// Reads an `Assertion` (SAML core section 2.3.3). A missing or repeated required element is malformed.
    init(_ element: XMLElement) throws(SAMLRejection) {
        let issuer = try SAMLAssertion.issuer(of: element)
        guard element["Version"] == "2.0", let id = element["ID"], !id.isEmpty,
            let instant = try SAMLInstant.read(element["IssueInstant"])
        else { throw .malformed }
        self.init(id: id, issuer: issuer, issueInstant: instant)
        let parts = element.children.filter { $0.namespace == SAMLName.assertion }
        for name in ["Subject", "Conditions"] where parts.count(where: { $0.name == name }) > 1 { throw .malformed }
        for part in parts {
            switch part.name {
            case "Subject": try readSubject(part)
            case "Conditions": try readConditions(part)
            case "AuthnStatement": try readAuthentication(part)
            case "AttributeStatement": try readAttributes(part)
            default: break
            }
        }
    }

    private mutating func readSubject(_ subject: XMLElement) throws(SAMLRejection) {
        for part in subject.children {
            guard part.namespace == SAMLName.assertion else { throw .malformed }
            switch part.name {
            case "NameID":
                guard nameID == nil, let value = part.exactText else { throw .malformed }
                nameID = NameID(
                    value: value, format: part["Format"], nameQualifier: part["NameQualifier"],
                    spNameQualifier: part["SPNameQualifier"])
            case "EncryptedID": throw .encrypted
            case "SubjectConfirmation": confirmations.append(try SAMLAssertion.confirmation(part))
            default: throw .malformed
            }
        }
    }

    private static func confirmation(_ element: XMLElement) throws(SAMLRejection) -> Confirmation {
        guard let method = element["Method"] else { throw .malformed }
        let data = element.children("SubjectConfirmationData", SAMLName.assertion)
        guard data.count <= 1 else { throw .malformed }
        return Confirmation(
            method: method, recipient: data.first?["Recipient"],
            notBefore: try SAMLInstant.read(data.first?["NotBefore"]),
            notOnOrAfter: try SAMLInstant.read(data.first?["NotOnOrAfter"]), inResponseTo: data.first?["InResponseTo"])
    }

    private mutating func readConditions(_ conditions: XMLElement) throws(SAMLRejection) {
        notBefore = try SAMLInstant.read(conditions["NotBefore"])
        notOnOrAfter = try SAMLInstant.read(conditions["NotOnOrAfter"])
        for condition in conditions.children {
            switch condition.namespace == SAMLName.assertion ? condition.name : "" {
            case "AudienceRestriction":
                let audiences = condition.children("Audience", SAMLName.assertion).map(\.simpleText)
                guard !audiences.isEmpty, !audiences.contains(nil) else { throw .malformed }
                audienceRestrictions.append(audiences.compactMap(\.self))
            case "OneTimeUse": isOneTimeUse = true
            // Limits assertions derived from this one (core section 2.5.1.6); tokens are not assertions.
            case "ProxyRestriction": break
            default: hasUnknownCondition = true
            }
        }
    }

    private mutating func readAuthentication(_ statement: XMLElement) throws(SAMLRejection) {
        guard let instant = try SAMLInstant.read(statement["AuthnInstant"]) else { throw .malformed }
        guard authnInstant == nil else { return }
        authnInstant = instant
        sessionIndex = statement["SessionIndex"]
        sessionNotOnOrAfter = try SAMLInstant.read(statement["SessionNotOnOrAfter"])
        let context = statement.children("AuthnContext", SAMLName.assertion).first
        authnContextClass = context?.children("AuthnContextClassRef", SAMLName.assertion).first?.simpleText
    }

    private mutating func readAttributes(_ statement: XMLElement) throws(SAMLRejection) {
        for element in statement.children {
            guard !element.has("EncryptedAttribute", SAMLName.assertion) else { throw .encrypted }
            guard element.has("Attribute", SAMLName.assertion), let name = element["Name"] else { throw .malformed }
            // A value with child elements has no text that could be a name or a role.
            let values = element.children("AttributeValue", SAMLName.assertion).compactMap(\.exactText)
            attributes.append(Attribute(name: name, friendlyName: element["FriendlyName"], values: values))
        }
    }
}

extension SAMLResponse.Status {
    /// `Status` of a response.
    init(of response: XMLElement) throws(SAMLRejection) {
        let found = response.children("Status", SAMLName.protocol)
        let codes = found.first?.children("StatusCode", SAMLName.protocol) ?? []
        guard found.count == 1, codes.count == 1, let code = codes[0]["Value"] else { throw .malformed }
        self.init(
            code: code, secondLevel: codes[0].children("StatusCode", SAMLName.protocol).first?["Value"],
            message: found[0].children("StatusMessage", SAMLName.protocol).first?.simpleText)
    }
}

extension SAMLResponse {
    /// Reads the response around an assertion.
    init(_ element: XMLElement, isSigned: Bool, assertion: SAMLAssertion) throws(SAMLRejection) {
        guard element["Version"] == "2.0", let id = element["ID"] else { throw .malformed }
        let issuers = element.children("Issuer", SAMLName.assertion)
        guard issuers.count <= 1 else { throw .malformed }
        self.init(
            id: id, inResponseTo: element["InResponseTo"], destination: element["Destination"],
            issuer: issuers.first?.simpleText, status: try Status(of: element), isSigned: isSigned,
            assertion: assertion)
    }
}
