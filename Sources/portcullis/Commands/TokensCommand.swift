import Configuration
import Gateway
import HTTP

/// `portcullis tokens`: what a running gateway has issued and keeps (AOM-22, AOM-23).
enum TokensCommand: Command {
    static let name = "tokens"
    static let summary = "list, revoke and clean away tokens of a running gateway"
    static let help = """
        usage: portcullis tokens list [--subject NAME] [--backend NAME/VERSION | --application NAME] [--limit COUNT] WHERE
               portcullis tokens revoke ID WHERE
               portcullis tokens revoke [--subject NAME] [--backend NAME/VERSION | --application NAME] [WHEN] WHERE
               portcullis tokens revoke --issuer NAME [WHEN] WHERE
               portcullis tokens clean WHERE

        list    records of the store, newest first, 100 of them by default; never a token itself
        revoke  one record by its id, or all tokens of a user or client, of a mobile backend, of an application, or of an
                issuer by the name of its entry in trustedIssuers.json (local: this gateway). They are refused at once,
                here and by every gateway that shares the store
        clean   removes records whose tokens have all expired, as the daily cleaner does

        WHEN are times in whole seconds since 1970, and not for an application:
          --issued-before SECONDS  only tokens that were issued at this second or before; all of so far by default
          --until SECONDS          how long they are remembered as revoked; 366 days by default

        Tokens are kept by a running gateway, and nowhere else.

        \(AdminTarget.gatewayHelp)
        """

    private static let whose: Set<String> = ["--subject", "--backend", "--application"]
    private static let revoked = whose.union(["--issuer", "--issued-before", "--until"])

    static func run(_ arguments: [String]) throws(ExitStatus) {
        let call = try AdminInvocation(
            arguments, of: self,
            [
                "list": .init(0...0, options: whose.union(["--limit"])), "revoke": .init(0...1, options: revoked),
                "clean": .init(0...0),
            ])
        let selection = [
            ("subject", "--subject"), ("backend", "--backend"), ("application", "--application"), ("limit", "--limit"),
            ("issuer", "--issuer"), ("issuedBefore", "--issued-before"), ("until", "--until"),
        ].map { ($0.0, call.arguments[$0.1]) }
        let isSelected = selection.contains { $0.1 != nil }
        switch call.action {
        case "list": AdminTarget.show(try call.target.perform(.command(.get, ["tokens"], selection)))
        case "clean": AdminTarget.show(try call.target.perform(.command(.post, ["tokens", "clean"])))
        default:
            guard call.names.isEmpty == isSelected else {
                Terminal.complain(help)
                throw .usage
            }
            let path = ["tokens"] + call.names
            AdminTarget.show(try call.target.perform(.command(.delete, path, isSelected ? selection : [])))
        }
    }
}
