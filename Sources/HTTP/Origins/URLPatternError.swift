/// Why a text is no URL pattern.
package enum URLPatternError: Error, Equatable, Sendable {
    /// No `scheme://` in front, or a wildcard in it.
    case noScheme
    case userInformation
    case queryOrFragment
    /// Empty label, character that no host has, wildcard inside an IPv6 literal.
    case invalidHost
    case invalidPort

    package var explanation: String {
        switch self {
        case .noScheme: "must begin with a literal scheme and ://"
        case .userInformation: "must not have user information"
        case .queryOrFragment: "must not have a query or fragment"
        case .invalidHost: "has a host that no URL has"
        case .invalidPort: "has a port that no URL has"
        }
    }
}
