import Configuration
import Declaration
import Model
import Reactor

/// `portcullis init`: a commented configuration directory to begin with.
enum InitCommand: Command {
    static let name = "init"
    static let summary = "write a configuration directory to begin with"
    /// What the program offers beside the kinds of every gateway.
    private static let family = CompatibilityFamilies.draft
    private static let kinds = "--oidc, --users, --mcp" + (family.map { ", --login and \($0.flag)" } ?? " and --login")
    static let help = """
        usage: portcullis init DIR --oidc ISSUER --audience NAME [--upstream URL] [--listen ADDRESS:PORT]
               portcullis init DIR --users [--upstream URL] [--listen ADDRESS:PORT]
               portcullis init DIR --mcp [--oidc ISSUER [--audience NAME]] [--upstream URL] [--listen ADDRESS:PORT]
               portcullis init DIR --login ISSUER --client-id ID [--upstream URL] [--listen ADDRESS:PORT]
        \(family.map { "       portcullis init DIR \($0.flag) [--upstream URL] [--listen ADDRESS:PORT]\n" } ?? "")\
               portcullis init DIR
               portcullis init --forward-auth nginx|caddy|traefik|envoy [--config DIR]

        Each form with DIR also takes --base-url and --owner.

        Writes DIR/gateway.jsonc, with a comment on each setting, and files with secrets, into a new or empty directory.
        Without a kind it asks for kind, issuer, audience or client id, and upstream on a terminal.

        --oidc    JWTs of an OpenID Connect provider, such as Keycloak, Auth0 or Entra ID, whose `aud` has --audience
        --users   users of the gateway's own, with name and password (Basic) or with tokens of the token endpoint
        --mcp     an MCP server at /mcp, whose clients register themselves and log their user in at the gateway, or with
                  --oidc get their tokens from that provider, whose `aud` is the URL of the server or --audience
        --login   browsers that log in at an OpenID Connect provider; the client secret is read from standard input
                  (one line, without echo on a terminal)
        \(family.map { "\($0.flag)  \($0.help)\n" } ?? "")
        --audience      a value that `aud` of the tokens has
        --client-id     the client that the provider knows the gateway as
        --upstream      the API behind the gateway (default: http://127.0.0.1:9000, where `portcullis echo` listens);
                        `localhost:9000` means http, and a name without a port https
        --listen        where the gateway listens (default: 127.0.0.1:8080)
        --base-url URL  where clients reach the gateway, such as https://api.example.com (default: by --listen, and required
                        where that is all addresses)
        --owner USER    the user that the gateway runs as, who gets the files (default: for root the user "portcullis" of the
                        systemd unit, where there is one, otherwise the caller)

        Passwords that it makes are printed once.

        --forward-auth  print a configuration for another proxy, which asks the gateway about each request: with all
                        endpoints of the gateway, and the fields that clients may not send; its addresses and ports are
                        examples
        --config        the configuration whose endpoints and fields these are (default: all but those of vendors)
        """

    static func run(_ arguments: [String]) throws(ExitStatus) {
        let arguments = try Arguments(arguments, of: self)
        if let proxy = arguments["--forward-auth"] { return try print(proxy, arguments) }
        let directory = try arguments.directory(of: self)
        let address = try arguments.listening("127.0.0.1:8080")
        guard address.port > 0 else { throw .misuse("--listen has no port: \(address)") }
        let owner = try NewDirectory.Owner(arguments["--owner"])
        let named = try kind(arguments)
        let kind = if let named { named } else { try ask() }
        let upstream = try upstream(kind.upstream ?? arguments["--upstream"] ?? "http://127.0.0.1:9000")
        if arguments.has("--mcp"), let url = try? WebURL(upstream), url.target != "/" {
            throw .misuse(
                "--upstream is the server without its path, as in \(url.origin): the route is \(InitDraft.messagePath)")
        }
        let base = try baseURL(arguments["--base-url"], address, asks: named == nil)
        let draft = try InitDraft(kind.kind, upstream: upstream, listener: address, baseURL: base)
        try check(draft)
        try write(draft, to: directory, owner)
        Terminal.print(
            (["\(directory)/\(InitDraft.fileName) is written.", ""] + draft.steps(directory)).joined(separator: "\n"))
    }

    /// Prints the configuration of another proxy.
    private static func print(_ proxy: String, _ arguments: Arguments) throws(ExitStatus) {
        guard let kind = ProxyDraft.Kind(rawValue: proxy) else {
            let kinds = ProxyDraft.Kind.allCases.map(\.rawValue)
            let near = Suggestion.nearest(to: proxy, among: kinds).map { "; did you mean \($0)?" } ?? ""
            throw .misuse("--forward-auth is one of \(kinds.joined(separator: ", ")), not \(proxy)\(near)")
        }
        guard arguments.positional.isEmpty else {
            throw .misuse("--forward-auth writes no directory; --config DIR names the configuration of the gateway")
        }
        guard let directory = arguments["--config"] else { return Terminal.print(ProxyDraft().text(kind)) }
        let examination = Assembly.examine(directory)
        for error in examination.errors { Terminal.printError(error.description) }
        guard examination.errors.isEmpty, let configuration = examination.loaded.configuration else { throw .failed }
        Terminal.print(ProxyDraft(configuration).text(kind))
    }

    // MARK: Arguments

    private static func kind(
        _ arguments: Arguments
    ) throws(ExitStatus) -> (kind: InitDraft.Kind, upstream: String?)? {
        var kinds: [InitDraft.Kind] = []
        if arguments.has("--mcp") {
            let issuer: String? = if let text = arguments["--oidc"] { try issuer(text, "--oidc") } else { nil }
            kinds.append(.messages(issuer: issuer, audience: arguments["--audience"]))
        } else if let issuer = arguments["--oidc"] {
            guard let audience = arguments["--audience"] else {
                throw .misuse("--oidc needs --audience: a value that `aud` of the tokens for your API has")
            }
            kinds.append(.tokens(issuer: try self.issuer(issuer, "--oidc"), audience: audience))
        }
        if arguments.has("--users") { kinds.append(.users) }
        if let issuer = arguments["--login"] {
            guard let client = arguments["--client-id"] else {
                throw .misuse("--login needs --client-id: the client that the provider knows the gateway as")
            }
            let provider = try self.issuer(issuer, "--login")
            kinds.append(.login(issuer: provider, client: client, secret: try PasswordPrompt.read("client secret")))
        }
        if let family, arguments.has(family.flag) { kinds.append(.family(family)) }
        if kinds.count > 1 { throw .misuse("\(InitCommand.kinds) exclude each other") }
        for (option, owner) in [("--audience", "--oidc"), ("--client-id", "--login")]
        where arguments[option] != nil && arguments[owner] == nil {
            throw .misuse("\(option) goes with \(owner)")
        }
        return kinds.first.map { ($0, nil) }
    }

    /// The questions of a terminal.
    private static func ask() throws(ExitStatus) -> (kind: InitDraft.Kind, upstream: String?) {
        guard TerminalInput.isTerminal else {
            throw .misuse("one of \(kinds) is needed; `portcullis init --help` tells more")
        }
        let word = answer(
            "Who calls? 1 JWTs of an OpenID Connect provider, 2 own users, 3 browsers that log in at a provider"
                + (family.map { ", 4 \($0.callers)" } ?? "") + " [1]",
            "1")
        let kind: InitDraft.Kind
        switch word {
        case "1":
            let issuer = try self.issuer(answer("Issuer, as `iss` of its tokens says:"), "the issuer")
            kind = .tokens(issuer: issuer, audience: answer("Audience, as `aud` of the tokens says:"))
        case "2": kind = .users
        case "3":
            let issuer = try self.issuer(answer("Issuer of the provider:"), "the issuer")
            let client = answer("Client id of the gateway there:")
            kind = .login(issuer: issuer, client: client, secret: try PasswordPrompt.read("client secret"))
        default:
            guard word == "4", let family else { throw .misuse("there is no choice \(word)") }
            kind = .family(family)
        }
        return (kind, answer("URL of your API [http://127.0.0.1:9000]", "http://127.0.0.1:9000"))
    }

    private static func answer(_ question: String, _ standard: String = "") -> String {
        Terminal.printError(question)
        let line = readLine(strippingNewline: true) ?? ""
        return line.isEmpty ? standard : line
    }

    private static func issuer(_ text: String, _ what: String) throws(ExitStatus) -> String {
        let url = try url(text, what)
        guard let issuer = OpenIDSettings.issuer(ofDocumentAt: url) else { return url }
        throw .misuse("\(what) is the address of a discovery document: \(text); did you mean \(issuer)?")
    }

    private static func url(_ text: String, _ what: String) throws(ExitStatus) -> String {
        let url = text.contains("://") ? text : "https://\(text)"
        guard (try? WebURL(url)) != nil else {
            throw .misuse(
                "\(what) is not an http or https URL without user name and password: \(UserInformation.quoted(text))")
        }
        return url
    }

    /// An upstream without a scheme is reached by `http` where it is this machine or has a port of its own.
    private static func upstream(_ text: String) throws(ExitStatus) -> String {
        guard !text.contains("://"), let origin = (try? WebURL("http://\(text)"))?.origin else {
            return try url(text, "--upstream")
        }
        let hasPort = text.prefix { $0 != "/" }.contains(":")
        let isPlain = origin.port != 443 && (hasPort || origin.isLocal)
        return try url("\(isPlain ? "http" : "https")://\(text)", "--upstream")
    }

    /// Where clients reach a gateway; nil for the address that it listens on.
    /// - Parameter asks: whether the user answers questions.
    private static func baseURL(
        _ text: String?, _ address: SocketAddress, asks: Bool
    ) throws(ExitStatus) -> String? {
        if let text { return try url(text, "--base-url") }
        guard IPAddress(address.host)?.isUnspecified == true else { return nil }
        guard asks else {
            throw .misuse(
                "--listen \(address.host.contains(":") ? "[\(address.host)]" : address.host):\(address.port) is all addresses; --base-url says where clients reach it, such as https://api.example.com"
            )
        }
        return try url(answer("URL by which clients reach the gateway:"), "the URL")
    }

    /// Finds mistakes before anything is written.
    private static func check(_ draft: InitDraft) throws(ExitStatus) {
        let empty = try ExitStatus.system(
            "no temporary directory can be made", try FileSystem.makeTemporaryDirectory("portcullis-init"))
        defer { try? FileSystem.removeDirectory(empty) }
        let text = ConfigurationDraft(file: InitDraft.fileName, text: Array(draft.textWithoutSecrets.utf8))
        let errors = Assembly.examine(empty, draft: text).errors
        for error in errors { Terminal.printError(error.description) }
        if !errors.isEmpty { throw .misuse("the arguments make no valid configuration; nothing was written") }
    }

    private static func write(
        _ draft: InitDraft, to directory: String, _ owner: NewDirectory.Owner
    ) throws(ExitStatus) {
        // The file that makes it a configuration is the last one.
        let secrets = draft.secrets.map { NewDirectory.File(name: $0.name, text: $0.text, isSecret: true) }
        let file = NewDirectory.File(name: InitDraft.fileName, text: draft.text, isSecret: draft.hasPasswords)
        try NewDirectory.write(secrets + [file], to: directory, owner)
    }
}
