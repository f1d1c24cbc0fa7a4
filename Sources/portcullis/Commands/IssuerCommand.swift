import Bytes
import Configuration
import Gateway
import HTTP
import Identity
import Model
import OAuthServer
import Reactor

/// `portcullis issuer`: the issuers whose tokens are exchanged or trusted (JWT-41).
enum IssuerCommand: Command {
    static let name = "issuer"
    static let summary = "list issuers whose tokens are exchanged or trusted, test a token, fetch keys"
    static let help = """
        usage: portcullis issuer list --config DIR [--json]
               portcullis issuer test TOKEN --config DIR [--client ID] [--jwks FILE]
               portcullis issuer refresh NAME --config DIR | --admin URL [--admin-token-file FILE]

        list     prints the issuers of Security_AuthTokenConfiguration, with the problems of those that are disabled, and
                 those of trustedIssuers.json
        test     prints the issuer of a token, a JWT or a packed SAML assertion, and the result of every check. For an issuer
                 of trustedIssuers.json it prints the caller on a route, or the reason for the refusal. No token is issued.
                 `-` reads the token from standard input
        refresh  makes the running gateway fetch the published keys of an issuer now, and prints how many there are. NAME is
                 that of an entry in trustedIssuers.json or identityProviders.json, or the issuer in tokens

        --client   look up the user in the realm of this client only (a mobile backend as NAME/VERSION), and check that it may exchange
        --jwks     use the issuer's keys of this file
        --json     print JSON, a line for each issuer

        \(RunningGateway.help)
        \(RunningGateway.tokenHelp)

        exit status of test: 0 the token would be exchanged or accepted, 1 it would not
        """

    static func run(_ arguments: [String]) throws(ExitStatus) {
        let arguments = try Arguments(arguments, of: self)
        if arguments.action == "refresh" { return try refresh(arguments) }
        guard let directory = arguments["--config"] else { throw usageError() }
        if arguments.action == "list" { return try list(directory, asJSON: arguments.has("--json")) }
        try IssuerTest(arguments, directory).run(arguments.positional[0])
    }

    private static func refresh(_ arguments: Arguments) throws(ExitStatus) {
        let client = try RunningGateway.client(arguments, needsToken: true)
        let request = AdminRequest.command(
            .post, ["issuers", "refresh"], body: [("name", .text(arguments.positional[0]))])
        Listing.show(try AdminTarget.gateway(client).perform(request, consequence: ""))
    }

    private static func list(_ directory: String, asJSON: Bool) throws(ExitStatus) {
        let reading = try Assembly.read(directory, makesKeys: false)
        let policy = reading.snapshot.tokens.assertions?.currentPolicy ?? AssertionPolicy()
        var rows: [[(name: String, text: String?)]] = []
        for entry in policy.entries + policy.samlEntries {
            let (name, issuer) = (entry.name ?? "(no name)", entry.issuer)
            let users = issuer.map { issuer in
                issuer.rules.virtualUserEnabled ? "virtual users" : "local users by \(issuer.rules.userMapping)"
            }
            rows.append([
                ("issuer", name), ("state", issuer.map { $0.isEnabled ? "enabled" : "disabled" } ?? "invalid"),
                ("kind", issuer?.saml == nil ? nil : "SAML"), ("keys", issuer.map { self.keys($0.keys) }),
                ("users", users),
            ])
        }
        for entry in reading.configuration.trustedIssuers {
            let keys =
                switch entry.keys {
                case .file(let path): path
                case .published(let published):
                    (published.settings.keys ?? published.settings.discovery)?.description ?? ""
                case .certified(let entry): entry.authoritiesFile
                case .introspection, nil: "introspection"
                }
            rows.append([("issuer", entry.issuer), ("state", "trusted"), ("keys", keys), ("name", entry.name)])
        }
        if asJSON || StandardStream.output.isTerminal {
            let members = rows.map { $0.compactMap { row in row.text.map { (row.name, JSONNode.text($0)) } } }
            Listing.show(JSONNode(.array(members.map { .object($0) })), asJSON: asJSON)
        } else {
            for row in rows { Terminal.print(row.compactMap(\.text).joined(separator: "  ")) }
        }
        for finding in policy.findings {
            Terminal.printError(
                "\(finding.pointer): \(finding.message)\(finding.expected.map { " (expected \($0))" } ?? "")")
        }
    }

    private static func keys(_ keys: AssertionIssuer.Keys) -> String {
        switch keys {
        case .certificates(let subjects): "\(subjects.count) certificate subject\(subjects.count == 1 ? "" : "s")"
        case .remote(let source): (source.jwksURI ?? source.discoveryURI)?.description ?? ""
        }
    }
}
