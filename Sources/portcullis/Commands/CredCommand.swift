/// `portcullis cred`: secrets that the configuration references as `cred:KEY` (CRED-01, GW-12).
enum CredCommand: Command {
    static let name = "cred"
    static let summary = "keep secrets of the configuration in an encrypted store"
    static let help = """
        usage: portcullis cred add|update KEY [--user NAME] --config DIR
               portcullis cred get|delete KEY --config DIR

        Stores secrets that the configuration references as "cred:KEY" in DIR/state/credentials, encrypted with the key in
        DIR/state/credentials.key. Only their owner can read the two files.

        add, update  reads the secret from standard input: one line without echo on a terminal, else all of it without
                     the last line end, such as a key in PEM
        get          prints the entry with the secret, as JSON
        delete       sets the secret to null and keeps the entry

        --user  a name for the secret; the configuration does not use it
        """

    static func run(_ arguments: [String]) throws(ExitStatus) {
        let arguments = try Arguments(arguments, options: ["--config", "--user"], flags: [])
        let actions = ["add", "update", "get", "delete"]
        if let word = arguments.positional.first, !actions.contains(word) {
            throw unknownAction(word, among: actions)
        }
        guard let directory = arguments["--config"], arguments.positional.count == 2 else { throw usageError() }
        let (action, key) = (arguments.positional[0], arguments.positional[1])
        let entries = StoredEntries(store: SecretStore.of(directory))
        switch action {
        case "add", "update":
            try entries.put(key, user: arguments["--user"], tenant: nil, password: try PasswordPrompt.text())
        case "get": try entries.get(key, tenant: nil)
        default: try entries.delete(key, tenant: nil)
        }
    }
}
