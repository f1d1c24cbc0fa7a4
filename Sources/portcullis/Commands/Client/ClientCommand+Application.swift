import PortcullisClient

/// `client aom`: session tokens of an ApiOmat application (AOM-25).
extension ClientCommand {
    static func application(_ arguments: Arguments, _ place: ClientPlace) throws(ExitStatus) {
        let client = try place.client()
        switch arguments.positional[0] {
        case "login":
            guard let user = arguments["--user"] ?? ask("user:"), let password = NewPassword.line("password:") else {
                Terminal.complain("portcullis: no user name or no password on standard input")
                throw .failed
            }
            let wish = SessionTokenWish(scope: arguments["--scope"], extra: arguments["--extra"])
            try ExitStatus.waiting { () async throws(ClientError) in
                _ = try await client.requestSessionToken(user: user, password: password, wish)
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
        default: throw usage()
        }
        if let context = client.authenticationContext { print(context) } else { Terminal.print("none") }
    }
}
