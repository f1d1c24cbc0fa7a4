import Endpoints
import Identity
import Model

/// Refusals of the user profile service. `code` of the response is the reason, except for a 401.
package enum ProfileFailure: EndpointFailure, CaseIterable {
    /// The caller is not authenticated by a bearer token.
    case bearerRequired
    /// DEC-06: the token is valid for the routes of one Webgate only.
    case wrongWebgate
    /// The token is read-only (AOM-08).
    case readOnlyToken
    /// The caller has not the role, and the record is not the caller's own.
    case rightMissing
    /// The realm of the caller is not known.
    case unknownRealm
    case noSuchResource, unknownPerson, unknownGroup, unknownAttribute, noManager, notAMember
    case malformedQuery, malformedBody
    case invalidAttribute
    /// A member that cannot be written: unknown, derived, a credential, a right.
    case attributeRefused
    case unsupportedMediaType
    case nameTaken, mailTaken, groupTaken
    /// UPS-05: a route, a user or a rule refers to the role.
    case groupInUse
    /// A concurrent change came first.
    case preconditionFailed, conflict
    case usersUnavailable

    private var definition: (detail: String, reason: Reason) {
        let (unauthorized, missing) = ("invalid or missing token", "no such resource")
        return switch self {
        case .bearerRequired: (unauthorized, .profileBearerRequired)
        case .wrongWebgate: (unauthorized, .wrongWebgate)
        case .readOnlyToken: ("the token is for reading only", .insufficientScope)
        case .rightMissing: ("the caller may not do this", .profileRightMissing)
        case .unknownRealm: ("the caller is of no realm", .profileRealmUnknown)
        case .noSuchResource: (missing, .profileNoResource)
        case .unknownPerson: (missing, .profileUnknownPerson)
        case .unknownGroup: (missing, .profileUnknownGroup)
        case .unknownAttribute: (missing, .profileUnknownAttribute)
        case .noManager: ("the user has no manager", .profileNoManager)
        case .notAMember: ("the user is no member", .profileNotMember)
        case .malformedQuery: ("malformed query", .profileMalformedQuery)
        case .malformedBody: ("a JSON object is expected", .profileMalformedBody)
        case .invalidAttribute: ("an attribute has an invalid value", .profileInvalidAttribute)
        case .attributeRefused: ("an attribute cannot be written", .profileAttributeRefused)
        case .unsupportedMediaType: ("use application/json", .unsupportedMediaType)
        case .nameTaken: ("the name is taken", .nameTaken)
        case .mailTaken: ("the mail address is taken", .profileMailTaken)
        case .groupTaken: ("there is such a group already", .profileGroupTaken)
        case .groupInUse: ("the group is in use", .profileGroupInUse)
        case .preconditionFailed:
            ("it was changed in the meantime; read it again", .preconditionFailed)
        case .conflict: ("it does not fit what there is now", .profileConflict)
        case .usersUnavailable: ("users cannot be changed now", .usersUnavailable)
        }
    }

    package var detail: String { definition.detail }
    package var reason: Reason { definition.reason }

    package var fields: [(name: String, value: String)] {
        switch self {
        case .bearerRequired: [(name: "WWW-Authenticate", value: #"Bearer realm="portcullis""#)]
        // RFC 6750 section 3.1.
        case .wrongWebgate:
            [(name: "WWW-Authenticate", value: #"Bearer realm="portcullis", error="invalid_token""#)]
        case .readOnlyToken:
            [(name: "WWW-Authenticate", value: #"Bearer realm="portcullis", error="insufficient_scope""#)]
        default: []
        }
    }
}

/// A refusal and the attribute it is about.
struct ProfileRefusal: Error, Sendable {
    var failure: ProfileFailure
    /// As the client wrote it, truncated; empty for none.
    var attribute = ""

    init(_ failure: ProfileFailure, _ attribute: String = "") {
        self.failure = failure
        self.attribute = String(decoding: attribute.utf8.prefix(64), as: UTF8.self)
    }

    var response: EndpointResponse {
        attribute.isEmpty
            ? failure.response : failure.completed(.problem(failure.reason, "\(failure.detail): \(attribute)"))
    }
}
