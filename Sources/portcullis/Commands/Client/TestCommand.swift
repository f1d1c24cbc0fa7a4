#if Client
    import Bytes
    import ClientStore
    import HTTP
    import Model
    import Policy
    import PortcullisClient
    import Reactor

    /// `portcullis test`: sends one request to try out an API (TOOL-01).
    enum TestCommand: Command {
        static let name = "test"
        static let summary = "send one request to an API and print the decision"
        static let help = """
            usage: portcullis test METHOD PATH --auth sso|oauth|basic|anonymous|facebook [--token TOKEN] [--exchange]
                                   [--user NAME] [--config DIR | --admin URL [--admin-token-file FILE]] WHERE

            --auth      credential of the caller:
                          sso        TOKEN; a token of another issuer is exchanged first
                          oauth      TOKEN, or a token for the user's password
                          basic      user name and password
                          anonymous  the anonymous key of the backend
                          facebook   TOKEN of Facebook
            --token     the token; `-` reads it from standard input
            --exchange  always exchange TOKEN
            --user      user name; the password is read from standard input
            --config    configuration of the gateway: used to name missing roles, which the gateway does not disclose to callers
            --admin     the same by the gateway's admin listener
            --admin-token-file  file with its token

            Prints `exchanged` after an exchange, the status, challenges, and the decision with its reason. Stores nothing.

            exit status: 0 the status is below 400, 1 otherwise

            \(ClientFiles.help)
            """

        private enum Authentication: String {
            case sso, oauth, basic, anonymous, facebook
        }

        static func run(_ words: [String]) throws(ExitStatus) {
            let arguments = try Arguments(words, of: self)
            guard arguments.positional.count == 2, arguments.positional[1].hasPrefix("/") else {
                throw usageError()
            }
            guard let authentication = Authentication(rawValue: arguments["--auth"] ?? "") else {
                throw .misuse("--auth must be sso, oauth, basic, anonymous or facebook")
            }
            // Before anything is sent, since the options may be wrong.
            let target =
                try ["--config", "--admin", "--admin-token-file"].contains { arguments[$0] != nil }
                ? AdminTarget(arguments) : nil
            let profile = try ClientFiles(arguments).profile()
            // A test must not change the stored login.
            let directory = try ExitStatus.system(
                "a directory for temporary files cannot be made",
                try FileSystem.makeTemporaryDirectory("portcullis-test"))
            defer { try? FileSystem.removeDirectory(directory) }
            let client = try ExitStatus.client(
                GatewayClient(profile: profile, store: CredentialStore(directory: directory)))
            var request = ClientRequest(
                arguments.positional[0].uppercased(), profile.url(arguments.positional[1]), usesSession: false)
            request.fields = try credentials(authentication, arguments, client, &request)
            let prepared = request
            let response = try ExitStatus.waiting { () async throws(ClientError) in try await client.execute(prepared) }
            guard let code = show(response) else {
                if response.status >= 400 { throw .failed }
                return
            }
            if code == "role_required" { try explain(prepared, client, arguments["--user"], target) }
            throw .failed
        }

        // MARK: Credentials

        private static func credentials(
            _ authentication: Authentication, _ arguments: Arguments, _ client: GatewayClient,
            _ request: inout ClientRequest
        ) throws(ExitStatus) -> [ClientRequest.Field] {
            let backend =
                client.profile.mobileBackendID.map { [ClientRequest.Field("Oracle-Mobile-Backend-ID", $0)] } ?? []
            switch authentication {
            case .sso: return [bearer(try token(arguments, client) { !isOwn($0) })] + backend
            case .oauth where arguments["--token"] != nil:
                return [bearer(try token(arguments, client) { _ in false })] + backend
            case .oauth:
                let (user, password) = try login(arguments)
                request.usesSession = true
                _ = try ExitStatus.waiting { () async throws(ClientError) in
                    try await client.authenticate(user: user, password: password, method: .oauth)
                }
                return []
            case .basic:
                let (user, password) = try login(arguments)
                return [basic(Base64.encode(Array("\(user):\(password)".utf8).span, .standard))] + backend
            case .anonymous:
                guard let key = client.profile.anonymousKey else { throw lacking("anonymousKey") }
                return [basic(Array(key.utf8))] + backend
            case .facebook:
                guard let key = client.profile.anonymousKey else { throw lacking("anonymousKey") }
                return [
                    basic(Array(key.utf8)), .init("Oracle-Mobile-Social-Identity-Provider", "facebook"),
                    .init("Oracle-Mobile-Social-Access-Token", try token(arguments, client) { _ in false }),
                ] + backend
            }
        }

        private static func lacking(_ name: String) -> ExitStatus {
            return .failure("/\(name) is missing in the profile")
        }

        private static func missing(_ option: String, _ arguments: Arguments) -> ExitStatus {
            .misuse("--auth \(arguments["--auth"] ?? "") needs \(option)")
        }

        private static func bearer(_ token: String) -> ClientRequest.Field { .init("Authorization", "Bearer \(token)") }

        private static func basic(_ credential: [UInt8]) -> ClientRequest.Field {
            .init("Authorization", "Basic \(String(decoding: credential, as: UTF8.self))")
        }

        private static func login(_ arguments: Arguments) throws(ExitStatus) -> (user: String, password: String) {
            guard let user = arguments["--user"] else {
                throw missing(arguments["--auth"] == "oauth" ? "--token or --user" : "--user", arguments)
            }
            guard let password = PasswordPrompt.line("password:") else {
                throw .misuse("the password of \(user) is expected on standard input")
            }
            return (user, password)
        }

        private static func token(
            _ arguments: Arguments, _ client: GatewayClient, isExchanged: (String) -> Bool
        ) throws(ExitStatus) -> String {
            guard let argument = arguments["--token"] else { throw missing("--token", arguments) }
            let token = try ClientCommand.read(argument)
            guard arguments.has("--exchange") || isExchanged(token) else { return token }
            _ = try ExitStatus.waiting { () async throws(ClientError) in
                try await client.authenticateSSOTokenExchange(token, storeAccessToken: false)
            }
            guard let own = client.accessToken else { throw .failed }
            Terminal.print("exchanged")
            return own
        }

        /// Whether the token has the type of the gateway's own tokens (RFC 9068 section 2.1).
        private static func isOwn(_ token: String) -> Bool {
            guard let first = token.utf8.split(separator: ASCII.dot).first,
                let header = Base64.decode(Array(first).span, .url),
                let type = (try? JSONNode.parse(header.span))?["typ"]?.string
            else { return false }
            return type.lowercased() == "at+jwt"
        }

        // MARK: Decision

        /// - Returns: the reason code of a denial.
        private static func show(_ response: ClientResponse) -> String? {
            Terminal.print("\(response.status) \(StatusReason.text(response.status))")
            for challenge in response.values("www-authenticate") { Terminal.print("challenge: \(challenge)") }
            let body = try? JSONNode.parse(response.body.span)
            let isRefusal = response.status == 401 || response.status == 403
            guard isRefusal, let code = body?["code"]?.string else {
                Terminal.print(isRefusal ? "decision: denied" : "decision: allowed")
                return nil
            }
            Terminal.print("decision: denied, \(code): \(body?["detail"]?.string ?? "")")
            return code
        }

        /// Prints the missing roles, by the configuration of the gateway.
        private static func explain(
            _ request: ClientRequest, _ client: GatewayClient, _ user: String?, _ target: AdminTarget?
        ) throws(ExitStatus) {
            guard let target else {
                Terminal.print("(--config DIR or --admin URL names the role)")
                return
            }
            let address = try? WebURL(lenient: request.url)
            let requirement = try target.perform(
                .command(
                    .get, ["requirements"],
                    query: [
                        ("method", request.method), ("path", address?.path ?? "/"),
                        ("host", address?.origin.urlHost ?? ""),
                    ]))
            for line in MissingRoles(requirement)?.lines(held: try roles(request, client, user, target)) ?? [] {
                Terminal.print(line)
            }
        }

        /// The roles in the caller's token or account; nil where neither is known.
        private static func roles(
            _ request: ClientRequest, _ client: GatewayClient, _ user: String?, _ target: AdminTarget
        ) throws(ExitStatus) -> [String]? {
            let field = request.fields.first { $0.name == "Authorization" }?.value ?? ""
            let token = field.hasPrefix("Bearer ") ? String(field.dropFirst("Bearer ".count)) : client.accessToken ?? ""
            let parts = token.split(separator: ".", omittingEmptySubsequences: false)
            if parts.count == 3, let claims = Base64.decode(Array(parts[1].utf8).span, .url),
                let roles = (try? JSONNode.parse(claims.span))?["roles"]?.array
            {
                return roles.compactMap(\.string)
            }
            guard let user else { return nil }
            return try target.perform(.command(.get, ["users", user]))?["roles"]?.array?.compactMap(\.string)
        }
    }
#endif
