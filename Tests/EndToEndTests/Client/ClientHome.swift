import Foundation
import Testing

/// The directory of one user of `portcullis client`, removed with it.
final class ClientHome: Sendable {
    private let directory: ConfigurationDirectory

    /// - Parameter profile: members of `client.json`, without braces.
    init(_ profile: String? = nil) throws {
        directory = try ConfigurationDirectory()
        if let profile { try directory.write("client.json", "{\(profile)}") }
    }

    var path: String { directory.path }

    func write(_ profile: String) throws { try directory.write("client.json", "{\(profile)}") }

    /// Runs `portcullis client`, with these lines on its standard input.
    func run(
        _ arguments: String..., input: String = ""
    ) throws -> (ending: Program.Ending, output: String, errors: String) {
        try Program.run(
            GatewayProcess.binary, ["client"] + arguments, environment: ["PORTCULLIS_CLIENT_HOME": path], input: input)
    }

    /// A profile of the backend `inventory` at a gateway.
    static func inventory(_ url: String, version: String = "1.0", more: String = "") -> String {
        """
        "baseUrl": "\(url)", "backendName": "inventory", "backendVersion": "\(version)", "mobileBackendId": "mbe-inv-1",
        "clientId": "inv-client", "clientSecret": "inv-secret"\(more)
        """
    }

    /// Everything in its files.
    var everything: String {
        get throws {
            try FileManager.default.contentsOfDirectory(atPath: path).map { name in
                String(decoding: try Data(contentsOf: URL(fileURLWithPath: "\(path)/\(name)")), as: UTF8.self)
            }.joined()
        }
    }
}

extension Fixture {
    var url: String { get throws { "http://127.0.0.1:\(try gateway.port())" } }
}
