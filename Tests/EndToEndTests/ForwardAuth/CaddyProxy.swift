import Foundation
import Testing

/// Caddy with a configuration of its own, on a port that the kernel chose.
final class CaddyProxy: Sendable {
    private static let path = PythonEnvironment.script("caddy")
    static var isThere: Bool { path != nil }

    let port: UInt16
    private let directory: ConfigurationDirectory
    private let program: Program

    /// - Parameter sites: the Caddyfile; `LISTEN` stands for the address of its site.
    init(_ sites: String) throws {
        directory = try ConfigurationDirectory()
        let options = "{\n\tadmin off\n\tauto_https off\n\tpersist_config off\n\tlog {\n\t\tlevel INFO\n\t}\n}\n"
        let text = sites.replacing("LISTEN {", with: "http://:0 {\n\tbind 127.0.0.1")
        try directory.write("Caddyfile", options + text)
        program = try Program(
            #require(Self.path), ["run", "--config", "\(directory.path)/Caddyfile", "--adapter", "caddyfile"],
            environment: ["HOME": directory.path, "XDG_DATA_HOME": directory.path, "XDG_CONFIG_HOME": directory.path])
        let started: Bool? = program.wait(.errors) { lines in
            if lines.contains(where: { $0.contains("serving initial configuration") }) { return true }
            return lines.contains { $0.hasPrefix("Error:") || $0.contains(#""level":"error""#) } ? false : nil
        }
        let lines = program.lines(.errors)
        try #require(started == true, "\(lines)")
        let address = lines.lazy.compactMap { JSONText($0)["actual_address"].string }.first
        port = try #require(address?.split(separator: ":").last.flatMap { UInt16($0) }, "\(lines)")
    }
}
