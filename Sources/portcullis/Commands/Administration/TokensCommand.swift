import Bytes
import Gateway
import HTTP

/// `portcullis tokens`: the token records in the store of a running gateway (AOM-22, AOM-23).
enum TokensCommand: Command {
    static let name = "tokens"
    static let summary = "list, revoke and clean up tokens of a running gateway"
    static let help = """
        usage: portcullis tokens list [--subject NAME] [--client ID | --application NAME] [--limit COUNT] WHERE
               portcullis tokens revoke ID WHERE
               portcullis tokens revoke [--subject NAME] [--client ID | --application NAME] [WHEN] WHERE
               portcullis tokens revoke --issuer NAME [WHEN] WHERE
               portcullis tokens clean WHERE

        list    prints records of the store without the tokens, newest first. A token that is verified by its
                signature alone has none
        revoke  revokes one record by its id, or all tokens of a user, of a client (a mobile backend as NAME/VERSION, a registered one by its id), of an
                application, or of an issuer by the name of its entry in trustedIssuers.json (local: this gateway). This gateway and all
                that share its store refuse them at once
        clean   removes records whose tokens have all expired, as the daily cleaner does

        --subject      tokens of this user
        --client       tokens of this client
        --application  tokens of this application
        --issuer       tokens of this issuer
        --limit        how many records (default: 100)

        WHEN, in whole seconds since 1970; not with --application:
          --issued-before SECONDS  only tokens issued at this second or earlier (default: now)
          --until SECONDS          when the revocation may be forgotten (default: in 366 days)

        Only a running gateway knows the tokens.

        \(RunningGateway.whereHelp)
        """

    static func run(_ arguments: [String]) throws(ExitStatus) {
        let call = try AdminInvocation(arguments, of: self, needsGateway: ["list", "revoke", "clean"])
        let selection = [
            ("subject", "--subject"), ("client", "--client"), ("application", "--application"), ("limit", "--limit"),
            ("issuer", "--issuer"), ("issuedBefore", "--issued-before"), ("until", "--until"),
        ].map { ($0.0, call.arguments[$0.1]) }
        let isSelected = selection.contains { $0.1 != nil }
        switch call.action {
        case "list": try call.show(.get, ["tokens"], query: selection)
        case "clean": try call.show(.post, ["tokens", "clean"])
        default:
            guard call.names.isEmpty == isSelected else { throw usageError() }
            let request = AdminRequest.command(.delete, ["tokens"] + call.names, query: isSelected ? selection : [])
            let removed = try call.target.perform(request)?["removed"]?.integer
            let records = removed.map { "records removed from the store: \($0)" }
            // The deny list refuses tokens without a record, so the number alone would say nothing. It has no applications.
            let isDenied = call.arguments["--application"] == nil
            Terminal.print(
                isDenied
                    ? "\(revokedTokens(call)) revoked: refused from now on" + (records.map { "; \($0)" } ?? "")
                    : "\(records ?? "nothing to remove"), those of \(owner(call))")
        }
    }

    /// What a revocation covers, as the subject of a sentence.
    private static func revokedTokens(_ call: AdminInvocation) -> String {
        guard call.names.isEmpty else { return "the token \"\(call.first)\" is" }
        let end = call.arguments["--issued-before"].flatMap { Int64($0) }.map {
            "at \(InternetDate.text($0)) or earlier"
        }
        return "all tokens of \(owner(call)) that were issued \(end ?? "until now") are"
    }

    private static func owner(_ call: AdminInvocation) -> String {
        let arguments = call.arguments
        var owner = arguments["--subject"].map { "the user \"\($0)\"" }
        let names = [("client", "--client"), ("application", "--application"), ("issuer", "--issuer")]
        for (kind, option) in names {
            // The deny list has entries for whole users: it refuses their tokens at other clients as well.
            guard let name = arguments[option], kind != "client" || owner == nil else { continue }
            owner = (owner.map { "\($0) at " } ?? "") + "the \(kind) \"\(name)\""
        }
        return owner ?? ""
    }
}
