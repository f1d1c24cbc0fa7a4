#if Client
    import ClientStore
    import PortcullisClient

    /// `portcullis client`: the client library PortcullisClient on the command line.
    enum ClientCommand: Command {
        static let name = "client"
        static let summary = "log in at a gateway as an application does, and send requests"
        static let help = """
            usage: portcullis client configure URL WHERE
                   portcullis client setup WHERE
                   portcullis client login [--user NAME] [--method oauth|basic|oam|aom] [--mode online|offline|auto] [--level N] WHERE
                   portcullis client login --browser [--provider NAME] [--listen 127.0.0.1:PORT] [--wait SECONDS] WHERE
                   portcullis client aom login [--user NAME] [--scope SCOPE] [--extra TEXT] WHERE
                   portcullis client aom refresh|revoke|revokeall WHERE
                   portcullis client exchange --token TOKEN [--store] WHERE
                   portcullis client sso login [--client-id ID] [--listen 127.0.0.1:PORT] [--wait SECONDS] WHERE
                   portcullis client saml pack [--response VALUE|FILE]
                   portcullis client capture [--field NAME] [--listen 127.0.0.1:PORT] [--wait SECONDS]
                   portcullis client request URL [-X METHOD] [--data TEXT] [--type TYPE] [--json] [--no-auth|--via-agent] WHERE
                   portcullis client call PATH [--token TOKEN] [-X METHOD] [--data TEXT] [--type TYPE] [--json]
                                          [--via-agent] WHERE
                   portcullis client agent --app NAME[,NAME] [--for SECONDS] WHERE
                   portcullis client token show [--value]|clear WHERE
                   portcullis client logout WHERE
                   portcullis client cred add|update URL [--user NAME] [--tenant NAME] WHERE
                   portcullis client cred get|delete URL [--tenant NAME] WHERE
                   portcullis client cred set KEY VALUE [--label TEXT] [--description TEXT] WHERE
                   portcullis client cred show KEY WHERE

            configure  writes the profile for a link
                       `scheme://host?oamconfig=true&host=H&port=P&servicedomain=D&SSL=TRUE|FALSE[&appname=A]`. Without `appname`
                       the name of the application stays that of the profile
            setup      prints the application's profile on the gateway
            login      reads the password and answers to further questions from standard input, and stores the login. The
                       default method is oam for a profile with a service domain, oauth for one with a client secret, else basic
                       --browser logs in at an identity provider of the service domain: prints the address to open in a browser,
                       which brings a code to this machine. The application's `redirectUris` must have http://127.0.0.1/ for any
                       port (default: a free one), or with the PORT of --listen. --provider names one of several providers
                       (default: the user chooses). --wait limits the time for the browser (default: 300 s)
            aom        manages session tokens of the ApiOmat application of the profile (/apiomatApp or /appName, /apiKey):
                       `login` reads the password from standard input and stores a token, `refresh` renews it, `revoke` revokes
                       it, and `revokeall` revokes all tokens of its user in the application
            exchange   exchanges a JWT or a packed SAML assertion (`-` reads it from standard input); --store stores the
                       gateway's token
            sso login  prints the address of the login to open in a browser, and stores the token that the gateway posts to this
                       machine afterwards. The redirect whitelist of the gateway must allow http://127.0.0.1:PORT (default: any
                       free port)
            saml pack  prints the assertion of a SAMLResponse, as browsers post it, in the form that `exchange` expects. Reads
                       VALUE, the contents of FILE, or standard input. Sends nothing
            capture    waits for one request of a browser to this machine and prints its field `token`, or the one of --field,
                       from the query or the posted form. --wait is 300 s by default, as in `sso login`
            request    sends a request, answers challenges of webgates with tokens of their own, which are stored, and prints the
                       body. The status of a failure is printed to standard error
            call       sends a request to a path of the gateway, with the stored token or the exchanged TOKEN. With the
                       /identityProvider facebook of the profile, TOKEN is sent as Facebook's token with the anonymous key
            agent      logs in for other applications of its circle of trust: their requests with --via-agent need no password.
                       Serves programs of the same user, for the applications of --app, for at most --for seconds
                       (default: 28800, which is 8 hours). Needs a `login`, before or meanwhile
            token      prints the stored login without its tokens
            logout     ends the login at the gateway and deletes it
            cred       stores user names and passwords by URL, and other values by key; passwords are read from standard input

            --level      requested authentication level of oam; further questions may follow the password
            --no-auth    use no login and answer no challenges
            --via-agent  answer challenges with tokens of the agent; store nothing
            --json       require a JSON body and print it indented

            exit status of request and call: 0 the status is below 400, 1 otherwise

            `portcullis clients` creates and revokes the OAuth clients that a gateway knows.

            \(ClientFiles.help)

            examples: portcullis client login --user joe --profile fb
                      portcullis client login --browser --provider staff
            """

        static let actions = Set(shapes.keys)
        static let namesake: (any Command.Type)? = ClientsCommand.self

        private static let shapes: [String: AdminInvocation.Shape] = [
            "configure": .init(1...1), "setup": .init(0...0), "logout": .init(0...0),
            "login": .init(
                0...0, options: ["--user", "--method", "--mode", "--level", "--provider", "--listen", "--wait"],
                flags: ["--browser"]),
            "aom": .init(1...1, options: ["--user", "--scope", "--extra"]),
            "exchange": .init(0...0, options: ["--token"], flags: ["--store"]),
            "sso": .init(1...1, options: ["--client-id", "--listen", "--wait"]),
            "saml": .init(1...1, options: ["--response"]),
            "capture": .init(0...0, options: ["--field", "--listen", "--wait"]),
            "request": .init(
                1...1, options: ["-X", "--data", "--type"], flags: ["--json", "--no-auth", "--via-agent"]),
            "call": .init(1...1, options: ["-X", "--data", "--type", "--token"], flags: ["--json", "--via-agent"]),
            "agent": .init(0...0, options: ["--app", "--for"]), "token": .init(1...1, flags: ["--value"]),
            "cred": .init(2...3, options: ["--user", "--tenant", "--label", "--description"]),
        ]

        static func run(_ words: [String]) throws(ExitStatus) {
            guard let action = words.first else { throw usageError() }
            guard let shape = shapes[action] else {
                throw unknownAction(action, among: actions)
            }
            let arguments = try Arguments(
                words.dropFirst(), options: shape.options.union(ClientFiles.options), flags: shape.flags)
            guard shape.names.contains(arguments.positional.count) else { throw usageError() }
            let place = ClientFiles(arguments)
            switch action {
            case "configure": try configure(arguments.positional[0], place)
            case "setup": try setUp(place)
            case "login": try logIn(arguments, place)
            case "logout": try logOut(place)
            case "aom": try application(arguments, place)
            case "exchange": try exchange(arguments, place)
            case "sso": try signOn(arguments, place)
            case "saml": try packSAML(arguments)
            case "capture": try capture(arguments)
            case "request", "call": try ClientCall(arguments, place).run(action)
            case "agent":
                try ClientAgent(arguments, place).run()
            case "token": try token(arguments, place)
            default: try credentials(arguments, place)
            }
        }

        private static func configure(_ url: String, _ place: ClientFiles) throws(ExitStatus) {
            let known = place.knownProfile
            let profile = try ExitStatus.client(ClientProfile(configuring: url, previous: known))
            try place.write(profile)
            Terminal.print("\(profile.baseURL)\(profile.serviceDomain.map { "  \($0)" } ?? "")")
            if profile.serviceDomain != nil, profile.appName == nil {
                Terminal.printError(
                    "portcullis: the profile has no /appName, which logins at the service domain need; add &appname=NAME to the link"
                )
            }
        }

        private static func credentials(_ arguments: Arguments, _ place: ClientFiles) throws(ExitStatus) {
            let entries = StoredEntries(store: place.store)
            let words = arguments.positional
            let tenant = arguments["--tenant"]
            switch (words[0], words.count) {
            case ("add", 2), ("update", 2):
                try entries.put(
                    words[1], user: arguments["--user"], tenant: tenant, password: try PasswordPrompt.read())
            case ("get", 2): try entries.get(words[1], tenant: tenant)
            case ("delete", 2): try entries.delete(words[1], tenant: tenant)
            case ("set", 3):
                let property = StoredProperty(
                    key: words[1], value: words[2], label: arguments["--label"], description: arguments["--description"]
                )
                try entries.set(property)
            case ("show", 2): try entries.show(words[1])
            default:
                let actions = ["add", "update", "get", "delete", "set", "show"]
                throw actions.contains(words[0]) ? usageError() : unknownAction(words[0], among: actions)
            }
        }
    }
#endif
