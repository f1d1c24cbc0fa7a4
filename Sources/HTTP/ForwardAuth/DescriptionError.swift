/// Why the description of a request at the forward-auth endpoint is refused.
package enum DescriptionError: Error, Sendable, CaseIterable {
    case repeatedField, contradictory, missingMethod, malformedMethod, missingTarget, malformedTarget
    case missingHost, malformedHost, missingScheme, malformedScheme, missingClient, malformedClient
    case override, imitation, tunnel, invalidRequest

    /// The `detail` of the response.
    package var detail: StaticString {
        switch self {
        case .repeatedField: "a field of the description is repeated"
        case .contradictory: "the fields describe the request in more than one way"
        case .missingMethod: "X-Forwarded-Method or X-Original-Method is missing"
        case .malformedMethod: "the described method is malformed"
        case .missingTarget: "X-Forwarded-Uri, X-Original-URI or X-Original-URL is missing"
        case .malformedTarget: "the described target is malformed"
        case .missingHost: "X-Forwarded-Host and Host are missing"
        case .malformedHost: "the described host is malformed"
        case .missingScheme: "X-Forwarded-Proto is missing"
        case .malformedScheme: "X-Forwarded-Proto is neither http nor https"
        case .missingClient: "X-Forwarded-For is missing"
        case .malformedClient: "the last element of X-Forwarded-For is no address"
        case .override: "a field requests another method or path"
        case .imitation: "a field imitates one that the gateway uses"
        case .tunnel: "an extended CONNECT describes no request"
        case .invalidRequest: "the described request is invalid"
        }
    }
}
