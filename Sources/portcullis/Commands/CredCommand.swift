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

        --config  the configuration
        --user    a name for the secret; the configuration does not use it
        """

    static func run(_ arguments: [String]) throws(ExitStatus) {
        let arguments = try Arguments(arguments, of: self)
        guard let directory = arguments["--config"] else { throw usageError() }
        let key = arguments.positional[0]
        let entries = StoredEntries(store: SecretStore.of(directory))
        switch arguments.action {
        case "add", "update":
            try entries.put(key, user: arguments["--user"], tenant: nil, password: try PasswordPrompt.text())
        case "get": try entries.get(key, tenant: nil)
        default: try entries.delete(key, tenant: nil)
        }
    }
}
