import Configuration
import Declaration
import Model
import Reactor

/// A running gateway, named by the URL of its admin listener or by its configuration directory.
enum RunningGateway {
    static let help = "The gateway:\n\(options)"
    /// Help of commands that name it WHERE.
    static let whereHelp = "WHERE:\n\(options)\n\(tokenHelp)\n\(jsonHelp)"

    private static let options = """
        --admin URL              its admin listener, such as http://127.0.0.1:9901
        --config DIR             its configuration: address and token are those of its `admin` section
        """

    static let tokenHelp = """
        --admin-token-file FILE  file with `admin.adminToken` (default: the variable \(AdminTarget.tokenVariable))
        """

    static let jsonHelp = "--json                   print JSON on a terminal too, and names in quotes"

    /// - Parameters:
    ///   - needsToken: false for resources that the listener serves without one.
    /// - Throws: `.usage` or `.failed` after printing what is wrong.
    static func client(
        _ arguments: Arguments, needsToken: Bool,
        timeoutMilliseconds: Int32 = AdminClient.longestMilliseconds
    ) throws(ExitStatus) -> AdminClient {
        let url: String
        var token: String?
        switch (arguments["--config"], arguments["--admin"]) {
        case (let directory?, nil):
            let admin = try section(directory)
            url = "http://\(host(of: admin.address)):\(admin.port)"
            token = admin.token?.value
        case (nil, let named?): url = named
        default: throw .misuse("either --admin URL or --config DIR is required")
        }
        if needsToken, token == nil || arguments["--admin-token-file"] != nil {
            token = try AdminTarget.token(arguments["--admin-token-file"])
        }
        do throws(AdminClient.Failure) {
            return try AdminClient(
                url: url, token: needsToken ? token : nil, timeoutMilliseconds: timeoutMilliseconds)
        } catch {
            throw .misuse(error.message)
        }
    }

    /// The admin listener of a directory. The rest of the configuration may be invalid: a reload reports that.
    private static func section(_ directory: String) throws(ExitStatus) -> AdminSection {
        let loaded = ConfigurationLoader.load(
            directory: directory, environment: Environment.values, production: false,
            extensions: CompatibilityFamilies.sections, endpoints: GatewayEndpoints.all,
            secrets: SecretStore.lookup(directory))
        if let admin = loaded.draft?.admin, admin.port > 0 { return admin }
        let causes = loaded.diagnostics.filter { finding in
            finding.severity == .error && (finding.pointer.isEmpty || finding.pointer.hasPrefix("/admin"))
        }
        for cause in causes { Terminal.printError("\(cause)") }
        throw .failure(
            causes.isEmpty
                ? "\(directory)/\(loaded.gatewayFile) has no admin listener with a port; use --admin URL"
                : "\(directory) has no valid admin listener; use --admin URL")
    }

    /// The address to connect to: loopback for a listener on all addresses.
    private static func host(of address: IPAddress) -> String {
        guard address.isUnspecified else { return address.urlHost }
        return address.isIPv6 ? "[::1]" : "127.0.0.1"
    }
}
