import HTTP
import Model
import Tokens

/// What the admin listener has.
enum AdminResource: Equatable {
    case health, readiness, metrics, reload, revocations
    /// Users, backends and the like: whether there is such a thing is for the administration to say.
    case administration
    /// Users as CSV, which may be many.
    case userList

    static let prefix = "/admin/"

    init?(path: String) {
        switch path {
        case "/healthz", "/livez", "/admin/health": self = .health
        case "/readyz", "/admin/ready": self = .readiness
        case "/metrics", "/admin/metrics": self = .metrics
        case "/admin/reload": self = .reload
        case "/admin/revocations": self = .revocations
        case _ where path.hasPrefix(AdminResource.prefix): self = .administration
        default: return nil
        }
    }

    /// What metrics call it.
    var name: String {
        switch self {
        case .health: "admin_health"
        case .readiness: "admin_readiness"
        case .metrics: "admin_metrics"
        case .reload: "admin_reload"
        case .revocations: "admin_revocations"
        case .administration, .userList: "administration"
        }
    }

    var method: String {
        switch self {
        case .reload, .revocations: "POST"
        default: "GET"
        }
    }

    func allows(_ wanted: Method) -> Bool {
        if self == .administration { return true }
        return method == "POST" ? wanted == .post : wanted == .get || wanted == .head
    }

    var maximumBodyBytes: Int {
        switch self {
        case .administration: AdminRequest.maximumBodyBytes
        case .userList: AdminRequest.maximumListBytes
        default: EndpointDescriptor.usualBody
        }
    }

    /// Whether it is served without the token, and by listeners for monitoring.
    var isMonitoring: Bool {
        switch self {
        case .health, .readiness, .metrics: true
        case .reload, .revocations, .administration, .userList: false
        }
    }

    var needsToken: Bool { !isMonitoring }

    /// Whether a probe asks, which has room of its own.
    var isHealth: Bool { self == .health || self == .readiness }
}
