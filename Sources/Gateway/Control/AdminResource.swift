import HTTP
import Model

/// A resource of the admin and monitoring listeners.
enum AdminResource: Equatable, CaseIterable {
    case health, readiness, metrics, reload, revocations
    /// Users, clients and other entities; the administration determines which exist.
    case administration
    /// Users as CSV, possibly many. The path is that of users; the media type selects this resource.
    case userList

    /// The properties of a resource.
    private struct Description {
        /// Its label in metrics.
        let name: String
        /// A path that ends in a slash includes everything below it; other resources take precedence.
        var paths: [String] = []
        /// GET includes HEAD; nil for any method.
        var method: String? = "GET"
        /// The longest body, in bytes.
        var largestBody = EndpointDescriptor.usualBody
        /// Whether it needs no token, and monitoring listeners serve it.
        var isMonitoring = false
    }

    static let prefix = "/admin/"

    private var description: Description {
        switch self {
        case .health:
            Description(name: "admin_health", paths: ["/healthz", "/livez", "/admin/health"], isMonitoring: true)
        case .readiness: Description(name: "admin_readiness", paths: ["/readyz", "/admin/ready"], isMonitoring: true)
        case .metrics: Description(name: "admin_metrics", paths: ["/metrics", "/admin/metrics"], isMonitoring: true)
        case .reload: Description(name: "admin_reload", paths: ["/admin/reload"], method: "POST")
        case .revocations: Description(name: "admin_revocations", paths: ["/admin/revocations"], method: "POST")
        case .administration:
            Description(
                name: "administration", paths: [AdminResource.prefix], method: nil,
                largestBody: AdminRequest.maximumBodyBytes)
        case .userList:
            Description(name: "administration", method: nil, largestBody: AdminRequest.maximumListBytes)
        }
    }

    init?(path: String) {
        let found = AdminResource.allCases.first { resource in
            resource.description.paths.contains { $0 == path || $0.hasSuffix("/") && path.hasPrefix($0) }
        }
        guard let found else { return nil }
        self = found
    }

    var name: String { description.name }

    /// The value of `Allow`.
    var method: String { description.method ?? "GET" }

    func allows(_ sent: Method) -> Bool {
        guard let method = description.method else { return true }
        return method == "POST" ? sent == .post : sent == .get || sent == .head
    }

    var maximumBodyBytes: Int { description.largestBody }
    var isMonitoring: Bool { description.isMonitoring }
    var needsToken: Bool { !isMonitoring }

    /// Whether it is for probes, which have reserved connections.
    var isHealth: Bool { self == .health || self == .readiness }
}
