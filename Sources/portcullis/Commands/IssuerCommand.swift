import Configuration
import Gateway
import Identity
import Model
import Tokens

/// `portcullis issuer`: the outside issuers whose tokens are exchanged (JWT-41).
enum IssuerCommand: Command {
    static let name = "issuer"
    static let summary = "list issuers whose tokens are exchanged or trusted, and test a token"
    static let help = """
        usage: portcullis issuer list --config DIR
               portcullis issuer test TOKEN --config DIR [--backend NAME/VERSION] [--jwks FILE]

        list   the issuers of Security_AuthTokenConfiguration, and what is wrong with those that are disabled; then those of
               trustedIssuers.json
        test   which issuer a token is of, a JWT or a packed SAML assertion, and what each check says of it, also behind
               one that fails. No token is issued. `-` reads the token from standard input. Of an issuer of
               trustedIssuers.json: whom the token stands for on a route, or why it is refused.

        --backend  look for the user in the realm of this backend alone, and check whether it may exchange
        --jwks     take the issuer's keys from this file

        exit status of test: 0 the token would be exchanged or accepted, 1 it would not
        """

    static func run(_ arguments: [String]) throws(ExitStatus) {
        let arguments = try Arguments(arguments, options: ["--config", "--backend", "--jwks"], flags: [])
        guard let directory = arguments["--config"], let action = arguments.positional.first else { throw usage() }
        switch (action, arguments.positional.count) {
        case ("list", 1): try list(directory)
        case ("test", 2): try IssuerTest(arguments, directory).run(arguments.positional[1])
        default: throw usage()
        }
    }

    private static func usage() -> ExitStatus {
        Terminal.complain(help)
        return .usage
    }

    private static func list(_ directory: String) throws(ExitStatus) {
        let reading = try Assembly.read(directory, makesKeys: false)
        let policy = reading.snapshot.tokens.assertions?.currentPolicy ?? AssertionPolicy()
        for entry in policy.entries + policy.samlEntries {
            let name = entry.name ?? "(no name)"
            guard let issuer = entry.issuer else {
                Terminal.print("\(name)  invalid")
                continue
            }
            let users = issuer.rules.virtualUserEnabled ? "virtual users" : "local users by \(issuer.rules.userMapping)"
            let kind = issuer.saml == nil ? "" : "SAML  "
            let state = issuer.isEnabled ? "enabled" : "disabled"
            Terminal.print("\(name)  \(state)  \(kind)\(keys(issuer.keys))  \(users)")
        }
        for entry in reading.configuration.trustedIssuers {
            let keys =
                switch entry.keys {
                case .file(let path): path
                case .published(let published): (published.jwksURI ?? published.discoveryURI)?.description ?? ""
                case .introspection, nil: "introspection"
                }
            Terminal.print("\(entry.issuer)  trusted  \(keys)  \(entry.name)")
        }
        for finding in policy.findings {
            Terminal.complain(
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
