import PortcullisClient

/// `portcullis client`: an application's end of the gateway, by the library PortcullisClient.
enum ClientCommand: Command {
    static let name = "client"
    static let summary = "log in at a gateway as an application does, and send requests"
    static let help = """
        usage: portcullis client configure URL WHERE
               portcullis client setup WHERE
               portcullis client login [--user NAME] [--method oauth|basic|oam|aom] [--mode online|offline|auto] [--level N] WHERE
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

        configure  takes the gateway from a link `scheme://host?oamconfig=true&host=H&port=P&servicedomain=D&SSL=TRUE|FALSE`
        setup      prints the application's profile on the gateway
        login      reads the password from standard input and keeps what the gateway gives for it; further questions, too,
                   are answered there. By default the method is oam where the profile names a service domain, oauth where it
                   has a client secret, else basic
        aom        session tokens of an ApiOmat application, by /apiomatApp (or /appName) and /apiKey of the profile: `login`
                   reads the password from standard input and keeps a token, `refresh` takes another one for it, `revoke` ends
                   it, and `revokeall` all that its user has in the application
        exchange   exchanges a JWT or a packed SAML assertion (`-` reads it from standard input); the gateway's token is
                   kept with --store
        sso login  prints the address to open in a browser; the token that the gateway posts to this machine after the login
                   there is kept like an exchanged one. The gateway's white list needs http://127.0.0.1:PORT; by default
                   the port is any
        saml pack  prints the assertion of a SAMLResponse, as a browser posts one, in the form that exchange takes: VALUE, or
                   what FILE has in it, or standard input. Nothing is sent anywhere
        capture    waits for one request of a browser to this machine, and prints its field `token`, or another one such as
                   SAMLResponse, of the query or of the form that is posted
        request    sends a request. A challenge of a webgate is answered with a token of its own, which is kept. The body is
                   printed; the status too, on standard error, where it is not a success
        call       the same for a path of the gateway: with the stored token, else with what TOKEN is exchanged for. Where
                   /identityProvider of the profile is facebook, TOKEN is sent as Facebook's, with the anonymous key
        agent      logs in for other applications of its circle of trust: their requests with --via-agent need no password.
                   It answers programs of its own user, for the applications that --app names, until it is ended, at most
                   for 28800 s. `login` before it, or beside it
        token      what is kept, without the tokens themselves
        logout     ends the login at the gateway, and forgets it
        cred       user names and passwords by URL, and other values by key; passwords are read from standard input

        --level    the authentication level that the login is to have, of oam; further questions may follow the password
        --no-auth  no login is used, and no challenge answered
        --via-agent  challenges are answered with tokens that the agent gets; nothing is kept
        --json     the body must be JSON, and is printed with indentation

        exit status of request and call: 0 a success (status below 400), 1 not

        \(ClientPlace.help)
        """

    private static let actions: [String: (words: ClosedRange<Int>, options: Set<String>, flags: Set<String>)] = [
        "configure": (1...1, [], []), "setup": (0...0, [], []),
        "login": (0...0, ["--user", "--method", "--mode", "--level"], []), "logout": (0...0, [], []),
        "aom": (1...1, ["--user", "--scope", "--extra"], []),
        "exchange": (0...0, ["--token"], ["--store"]),
        "sso": (1...1, ["--client-id", "--listen", "--wait"], []),
        "saml": (1...1, ["--response"], []),
        "capture": (0...0, ["--field", "--listen", "--wait"], []),
        "request": (1...1, ["-X", "--data", "--type"], ["--json", "--no-auth", "--via-agent"]),
        "call": (1...1, ["-X", "--data", "--type", "--token"], ["--json", "--via-agent"]),
        "agent": (0...0, ["--app", "--for"], []), "token": (1...1, [], ["--value"]),
        "cred": (2...3, ["--user", "--tenant", "--label", "--description"], []),
    ]

    static func run(_ words: [String]) throws(ExitStatus) {
        guard let action = words.first else { throw usage() }
        guard let shape = actions[action] else {
            Terminal.complain("portcullis: unknown action \(action); `portcullis client --help` lists them")
            throw .usage
        }
        let arguments = try Arguments(
            words.dropFirst(), options: shape.options.union(ClientPlace.options), flags: shape.flags)
        guard shape.words.contains(arguments.positional.count) else { throw usage() }
        let place = ClientPlace(arguments)
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
        case "agent": try ClientAgent.run(arguments, place)
        case "token": try token(arguments, place)
        default: try credentials(arguments, place)
        }
    }

    static func usage() -> ExitStatus {
        Terminal.complain(help)
        return .usage
    }

    private static func configure(_ url: String, _ place: ClientPlace) throws(ExitStatus) {
        let known = place.knownProfile
        let profile = try ExitStatus.rethrowing { () throws(ClientError) in
            try ClientProfile(configuring: url, previous: known)
        }
        try place.write(profile)
        Terminal.print("\(profile.baseURL)\(profile.serviceDomain.map { "  \($0)" } ?? "")")
    }

    private static func credentials(_ arguments: Arguments, _ place: ClientPlace) throws(ExitStatus) {
        let entries = StoredEntries(store: place.store)
        let words = arguments.positional
        let tenant = arguments["--tenant"]
        switch (words[0], words.count) {
        case ("add", 2), ("update", 2): try entries.put(words[1], user: arguments["--user"], tenant: tenant)
        case ("get", 2): try entries.get(words[1], tenant: tenant)
        case ("delete", 2): try entries.delete(words[1], tenant: tenant)
        case ("set", 3):
            let property = StoredProperty(
                key: words[1], value: words[2], label: arguments["--label"], description: arguments["--description"])
            try entries.set(property)
        case ("show", 2): try entries.show(words[1])
        default: throw usage()
        }
    }
}
