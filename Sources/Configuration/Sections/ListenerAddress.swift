import Bytes
import Declaration
import Model

/// The address of a listener's socket.
package enum ListenerAddress: Hashable, Sendable {
    /// The system chooses port 0.
    case address(IPAddress, port: Int)
    /// A socket file, created with these permission bits.
    case unix(path: String, mode: Int)
    /// An inherited socket with this name (`FileDescriptorName=` of systemd).
    case inherited(name: String)

    /// Whether the system chooses the port. Two such listeners are never the same.
    package var isChosenBySystem: Bool {
        if case .address(_, port: 0) = self { true } else { false }
    }

    /// Places are equal regardless of permission bits.
    package static func == (left: ListenerAddress, right: ListenerAddress) -> Bool {
        switch (left, right) {
        case (.address(let a, let first), .address(let b, let second)): a == b && first == second
        case (.unix(let a, _), .unix(let b, _)): a == b
        case (.inherited(let a), .inherited(let b)): a == b
        default: false
        }
    }

    package func hash(into hasher: inout Hasher) {
        switch self {
        case .address(let address, let port):
            hasher.combine(address)
            hasher.combine(port)
        case .unix(let path, _): hasher.combine(path)
        case .inherited(let name): hasher.combine(name)
        }
    }

    var noun: String {
        switch self {
        case .address: "address and port"
        case .unix: "path"
        case .inherited: "socket"
        }
    }

    /// Whether it is reachable from this machine only.
    package var isLocal: Bool {
        switch self {
        case .address(let address, _): address.isLoopback
        case .unix: true
        case .inherited: false
        }
    }

    func standardName(at index: Int) -> String {
        isChosenBySystem ? "listener-\(index)" : description
    }

    /// The members `address`, `port`, `mode` and `socket` of a listener.
    static func read(_ object: inout ObjectReader) -> ListenerAddress {
        let address = object.take(
            "address", Shape(.text, read: { $0.listeningAddress() }).comparedByList(),
            "IP address to listen on, IPv4 or IPv6, or `unix:PATH`. Required without `socket`.")
        let port = object.take(
            "port", .port.comparedByList(), "Port; 0 lets the system choose. Required with an IP address.")
        let mode = object.take(
            "mode", permissions.comparedByList(), default: 0o660,
            "Permission bits of a unix socket, whose file is removed when the gateway stops.")
        let socket = object.take(
            "socket", .text(.pattern("^[!-9;-~]{1,255}$")) { $0.socketName() }.comparedByList(),
            "Name of a socket that systemd has opened (`FileDescriptorName=`), in place of `address` and `port`.")
        let (isInherited, isUnix) = (KeyCondition.has("socket"), KeyCondition.begins("address", with: "unix:"))
        let isBound = KeyCondition.not(isInherited)
        object.rules(
            .only(
                "address", "port", "mode", with: isBound, because: "an inherited socket is bound already"),
            .requires("address", if: isBound, expected: "an IP address"),
            .requires(
                "port", if: .not(.any([isInherited, isUnix])), expected: "a port number from 0 to 65535"),
            KeyRule.only(
                "port", with: .not(isUnix), because: "a unix socket has no port",
                expected: "no \"port\" beside \"unix:PATH\""
            ).when(isBound),
            KeyRule.only(
                "mode", with: isUnix, because: "only a unix socket has a mode",
                expected: "\"address\": \"unix:PATH\", or no \"mode\""
            ).when(isBound))
        if let socket { return .inherited(name: socket.read() ?? "") }
        if let field = address?.field, field.node.string?.hasPrefix("unix:") == true {
            return .unix(path: field.unixPath() ?? "", mode: mode?.read() ?? 0o660)
        }
        return .address(address?.read() ?? .loopback, port: port?.read() ?? 0)
    }

    private static let permissions = Shape(
        .pattern("^0?[0-7]{3}$"), write: { .text("0\(String($0, radix: 8))") }, read: { $0.permissions() })
}

extension ListenerAddress: CustomStringConvertible {
    package var description: String {
        switch self {
        case .address(let address, let port): "\(address.urlHost):\(port)"
        case .unix(let path, _): "unix:\(path)"
        case .inherited(let name): "socket:\(name)"
        }
    }
}

extension Field {
    fileprivate func listeningAddress() -> IPAddress? {
        guard node.string == "*" else { return address() }
        // A common notation for all interfaces.
        return invalid("an IP address such as \"127.0.0.1\" or \"::1\"", suggestion: "0.0.0.0")
    }

    /// sd_listen_fds_with_names(3): no control characters and no colon, at most 255 bytes.
    fileprivate func socketName() -> String? {
        let expected = "the name of an inherited socket: at most 255 visible ASCII characters without a colon"
        guard let name = name(expected) else { return nil }
        guard name.utf8.count <= 255, name.utf8.allSatisfy({ $0 > 32 && $0 < 127 && $0 != UInt8(ascii: ":") }) else {
            return invalid(expected)
        }
        return name
    }

    /// Absolute path of `"unix:PATH"`, which must fit into a socket address (unix(7): 108 bytes with the final NUL).
    func unixPath() -> String? {
        guard let text = node.string, text.hasPrefix("unix:"), text.utf8.count > 5, !text.contains("\0") else {
            return invalid("\"unix:PATH\"")
        }
        let path = findings.path(of: String(text.dropFirst(5)), isInput: false)
        guard path.utf8.count <= 107 else {
            return error(
                "the path is too long for a socket", expected: "at most 107 bytes", found: "\(path.utf8.count)")
        }
        return path
    }

    /// Permission bits as octal text, `"0660"`.
    fileprivate func permissions() -> Int? {
        let expected = "permission bits as octal text, such as \"0660\""
        guard let text = node.string else { return error("wrong type", expected: expected, found: summary) }
        let digits = Array(text.utf8)
        guard (3...4).contains(digits.count), digits.allSatisfy({ (48...55).contains($0) }) else {
            return invalid(expected)
        }
        let bits = digits.reduce(0) { $0 << 3 | Int($1 - 48) }
        guard bits <= 0o777 else { return invalid(expected) }
        return bits
    }
}
