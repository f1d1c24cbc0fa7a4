import Foundation
import Testing

/// Envoy with a configuration of its own, on a port that the kernel chose.
final class EnvoyProxy: Sendable {
    private static let path = PythonEnvironment.program("envoy/_bin/envoy")
    static var isThere: Bool { path != nil }

    let port: UInt16
    private let directory: ConfigurationDirectory
    private let program: Program

    /// - Parameter configuration: in YAML, with a listener on port 8000.
    init(_ configuration: String) throws {
        let path = try #require(Self.path)
        directory = try ConfigurationDirectory()
        let admin = "admin: { address: { socket_address: { address: 127.0.0.1, port_value: 0 } } }\n"
        try directory.write("envoy.yaml", admin + configuration.replacing("port_value: 8000", with: "port_value: 0"))
        let file = "\(directory.path)/admin"
        program = try Program(
            path,
            [
                "-c", "\(directory.path)/envoy.yaml", "--concurrency", "1", "--disable-hot-restart",
                "--admin-address-path", file,
            ])
        let started: Bool? = program.wait(.errors) { lines in
            if lines.contains(where: { $0.contains("starting workers") }) { return true }
            return lines.contains { $0.contains("[critical]") } ? false : nil
        }
        try #require(started == true, "\(program.lines(.errors).suffix(5))")
        let address = try String(contentsOfFile: file, encoding: .utf8)
        let administration = try #require(UInt16(address.split(separator: ":").last ?? ""))
        let listeners = try RawConnection.once(port: administration, "GET", "/listeners?format=json")
        port = try #require(
            (listeners.text.firstMatch(of: /"port_value":\s*([0-9]+)/)?.1).flatMap { UInt16($0) }, "\(listeners.text)")
    }
}
