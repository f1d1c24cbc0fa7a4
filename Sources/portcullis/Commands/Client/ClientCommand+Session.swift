#if Client
    import Bytes
    import ClientStore
    import PortcullisClient

    extension ClientCommand {
        static func setUp(_ place: ClientFiles) throws(ExitStatus) {
            let client = try place.client()
            let profile = try ExitStatus.waiting { () async throws(ClientError) in try await client.setup() }
            Terminal.print(String(decoding: profile.json.text, as: UTF8.self))
        }

        static func logIn(_ arguments: Arguments, _ place: ClientFiles) throws(ExitStatus) {
            let ofBrowser = ["--provider", "--listen", "--wait"],
                ofPassword = ["--user", "--method", "--mode", "--level"]
            let isByBrowser = arguments.has("--browser")
            if let other = (isByBrowser ? ofPassword : ofBrowser).first(where: { arguments[$0] != nil }) {
                throw .misuse("\(other) is \(isByBrowser ? "not for" : "for") logins with --browser")
            }
            if isByBrowser { return try logInByBrowser(arguments, place) }
            let method = arguments["--method"].map { LoginMethod(rawValue: $0) }
            let mode = ConnectivityMode(rawValue: arguments["--mode"] ?? "online")
            guard let mode, method.map({ $0 != nil && $0 != .exchange && $0 != .facebook }) ?? true else {
                throw usageError()
            }
            let level = arguments["--level"].flatMap { Decimal.parse(Array($0.utf8).span) }
            guard level != nil || arguments["--level"] == nil else { throw usageError() }
            let client = try place.client()
            let (user, password) = try credentials(arguments)
            let context = try ExitStatus.waiting { () async throws(ClientError) in
                try await client.authenticate(
                    user: user, password: password, method: method ?? nil, mode: mode, level: level)
            }
            print(context)
        }

        static func logOut(_ place: ClientFiles) throws(ExitStatus) {
            let client = try place.client()
            // Logs out an exchanged token as well.
            _ = client.loadSSOTokenExchange()
            try ExitStatus.waiting { () async throws(ClientError) in try await client.logout() }
        }

        static func exchange(_ arguments: Arguments, _ place: ClientFiles) throws(ExitStatus) {
            guard let token = arguments["--token"] else { throw usageError() }
            let client = try place.client()
            let (text, stores) = (try read(token), arguments.has("--store"))
            let context = try ExitStatus.waiting { () async throws(ClientError) in
                try await client.authenticateSSOTokenExchange(text, storeAccessToken: stores)
            }
            print(context)
        }

        static func token(_ arguments: Arguments, _ place: ClientFiles) throws(ExitStatus) {
            let client = try place.client()
            _ = client.loadSSOTokenExchange()
            switch arguments.positional[0] {
            case "show":
                guard let context = client.authenticationContext else {
                    throw .failure("no login is stored; `portcullis client login` stores one")
                }
                if arguments.has("--value") {
                    guard let token = client.accessToken else { throw .failure("the stored login has no token") }
                    Terminal.print(token)
                } else {
                    print(context)
                    for webgate in client.webgates {
                        Terminal.print("\(webgate.name) level \(webgate.level) at \(webgate.origin)")
                    }
                }
            case "clear":
                try ExitStatus.client(client.clearSSOTokenExchange())
            case let word: throw unknownAction(word, among: ["show", "clear"])
            }
        }

        /// User name and password of `--user` and standard input.
        static func credentials(_ arguments: Arguments) throws(ExitStatus) -> (user: String, password: String) {
            guard let user = arguments["--user"] ?? ask("user:"), let password = PasswordPrompt.line("password:") else {
                throw .failure("no user name or no password on standard input")
            }
            return (user, password)
        }

        /// The token of an argument; `-` reads it from standard input.
        static func read(_ argument: String) throws(ExitStatus) -> String {
            guard argument == "-" else { return argument }
            guard let line = readLine(strippingNewline: true), !line.isEmpty else {
                throw .failure("no token on standard input")
            }
            return line
        }

        private static func ask(_ prompt: String) -> String? {
            Terminal.printError(prompt)
            return readLine(strippingNewline: true)
        }

        static func print(_ context: AuthenticationContext) {
            var text = "\(context.user ?? "unknown user") by \(context.method.rawValue)"
            if let level = context.level { text += ", level \(level)" }
            if let end = context.expiresAt {
                text += ", until \(InternetDate.text(end))"
            }
            if context.isOffline { text += ", without the server" }
            Terminal.print(text)
        }
    }
#endif
