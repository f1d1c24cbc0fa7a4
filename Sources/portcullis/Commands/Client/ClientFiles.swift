#if Client
    import ClientStore
    import PortcullisClient
    import Reactor

    /// The files of `portcullis client`: profile, token store and agent socket.
    struct ClientFiles {
        static let variable = "PORTCULLIS_CLIENT_HOME"

        static let help = """
            WHERE:
            --home DIR      directory of the profile client.json and the encrypted store (default: the variable
                            \(variable), else ~/.portcullis)
            --profile NAME  a named profile of client.json, with tokens of its own: {"profiles": {"NAME": {...}}}
            --profile FILE  another profile file; its name contains a dot or a slash
            --socket FILE   socket of the agent, in a directory that only its user can access (default: agent/socket in the
                            default directory)
            """

        let directory: String
        private let profileFile: String
        /// Name of a profile in the file; nil for the default profile.
        private let profileName: String?
        let agentSocket: String

        init(_ arguments: Arguments) {
            directory = ClientFiles.directory(arguments["--home"])
            // Applications with different directories share one agent.
            agentSocket = arguments["--socket"] ?? "\(ClientFiles.directory(nil))/agent/socket"
            let profile = arguments["--profile"]
            let isName = profile.map(ClientProfiles.isName) ?? false
            profileName = isName && profile != ClientProfiles.usual ? profile : nil
            profileFile = isName ? "\(directory)/client.json" : profile ?? "\(directory)/client.json"
        }

        /// The directory of an option, or else the usual one.
        static func directory(_ home: String?) -> String {
            let environment = Environment.values
            return home ?? environment[variable] ?? "\(environment["HOME"] ?? SystemUser.home ?? ".")/.portcullis"
        }

        /// A named profile has a store of its own, since its tokens are those of another backend.
        var store: CredentialStore {
            CredentialStore(directory: profileName.map { "\(directory)/profiles/\($0)" } ?? directory)
        }

        func profile() throws(ExitStatus) -> ClientProfile {
            try ExitStatus.client(ClientProfile(file: profileFile, named: profileName))
        }

        /// The profile, if its file exists and is valid.
        var knownProfile: ClientProfile? {
            guard FileSystem.exists(profileFile) else { return nil }
            return try? ClientProfile(file: profileFile, named: profileName)
        }

        func client() throws(ExitStatus) -> GatewayClient {
            try ExitStatus.client(load())
        }

        /// - Parameter viaAgent: whether to use the agent's login instead of the stored one.
        func load(viaAgent: Bool = false) throws(ClientError) -> GatewayClient {
            try GatewayClient(
                profile: ClientProfile(file: profileFile, named: profileName), store: store,
                prompts: ClientFiles.prompts,
                agent: viaAgent ? AgentSocket(path: agentSocket) : nil)
        }

        /// Writes the profile, readable by its owner only: it may contain a client secret.
        func write(_ profile: ClientProfile) throws(ExitStatus) {
            let text = try ExitStatus.client(
                ClientProfiles.text(putting: profile, named: profileName, into: profileFile))
            let directory = FilePath.directory(of: profileFile)
            try ExitStatus.system(
                "the directory of \(profileFile) cannot be created",
                try FileSystem.makeDirectory(directory, mode: 0o700))
            try ExitStatus.system(
                "\(profileFile) cannot be written", try AtomicFile.replace(profileFile, with: text))
        }

        /// Asks for credentials and answers on the terminal (OMS-18).
        private static var prompts: ClientPrompts {
            ClientPrompts(
                credentials: {
                    guard TerminalInput.isTerminal else { return nil }
                    Terminal.printError("a login is needed; user:")
                    guard let user = readLine(strippingNewline: true), let password = PasswordPrompt.line("password:")
                    else {
                        return nil
                    }
                    return ClientPrompts.Credentials(user: user, password: password)
                },
                answer: { question in PasswordPrompt.line(question.text ?? "\(question.type):") })
        }
    }
#endif
