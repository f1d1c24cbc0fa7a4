import Foundation
import Glibc

/// The real binary with a configuration directory of its own, listening on ports that the kernel chose.
final class GatewayProcess: Sendable {
    enum Failure: Error, CustomStringConvertible {
        case didNotStart(String)
        case noListener(String)
        case didNotEnd(String)

        var description: String {
            switch self {
            case .didNotStart(let log): "the gateway did not start:\n\(log)"
            case .noListener(let name): "no listener \(name)"
            case .didNotEnd(let log): "the gateway did not end:\n\(log)"
            }
        }
    }

    /// The binary under test: `PORTCULLIS_BINARY`, or the one built beside the test bundle.
    static let binary: String = {
        if let named = ProcessInfo.processInfo.environment["PORTCULLIS_BINARY"] { return named }
        let bundle = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        return URL(fileURLWithPath: bundle).deletingLastPathComponent().appending(path: "portcullis").path
    }()

    /// `PORTCULLIS_PRELOAD`, of deploy/faults, stands in front of the libraries of gateways, and of no other program.
    private static let preloaded: [String: String] = {
        ProcessInfo.processInfo.environment["PORTCULLIS_PRELOAD"].map { ["LD_PRELOAD": preload($0)] } ?? [:]
    }()

    /// `LD_PRELOAD` with a library in front of those that deploy/sanitize has there.
    static func preload(_ library: String) -> String {
        let others = ProcessInfo.processInfo.environment["LD_PRELOAD"] ?? ""
        return others.isEmpty ? library : "\(library):\(others)"
    }

    let configuration: ConfigurationDirectory
    let program: Program
    private let ports: [String: UInt16]

    /// Starts `serve` and waits until each of `listeners` has said where it listens.
    init(
        _ configuration: ConfigurationDirectory, listeners: [String] = ["public", "admin"],
        environment: [String: String] = [:], binary: String = GatewayProcess.binary, arguments: [String] = [],
        socket: TCPSocket? = nil
    ) throws {
        self.configuration = configuration
        program = try Program(
            binary, ["serve", "--config", configuration.path] + arguments,
            environment: Self.preloaded.merging(environment) { $1 }, socket: socket)
        let found = program.wait(.errors) { lines -> [String: UInt16]? in
            let ports = Self.ports(in: lines)
            return listeners.allSatisfy { ports[$0] != nil } ? ports : nil
        }
        guard let found else { throw Failure.didNotStart(Self.log(of: program)) }
        ports = found
    }

    /// Starts with files given by name and text.
    convenience init(
        _ files: [String: String], listeners: [String] = ["public", "admin"], environment: [String: String] = [:]
    ) throws {
        try self.init(ConfigurationDirectory(files), listeners: listeners, environment: environment)
    }

    func port(_ listener: String = "public") throws -> UInt16 {
        guard let port = ports[listener] else { throw Failure.noListener(listener) }
        return port
    }

    /// A connection to a listener.
    func connect(_ listener: String = "public", receiveBuffer: Int32? = nil) throws -> RawConnection {
        try RawConnection(port: port(listener), receiveBuffer: receiveBuffer)
    }

    /// One request on a connection of its own.
    func request(
        _ method: String = "GET", _ target: String, _ fields: [Field] = [], body: String? = nil,
        listener: String = "public"
    ) throws -> Response {
        try RawConnection.once(port: port(listener), method, target, fields, body: body)
    }

    /// The events on standard error with this name.
    func events(_ name: String) -> [JSONText] {
        program.lines(.errors).map { JSONText($0) }.filter { $0["event"].string == name }
    }

    /// What it has found in its configuration, as `check` prints it.
    var findings: String { Self.findings(in: program.lines(.errors).joined(separator: "\n")) }

    /// The findings among the lines that `serve` has written, as `check` prints them.
    static func findings(in text: String) -> String {
        text.split(separator: "\n").compactMap { line -> String? in
            let event = JSONText(String(line))
            guard let name = event["event"].string, name.hasPrefix("configuration_") else { return nil }
            let file = event["file"].string ?? ""
            let place = event["line"].integer.map { "\(file):\($0): " } ?? (file.isEmpty ? "" : "\(file): ")
            let pointer = event["pointer"].string.map { "\($0): " } ?? ""
            return "\(place)\(name.dropFirst("configuration_".count)): \(pointer)\(event["detail"].string ?? "")"
        }
        .joined(separator: "\n")
    }

    /// Waits for the event with this name that comes after the first `skipping` of them.
    func waitForEvent(_ name: String, skipping: Int = 0, _ deadline: Deadline = .usual) -> JSONText? {
        program.wait(.errors, deadline) { lines in
            let events = lines.map { JSONText($0) }.filter { $0["event"].string == name }
            return events.count > skipping ? events[skipping] : nil
        }
    }

    /// Waits for an event with this name that fulfils the condition: lines are written some milliseconds behind what they
    /// tell of.
    func waitForEvent(
        _ name: String, _ deadline: Deadline = .usual, where condition: (JSONText) -> Bool
    ) -> JSONText? {
        program.wait(.errors, deadline) { lines in
            lines.lazy.map { JSONText($0) }.first { $0["event"].string == name && condition($0) }
        }
    }

    /// The events with this name, as soon as there are so many of them.
    func events(_ name: String, count: Int) -> [JSONText] {
        _ = waitForEvent(name, skipping: count - 1)
        return events(name)
    }

    /// Waits for an access log line on standard output that fulfils the condition.
    func waitForAccess(_ deadline: Deadline = .usual, where condition: (JSONText) -> Bool) -> JSONText? {
        program.wait(.output, deadline) { $0.lazy.map { JSONText($0) }.first(where: condition) }
    }

    /// The metrics as they are now.
    func metrics() throws -> Metrics {
        Metrics(try request("GET", "/metrics", listener: "admin").text)
    }

    /// Asks it to drain and waits for its end.
    @discardableResult
    func stop(_ deadline: Deadline = .usual) throws -> Program.Ending {
        program.signal(SIGTERM)
        guard let ending = program.waitForEnd(deadline) else { throw Failure.didNotEnd(Self.log(of: program)) }
        return ending
    }

    /// All it wrote, for messages and for looking for secrets.
    var everythingWritten: String { Self.log(of: program) }

    private static func log(of program: Program) -> String {
        (program.lines(.errors) + program.lines(.output)).joined(separator: "\n")
    }

    private static func ports(in lines: [String]) -> [String: UInt16] {
        var ports: [String: UInt16] = [:]
        for event in lines.map({ JSONText($0) }) where event["event"].string == "listening" {
            guard let name = event["listener"].string, let address = event["address"].string else { continue }
            ports[name] = address.split(separator: ":").last.flatMap { UInt16($0) } ?? 0
        }
        return ports
    }
}
