#if Client
    import Bytes
    import Crypto
    import HTTP
    import ClientStore
    import PortcullisClient
    import Reactor

    /// Actions that receive a request of the user's browser.
    extension ClientCommand {
        /// `client sso login`: prints the address of the login, and stores the token that the gateway posts (SSO-11).
        static func signOn(_ arguments: Arguments, _ place: ClientFiles) throws(ExitStatus) {
            guard arguments.positional[0] == "login" else { throw usageError() }
            let client = try place.client()
            guard let clientID = arguments["--client-id"] ?? client.profile.clientID else {
                throw .failure("--client-id is not given, and the profile has no clientId")
            }
            var posted: PostedToken?
            try capture(arguments) { address in
                let signOn = BrowserSignOn(
                    profile: client.profile, clientID: clientID, redirectURI: "http://\(address)/",
                    state: SecureRandom.text(32))
                Terminal.print(signOn.url)
                return { submission in
                    guard submission.isForm, let token = signOn.token(in: submission.text) else { return false }
                    posted = token
                    return true
                }
            }
            guard let posted else { throw .failed }
            let context = try ExitStatus.client(client.keepSSOToken(posted))
            print(context)
        }

        /// `client login --browser`: prints the address of the login at the identity provider, and exchanges the code that the
        /// browser brings (RP-02).
        static func logInByBrowser(_ arguments: Arguments, _ place: ClientFiles) throws(ExitStatus) {
            let client = try place.client()
            // Before the browser is sent away: the command would wait for it in vain.
            let application = try ExitStatus.waiting { () async throws(ClientError) in
                try await client.setup(asksServer: true)
            }
            let provider = arguments["--provider"]
            try check(provider, in: application)
            let signOn = try ExitStatus.client(ProviderSignOn(profile: client.profile, provider: provider))
            var answer: [UInt8]?
            try capture(arguments) { address in
                Terminal.print(signOn.url(redirectURI: "http://\(address)/"))
                return { submission in
                    guard !submission.isForm, signOn.isAnswer(submission.text) else { return false }
                    answer = submission.text
                    return true
                }
            }
            guard let answer else { throw .failed }
            let context = try ExitStatus.waiting { () async throws(ClientError) in
                try await signOn.authenticate(client, query: answer)
            }
            print(context)
        }

        /// - Parameter provider: nil for any.
        private static func check(_ provider: String?, in application: ApplicationProfile) throws(ExitStatus) {
            guard let known = application.identityProviders else { return }
            let domain = "the service domain \"\(application.serviceDomain)\""
            guard !known.isEmpty else {
                throw .failure(
                    "\(domain) has no identity provider; log in with user name and password, without --browser")
            }
            guard let provider, !known.contains(where: provider.isExactly) else { return }
            throw .failure(
                "\(domain) has no identity provider \"\(provider)\"; it has \(known.joined(separator: ", "))")
        }

        /// `client capture`: prints a field of the first request that has it (TOOL-03).
        static func capture(_ arguments: Arguments) throws(ExitStatus) {
            let name = arguments["--field"] ?? "token"
            var found: String?
            try capture(arguments) { address in
                Terminal.printError("http://\(address)/")
                return { submission in
                    guard let fields = try? FormFields.parse(submission.text.span), !fields.isRepeated(name),
                        let value = fields.first(name), !value.isEmpty
                    else { return false }
                    found = value
                    return true
                }
            }
            guard let found else { throw .failed }
            Terminal.print(found)
        }

        /// - Parameter begin: receives the address of the listener; returns whether a submission is the expected one.
        private static func capture(
            _ arguments: Arguments, _ begin: (_ address: String) -> (CaptureServer.Submission) -> Bool
        ) throws(ExitStatus) {
            let wait = arguments["--wait"].map { Decimal.parse(Array($0.utf8).span) } ?? 300
            guard let wait, (1...86_400).contains(wait) else {
                throw .misuse("--wait is not a number of seconds from 1 to 86400: \(arguments["--wait"] ?? "")")
            }
            let address = try arguments.listening("127.0.0.1:0")
            guard address.isLoopback else {
                throw .misuse("--listen must be 127.0.0.1 or [::1]: \(address.description)")
            }
            let isCaptured: Bool
            do throws(KernelError) {
                try BoundListener.checkFree(address)
                let listener = try BoundListener(address)
                let accept = begin(listener.address.description)
                isCaptured = try CaptureServer(listener, accept: accept).run(seconds: Int64(wait))
            } catch {
                throw .failure("\(address.description): \(error.text)")
            }
            guard isCaptured else { throw .failure("no such request within \(wait) s") }
        }
    }
#endif
