#if Client
    import Bytes
    import ClientStore
    import PortcullisClient
    import Reactor

    /// One run of `client request` or `client call`.
    struct ClientCall {
        private let arguments: Arguments
        private let client: GatewayClient

        init(_ arguments: Arguments, _ place: ClientFiles) throws(ExitStatus) {
            self.arguments = arguments
            let viaAgent = arguments.has("--via-agent")
            // The agent's login replaces all other credentials.
            if viaAgent, arguments["--token"] != nil || arguments.has("--no-auth") { throw ClientCommand.usageError() }
            client = try ExitStatus.client(place.load(viaAgent: viaAgent))
        }

        func run(_ action: String) throws(ExitStatus) {
            let target = arguments.positional[0]
            if action == "call", !target.hasPrefix("/") { throw ClientCommand.usageError() }
            if !arguments.has("--via-agent") { try logIn(action) }
            var request = ClientRequest(
                arguments["-X"] ?? (arguments["--data"] == nil ? "GET" : "POST"), client.profile.url(target),
                body: Array((arguments["--data"] ?? "").utf8), usesSession: !arguments.has("--no-auth"))
            if !request.body.isEmpty {
                request.fields.append(.init("Content-Type", arguments["--type"] ?? "application/json"))
            }
            let (client, asJSON, prepared) = (client, arguments.has("--json"), request)
            let response = try ExitStatus.waiting { () async throws(ClientError) in
                try await client.execute(prepared, convertToJSON: asJSON)
            }
            show(response, asJSON: asJSON)
            guard response.status < 400 else { throw .failed }
        }

        /// Loads the stored token, or exchanges the one of `--token` (OMH-04).
        private func logIn(_ action: String) throws(ExitStatus) {
            if client.loadSSOTokenExchange() || client.authenticationContext != nil { return }
            if let token = arguments["--token"] {
                let (client, text) = (client, try ClientCommand.read(token))
                if client.profile.identityProvider == "facebook" {
                    _ = try ExitStatus.client(client.configure(facebookToken: text))
                    return
                }
                _ = try ExitStatus.waiting { () async throws(ClientError) in
                    try await client.authenticateSSOTokenExchange(text, storeAccessToken: false)
                }
                return
            }
            // A request may be sent without a login, but an unusable stored login is reported.
            guard let problem = client.loadProblem, problem.code != .notLoggedIn, !arguments.has("--no-auth") else {
                return
            }
            Terminal.printError("portcullis: \(problem.description)")
            if action == "call" { throw .failed }
        }

        private func show(_ response: ClientResponse, asJSON: Bool) {
            let body = asJSON ? (try? JSONLayout.indented(response.body, by: 2)) ?? response.body : response.body
            StandardStream.output.write(body)
            if !body.isEmpty, body.last != ASCII.lineFeed { Terminal.print("") }
            if !response.isSuccess {
                let reason = response.reason.isEmpty ? "" : " \(response.reason)"
                Terminal.printError("portcullis: status \(response.status)\(reason)")
            }
            if let problem = response.problem { Terminal.printError("portcullis: \(problem.description)") }
        }
    }
#endif
