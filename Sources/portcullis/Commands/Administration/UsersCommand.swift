import Bytes
import HTTP

/// `portcullis users`: local users.
enum UsersCommand: Command {
    static let name = "users"
    static let summary = "add, change, import, list and remove local users"
    static let help = """
        usage: portcullis users list [--realm REALM] WHERE
               portcullis users show NAME [--realm REALM] WHERE
               portcullis users add NAME [--realm REALM] [--email ADDRESS] [--first-name NAME] [--last-name NAME]
                                    [--roles A,B] [--scheme NAME] [--no-password] [--disabled] WHERE
               portcullis users set-password NAME [--realm REALM] [--scheme NAME] [--no-password] WHERE
               portcullis users assign-role|remove-role NAME ROLE... [--realm REALM] WHERE
               portcullis users enable|disable|remove NAME [--realm REALM] WHERE
               portcullis users unlock NAME --domain DOMAIN --application NAME WHERE
               portcullis users import FILE.csv [--scheme NAME] WHERE

        Passwords are read from standard input (one line, without echo on a terminal) and stored hashed. A new password and
        `disable` revoke all tokens of the user.

        unlock  ends the lock-out of a user at an application of a service domain, on a running gateway: that of --admin, or
                of the `admin` section of --config
        import  adds the users of a CSV file (RFC 4180) with a header row, all or none; `-` reads standard input.
                Columns: \(columns).
                Roles are separated by `;`. Each problem is reported with its line. Passwords are hashed by this command, on
                all cores, after everything else was checked. FILE.csv.hashed keeps finished hashes until the end, so that
                a second run continues where the first stopped.

        --realm        the realm of the user (default: "Default"; of a list, all)
        --email        the e-mail address
        --first-name   of the person
        --last-name    of the person
        --roles        roles of the catalogue (default: none)
        --scheme       hash of the password, see `portcullis hash --help` (default: scrypt)
        --no-password  the user can log in by token exchange and single sign-on only
        --disabled     the user cannot log in until `enable`
        --domain       the service domain of the lock-out
        --application  the application of the lock-out

        \(AdminTarget.help)
        """

    private static let columns = UserList.columns.joined(separator: ", ")

    static func run(_ arguments: [String]) throws(ExitStatus) {
        let call = try AdminInvocation(arguments, of: self, needsGateway: ["unlock"])
        let realm = [("realm", call.arguments["--realm"])]
        let user = ["users", call.first]
        let roles = JSONNode.texts(Array(call.names.dropFirst()))
        func change(_ member: String, _ value: JSONNode) throws(ExitStatus) {
            try call.send(.patch, user, query: realm, body: [(member, value)])
        }
        switch call.action {
        case "list": try call.show(.get, ["users"], query: realm)
        case "show": try call.show(.get, user, query: realm)
        case "add": try add(call)
        case "set-password": try setPassword(call, user, realm)
        case "assign-role": try change("addRoles", roles)
        case "remove-role": try change("removeRoles", roles)
        case "enable": try change("enabled", .flag(true))
        case "disable": try change("enabled", .flag(false))
        case "unlock": try unlock(call)
        case "remove": try call.send(.delete, user, query: realm)
        default: try UserImport(target: call.target, file: call.first, scheme: call.arguments["--scheme"]).run()
        }
    }

    private static func add(_ call: AdminInvocation) throws(ExitStatus) {
        let roles = call.arguments["--roles"]?.split(separator: ",").map(String.init)
        // Checked before the password is typed.
        if let problem = UserName.problem(call.first) {
            throw .failure("\(problem.text); expected \(UserName.expected)")
        }
        let password = try call.arguments.has("--no-password") ? nil : PasswordPrompt.read()
        try call.send(
            .post, ["users"],
            body: [
                ("username", .text(call.first)), ("realm", call.text("--realm")), ("email", call.text("--email")),
                ("firstName", call.text("--first-name")), ("lastName", call.text("--last-name")),
                ("roles", roles.map { .texts($0) }), ("password", password.map { .text($0) }),
                ("scheme", call.text("--scheme")), ("enabled", call.arguments.has("--disabled") ? .flag(false) : nil),
            ])
    }

    private static func setPassword(
        _ call: AdminInvocation, _ user: [String], _ realm: [(String, String?)]
    ) throws(ExitStatus) {
        let password = try call.arguments.has("--no-password") ? JSONNode(.null) : .text(PasswordPrompt.read())
        try call.send(.patch, user, query: realm, body: [("password", password), ("scheme", call.text("--scheme"))])
    }

    private static func unlock(_ call: AdminInvocation) throws(ExitStatus) {
        guard let domain = call.arguments["--domain"], let application = call.arguments["--application"] else {
            throw .misuse("unlock needs --domain and --application")
        }
        try call.send(.delete, ["lockouts", domain, application, call.first])
    }
}
