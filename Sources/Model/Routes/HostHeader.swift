/// Which `Host` a forwarded request has.
package enum HostHeader: Hashable, Sendable {
    /// The client's.
    case client
    /// Host and port of the upstream's URL.
    case upstream
    /// This host, with a port where one is given.
    case fixed(String)

    /// - Parameter text: `client`, `upstream`, or a host with an optional port; nil for other text.
    package init?(_ text: String) {
        switch text {
        case "client": self = .client
        case "upstream": self = .upstream
        default:
            guard (try? WebOrigin("http://\(text)")) != nil else { return nil }
            self = .fixed(text)
        }
    }

    /// The name of a fixed host, without its port.
    package var name: String? {
        if case .fixed(let text) = self { (try? WebOrigin("http://\(text)"))?.host } else { nil }
    }
}
