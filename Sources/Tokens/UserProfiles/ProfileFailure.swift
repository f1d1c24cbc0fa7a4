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
        case .bearerRequired: Definition(401, unauthorized, "profile_bearer_required")
        case .wrongWebgate: Definition(401, unauthorized, "wrong_webgate")
        case .readOnlyToken: Definition(403, "the token is for reading only", "insufficient_scope")
        case .rightMissing: Definition(403, "the caller may not do this", "profile_right_missing")
        case .unknownRealm: Definition(403, "the caller is of no realm", "profile_realm_unknown")
        case .noSuchResource: Definition(404, missing, "profile_no_resource")
        case .unknownPerson: Definition(404, missing, "profile_unknown_person")
        case .unknownGroup: Definition(404, missing, "profile_unknown_group")
        case .unknownAttribute: Definition(404, missing, "profile_unknown_attribute")
        case .noManager: Definition(404, "the user has no manager", "profile_no_manager")
        case .notAMember: Definition(404, "the user is no member", "profile_not_member")
        case .malformedQuery: Definition(400, "malformed query", "profile_malformed_query")
        case .malformedBody: Definition(400, "a JSON object is expected", "profile_malformed_body")
        case .invalidAttribute: Definition(400, "an attribute has an invalid value", "profile_invalid_attribute")
        case .attributeRefused: Definition(400, "an attribute cannot be written", "profile_attribute_refused")
        case .unsupportedMediaType: Definition(415, "use application/json", "unsupported_media_type")
        case .nameTaken: Definition(409, "the name is taken", "name_taken")
        case .mailTaken: Definition(409, "the mail address is taken", "profile_mail_taken")
        case .groupTaken: Definition(409, "there is such a group already", "profile_group_taken")
        case .groupInUse: Definition(409, "the group is in use", "profile_group_in_use")
        case .preconditionFailed:
            Definition(412, "it was changed in the meantime; read it again", "precondition_failed")
        case .conflict: Definition(409, "it does not fit what there is now", "profile_conflict")
        case .usersUnavailable: Definition(503, "users cannot be changed now", "users_unavailable")
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
