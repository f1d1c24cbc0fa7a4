import Configuration
import Foundation
import Model

/// A running gateway that a command asks about itself: by the URL of its admin listener, or by the directory it serves.
enum RunningGateway {
    static let help = """
        Which gateway:
        --admin URL              its admin listener, such as http://127.0.0.1:9901
        --config DIR             the one that serves DIR: the `admin` section of DIR/gateway.json says where it listens,
                                 and has the token
        """

    static let tokenHelp = """
        --admin-token-file FILE  its `admin.adminToken`; by default that is in the variable \(AdminTarget.tokenVariable)
        """

    /// - Parameter needsToken: false for what the listener tells without one.
    /// - Throws: `.usage` or `.failed` after saying what is wrong.
    static func client(
        _ arguments: Arguments, needsToken: Bool, timeoutMilliseconds: Int32 = AdminClient.longestMilliseconds
    ) throws(ExitStatus) -> AdminClient {
        guard arguments.positional.isEmpty else {
            throw Arguments.complaint("unexpected argument \(arguments.positional[0])")
        }
        let url: String
        var token: String?
        switch (arguments["--config"], arguments["--admin"]) {
        case (let directory?, nil):
            let admin = try section(directory)
            url = "http://\(host(of: admin.address)):\(admin.port)"
            token = admin.token?.value
        case (nil, let named?): url = named
        default: throw Arguments.complaint("--admin URL or --config DIR says which gateway, one of them")
        }
        if needsToken, token == nil || arguments["--admin-token-file"] != nil {
            token = try AdminTarget.token(arguments["--admin-token-file"])
        }
        do throws(AdminClient.Failure) {
            return try AdminClient(
                url: url, token: needsToken ? token : nil, timeoutMilliseconds: timeoutMilliseconds)
        } catch {
            Terminal.complain("portcullis: \(error.message)")
            throw .usage
        }
    }

    /// The admin listener of a directory, which need not be valid: a reload says what is wrong.
    private static func section(_ directory: String) throws(ExitStatus) -> AdminSection {
        let loaded = ConfigurationLoader.load(
            directory: directory, environment: ProcessInfo.processInfo.environment, production: false,
            credentials: SecretStore.lookup(directory))
        if let admin = loaded.draft?.admin, admin.port > 0 { return admin }
        // Why: the file is missing, no JSON, or has a wrong `admin`.
        let causes = loaded.diagnostics.filter { finding in
            finding.severity == .error && (finding.pointer.isEmpty || finding.pointer.hasPrefix("/admin"))
        }
        for cause in causes { Terminal.complain("\(cause)") }
        Terminal.complain(
            causes.isEmpty
                ? "portcullis: \(directory)/gateway.json names no admin listener with a port; --admin URL says where it is"
                : "portcullis: \(directory) does not say where the admin listener is; --admin URL does")
        throw .failed
    }

    /// An address that stands for all of a machine is reached on loopback.
    private static func host(of address: IPAddress) -> String {
        guard address.isUnspecified else { return address.urlHost }
        return address.isIPv6 ? "[::1]" : "127.0.0.1"
    }
}
