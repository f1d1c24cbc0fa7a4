import Model

/// Why the user profile service refuses. `code` of the reply is the reason, but for a 401.
package enum ProfileFailure: Error, Sendable, CaseIterable {
    /// The caller is known by something else than a bearer token, which is all that counts here.
    case bearerRequired
    /// DEC-06: the token opens the routes of one Webgate.
    case wrongWebgate
    /// The token is for reading only (AOM-08).
    case readOnlyToken
    /// Neither the role for it nor the own record.
    case rightMissing
    /// Nobody can tell whose users the caller may see.
    case unknownRealm
    case noSuchResource, unknownPerson, unknownGroup, unknownAttribute, noManager, notAMember
    case malformedQuery, malformedBody
    /// A value that the attribute cannot have.
    case invalidAttribute
    /// A member that cannot be written: unknown, derived, a credential, a right.
    case attributeRefused
    case unsupportedMediaType
    case nameTaken, mailTaken, groupTaken
    /// UPS-05: a route, a user or a rule names the role.
    case groupInUse
    /// Somebody else's change was faster.
    case preconditionFailed, conflict
    case usersUnavailable

    package typealias Definition = FailureDefinition

    package var definition: Definition {
        let (unauthorized, missing) = ("invalid or missing token", "no such resource")
        return switch self {
        case .bearerRequired: Definition(unauthorized, .profileBearerRequired)
        case .wrongWebgate: Definition(unauthorized, .wrongWebgate)
        case .readOnlyToken: Definition("the token is for reading only", .insufficientScope)
        case .rightMissing: Definition("the caller may not do this", .profileRightMissing)
        case .unknownRealm: Definition("the caller is of no realm", .profileRealmUnknown)
        case .noSuchResource: Definition(missing, .profileNoResource)
        case .unknownPerson: Definition(missing, .profileUnknownPerson)
        case .unknownGroup: Definition(missing, .profileUnknownGroup)
        case .unknownAttribute: Definition(missing, .profileUnknownAttribute)
        case .noManager: Definition("the user has no manager", .profileNoManager)
        case .notAMember: Definition("the user is no member", .profileNotMember)
        case .malformedQuery: Definition("malformed query", .profileMalformedQuery)
        case .malformedBody: Definition("a JSON object is expected", .profileMalformedBody)
        case .invalidAttribute: Definition("an attribute has an invalid value", .profileInvalidAttribute)
        case .attributeRefused: Definition("an attribute cannot be written", .profileAttributeRefused)
        case .unsupportedMediaType: Definition("use application/json", .unsupportedMediaType)
        case .nameTaken: Definition("the name is taken", .nameTaken)
        case .mailTaken: Definition("the mail address is taken", .profileMailTaken)
        case .groupTaken: Definition("there is such a group already", .profileGroupTaken)
        case .groupInUse: Definition("the group is in use", .profileGroupInUse)
        case .preconditionFailed:
            Definition("it was changed in the meantime; read it again", .preconditionFailed)
        case .conflict: Definition("it does not fit what there is now", .profileConflict)
        case .usersUnavailable: Definition("users cannot be changed now", .usersUnavailable)
        }
    }

    /// - Parameter name: of the attribute that it is about; empty for none.
    func response(about name: String = "") -> EndpointResponse {
        definition.response(headers, about: name)
    }

    private var headers: [(name: String, value: String)] {
        switch self {
        case .bearerRequired: [(name: "WWW-Authenticate", value: #"Bearer realm="portcullis""#)]
        // RFC 6750 section 3.1.
        case .wrongWebgate:
            [(name: "WWW-Authenticate", value: #"Bearer realm="portcullis", error="invalid_token""#)]
        case .readOnlyToken:
            [(name: "WWW-Authenticate", value: #"Bearer realm="portcullis", error="insufficient_scope""#)]
        case .usersUnavailable: [(name: "Retry-After", value: "1")]
        default: []
        }
    }
}

/// A refusal that tells which attribute it is about.
struct ProfileRefusal: Error, Sendable {
    var failure: ProfileFailure
    /// As the client has written it, cut short; empty for none.
    var attribute = ""

    init(_ failure: ProfileFailure, _ attribute: String = "") {
        self.failure = failure
        self.attribute = String(decoding: attribute.utf8.prefix(64), as: UTF8.self)
    }

    var response: EndpointResponse { failure.response(about: attribute) }
}
