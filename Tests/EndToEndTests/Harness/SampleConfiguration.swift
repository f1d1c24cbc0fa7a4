import Foundation

/// `config/` as it stands after `deploy/demo`: with a certificate of its own, and without the state of earlier runs.
enum SampleConfiguration {
    struct NoCertificate: Error {
        let log: String
    }

    /// A copy in a directory of its own.
    static func copy() throws -> ConfigurationDirectory {
        let parent = try ConfigurationDirectory()
        try copy(into: parent)
        return ConfigurationDirectory("config", in: parent)
    }

    /// A copy named `config`.
    static func copy(into parent: ConfigurationDirectory) throws {
        let manager = FileManager.default
        let path = parent.path + "/config"
        try manager.copyItem(atPath: Vectors.root.appending(path: "config").path, toPath: path)
        for name in ["state", "tls"] {
            try? manager.removeItem(atPath: "\(path)/\(name)")
            try manager.createDirectory(atPath: "\(path)/\(name)", withIntermediateDirectories: true)
        }
        try makeCertificate(in: "\(path)/tls")
    }

    /// `cert.pem` and `key.pem`, for localhost.
    static func makeCertificate(in directory: String, days: Int = 30) throws {
        let result = try Program.run(
            "/usr/bin/openssl",
            [
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "\(days)",
                "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1",
                "-keyout", "\(directory)/key.pem", "-out", "\(directory)/cert.pem",
            ])
        guard result.ending == .exit(0) else { throw NoCertificate(log: result.errors) }
    }
}
