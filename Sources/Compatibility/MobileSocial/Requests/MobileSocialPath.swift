import Bytes
import HTTP

/// A resource below `/oic_rest/rest/`.
enum MobileSocialPath: Sendable, Equatable {
    enum Action: String, Sendable, CaseIterable {
        case register, authenticate, access, logout
        /// Validation has two names: of later servers, and of 2013.
        case info = "tokens/info"
        case validate
    }

    /// - Parameter service: name of a service or a service domain (section 1.4).
    case call(Action, service: String)
    /// The profile of an application (OMS-03).
    case profile(application: String)

    /// - Parameter path: canonical, so that percent-encoded characters are no delimiters.
    init?(_ path: String) {
        guard let parts = PathSegment.decode(path, behind: MobileSocialEndpoints.path), parts.count >= 2 else {
            return nil
        }
        // With these capitals only (oam-wire 4).
        if parts[0].isExactly("AppProfiles") {
            guard parts.count == 2 else { return nil }
            self = .profile(application: parts[1])
            return
        }
        let name = parts.dropFirst().joined(separator: "/")
        guard let action = Action.allCases.first(where: { $0.rawValue.isExactly(name) }) else { return nil }
        self = .call(action, service: parts[0])
    }
}
