import Bytes
import Declaration
import Model

/// One server of an upstream.
package struct ServerEntry: Sendable {
    /// Where it listens.
    package enum Place: Hashable, Sendable {
        case address(IPAddress, port: Int)
        /// A host name.
        case name(String, port: Int)
        case unix(path: String)

        init(_ origin: WebOrigin) {
            let port = Int(origin.port)
            if let address = origin.host == "localhost" ? .loopback : IPAddress(origin.host) {
                self = .address(address, port: port)
            } else {
                self = .name(origin.host, port: port)
            }
        }

        var isLocal: Bool {
            switch self {
            case .address(let address, _): address.isLoopback
            case .name: false
            case .unix: true
            }
        }
    }

    package var place: Place
    /// Whether it uses TLS.
    package var isSecure: Bool
    /// Host, and port where it is not the scheme's own.
    package var authority: String
    /// What the paths of requests are put behind; nil for the root.
    package var basePath: PathPrefix?
    /// Share of the requests; 0 drains the server.
    package var weight = 1
    /// Whether it is used only if no other server is available.
    package var isBackup = false

    /// The expected name in the certificate without `tls.serverName`: host name or IP address.
    package var host: String {
        switch place {
        case .address(let address, _): address.description
        case .name(let name, _): name
        case .unix: "localhost"
        }
    }

    /// Whether the traffic stays on this machine.
    package var isLocal: Bool { place.isLocal }

    /// The servers of an upstream: one in `url`, or a list in `servers`.
    static func readAll(_ object: inout ObjectReader) -> [ServerEntry] {
        let url = object.take(
            "url", single,
            """
            The server: `http://HOST:PORT`, `https://HOST:PORT` or `unix:PATH`; or `servers`. A path behind the port is put \
            in front of the paths of requests.
            """)
        let list = object.take(
            "servers", shape.list("an array of {\"url\"}", minimum: 1, isUnique: false),
            "Several equivalent servers, in place of `url`; all of them with https, or none.")
        object.rules(.exactlyOne(of: "url", "servers", expected: "a URL such as \"http://127.0.0.1:9000\""))
        guard let list else { return (url?.read()).map { [$0] } ?? [] }
        guard let elements = list.field.elements("an array of {\"url\"}") else { return [] }
        if elements.isEmpty { list.field.error("no server", expected: "at least one server") }
        var servers: [ServerEntry] = []
        for element in elements {
            guard let server = shape.read(element) ?? nil else { continue }
            if servers.contains(where: { $0.place == server.place }) {
                element.error("the server is listed twice", expected: "each server once, with a \"weight\"")
            }
            if let first = servers.first, first.isSecure != server.isSecure {
                element.error("some servers have TLS and others do not", expected: "one scheme for all servers")
            }
            if let first = servers.first, first.basePath != server.basePath {
                element.error("the servers have different paths", expected: "one path for all servers")
            }
            servers.append(server)
        }
        if !servers.isEmpty, servers.allSatisfy({ $0.weight == 0 }) {
            list.field.warning("every server has weight 0, so no request is sent", expected: "a server with a weight")
        } else if !servers.isEmpty, servers.allSatisfy({ $0.isBackup || $0.weight == 0 }) {
            list.field.warning("there are only backups", expected: "not a server")
        }
        return servers
    }

    /// One server of a list; nil if its URL is missing or invalid.
    private static let shape = Shape<ServerEntry?>.object("a server: {\"url\", \"weight\", \"backup\"}") { object in
        var server = object.required(
            "url", single, "a URL such as \"http://127.0.0.1:9000\"",
            """
            Where the server is: `http://HOST:PORT`, `https://HOST:PORT` or `unix:PATH`. A host name is resolved again \
            every `resolveInterval`.
            """)
        let weight = object.value(
            "weight", .integer(0...1000, "a weight"), default: 1,
            "Its share of the requests; 0 takes the server out and lets requests under way end.")
        let isBackup = object.flag("backup", default: false, "Whether it is used only if no other server is available.")
        server?.weight = weight
        server?.isBackup = isBackup
        return server
    }

    /// A server given as a URL.
    private static let single = Shape(
        .pattern("^(https?://[^?#@]+|unix:.+)$"), read: { $0.server() })
}

extension ServerEntry: CustomStringConvertible {
    /// The URL in the configuration.
    package var description: String {
        let scheme = isSecure ? "https" : "http"
        switch place {
        case .address(let address, let port): return "\(scheme)://\(address.urlHost):\(port)"
        case .name(let name, let port): return "\(scheme)://\(name):\(port)"
        case .unix(let path): return "unix:\(path)"
        }
    }
}

extension Field {
    /// `"http://HOST:PORT"`, `"https://HOST:PORT"`, the same with a path, or `"unix:PATH"`.
    fileprivate func server() -> ServerEntry? {
        if node.string?.hasPrefix("unix:") == true {
            return unixPath().map { ServerEntry(place: .unix(path: $0), isSecure: false, authority: "localhost") }
        }
        guard let origin = origin(host: "a URL with a host name or an IP address", ignoring: true) else { return nil }
        let path = node.string?.splitPath.path ?? ""
        var server = ServerEntry(
            place: ServerEntry.Place(origin), isSecure: origin.isSecure, authority: origin.authority)
        if path.count > 1 {
            guard let prefix = PathPrefix(path) else {
                return invalid(
                    "a URL with a path such as \"/v1\", percent-encoded where needed, without \"/\" at the end")
            }
            server.basePath = prefix
        }
        return server
    }
}
