#if Client
    import ClientStore
    import PortcullisClient

    /// `client aom`: session tokens of an ApiOmat application (AOM-25).
    extension ClientCommand {
        static func application(_ arguments: Arguments, _ place: ClientFiles) throws(ExitStatus) {
            let client = try place.client()
            switch arguments.positional[0] {
            case "login":
                let (user, password) = try credentials(arguments)
                let options = SessionTokenOptions(scope: arguments["--scope"], extra: arguments["--extra"])
                try ExitStatus.waiting { () async throws(ClientError) in
                    _ = try await client.requestSessionToken(user: user, password: password, options)
                }
            case "refresh":
                try ExitStatus.waiting { () async throws(ClientError) in
                    _ = try await client.requestSessionToken(refreshToken: nil)
                }
            case "revoke", "revokeall":
                let everything = arguments.positional[0] == "revokeall"
                try ExitStatus.waiting { () async throws(ClientError) in
                    try await client.revokeSessionToken(everything: everything)
                }
            case let word: throw unknownAction(word, among: ["login", "refresh", "revoke", "revokeall"])
            }
            if let context = client.authenticationContext { print(context) } else { Terminal.print("none") }
        }
    }
#endif
