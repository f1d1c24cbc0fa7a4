import HTTP
import Model

/// What is asked for below `/oic_rest/rest/`.
enum MobileSocialPath: Sendable, Equatable {
    /// Calls of a service; the name is that of a service, or of a service domain (section 1.4).
    enum Action: String, Sendable, CaseIterable {
        case register, authenticate, access, logout
        /// Validation has two names: that of later servers, and that of 2013.
        case info = "tokens/info"
        case validate
    }

    case call(Action, service: String)
    /// The profile of an application (OMS-03).
    case profile(application: String)

    /// - Parameter path: canonical, so that what is still percent-encoded is no delimiter.
    init?(_ path: String) {
        guard let parts = PathSegment.decode(path, behind: MobileSocialEndpoints.path), parts.count >= 2 else {
            return nil
        }
        // With capitals, and nothing else (oam-wire 4).
        if parts[0].utf8.elementsEqual("AppProfiles".utf8) {
            guard parts.count == 2 else { return nil }
            self = .profile(application: parts[1])
            return
        }
        let name = parts.dropFirst().joined(separator: "/")
        guard let action = Action.allCases.first(where: { $0.rawValue.utf8.elementsEqual(name.utf8) }) else {
            return nil
        }
        self = .call(action, service: parts[0])
    }
}
