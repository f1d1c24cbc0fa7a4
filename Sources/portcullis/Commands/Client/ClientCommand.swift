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
                   portcullis client agent --app NAME,... [--for SECONDS] WHERE
                   portcullis client token show [--value] WHERE
                   portcullis client token clear WHERE
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
            aom        manages session tokens of the ApiOmat application of the profile (/apiomatApp or /appName, /apiKey):
                       `login` reads the password from standard input and stores a token, `refresh` renews it, `revoke` revokes
                       it, and `revokeall` revokes all tokens of its user in the application
            exchange   exchanges a token of another issuer
            sso login  prints the address of the login to open in a browser, and stores the token that the gateway posts to this
                       machine afterwards. The redirect whitelist of the gateway must allow http://127.0.0.1:PORT (default: any
                       free port)
            saml pack  prints the assertion of a SAMLResponse, as browsers post it, in the form that `exchange` expects. Sends
                       nothing
            capture    waits for one request of a browser to this machine and prints a field of the query or the posted form
            request    sends a request, answers challenges of webgates with tokens of their own, which are stored, and prints the
                       body. The status of a failure is printed to standard error
            call       sends a request to a path of the gateway, with the stored token or the exchanged TOKEN. With the
                       /identityProvider facebook of the profile, TOKEN is sent as Facebook's token with the anonymous key
            agent      logs in for other applications of its circle of trust: their requests with --via-agent need no password.
                       Serves programs of the same user. Needs a `login`, before or meanwhile
            token      prints the stored login without its tokens; `clear` deletes it
            logout     ends the login at the gateway and deletes it
            cred       stores user names and passwords by URL, and other values by key; passwords are read from standard input

            --user         user name; a login without it asks for one
            --method       how the gateway is asked (default: by the profile)
            --mode         online asks the gateway, offline the store, auto the store where there is no gateway (default: online)
            --level        requested authentication level of oam; further questions may follow the password
            --browser      log in at an identity provider of the service domain: prints the address to open in a browser,
                           which brings a code to this machine. The application's `redirectUris` must have http://127.0.0.1/
                           for any port, or with the PORT of --listen
            --provider     one of several providers (default: the user chooses)
            --listen       where the browser's answer is received (default: a free port)
            --wait         limits the time for the browser (default: 300)
            --scope        the scope of the session token
            --extra        further data of the session token
            --token        a JWT or a packed SAML assertion; `-` reads it from standard input
            --store        store the gateway's token
            --client-id    the client of the login (default: that of the profile)
            --response     the response, or a file with it (default: standard input)
            --field        name of the field (default: token)
            -X             method of the request (default: POST with --data, else GET)
            --data         body of the request
            --type         media type of the body (default: application/json)
            --json         require a JSON body and print it indented
            --no-auth      use no login and answer no challenges
            --via-agent    answer challenges with tokens of the agent; store nothing
            --app          the applications that the agent serves
            --for          how long the agent runs (default: 28800, which is 8 hours)
            --value        print the token itself
            --tenant       the tenant that the entry belongs to (default: none)
            --label        a name of the value for people
            --description  what the value is for

            exit status of request and call: 0 the status is below 400, 1 otherwise

            `portcullis clients` creates and revokes the OAuth clients that a gateway knows.

            \(ClientFiles.help)

            examples: portcullis client login --user joe --profile fb
                      portcullis client login --browser --provider staff
            """

        static let namesake: (any Command.Type)? = ClientsCommand.self

        static func run(_ words: [String]) throws(ExitStatus) {
            let arguments = try Arguments(words, of: self)
            let place = ClientFiles(arguments)
            switch arguments.action {
            case "configure": try configure(arguments.positional[0], place)
            case "setup": try setUp(place)
            case "login": try logIn(arguments, place)
            case "logout": try logOut(place)
            case "aom": try application(arguments, place)
            case "exchange": try exchange(arguments, place)
            case "sso": try signOn(arguments, place)
            case "saml": try packSAML(arguments)
            case "capture": try capture(arguments)
            case "request", "call": try ClientCall(arguments, place).run(arguments.action)
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
