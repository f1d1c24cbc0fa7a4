/// `portcullis cred`: secrets that the configuration refers to by `cred:KEY` (CRED-01, GW-12).
enum CredCommand: Command {
    static let name = "cred"
    static let summary = "keep secrets of the configuration in an encrypted store"
    static let help = """
        usage: portcullis cred add|update KEY [--user NAME] --config DIR
               portcullis cred get|delete KEY --config DIR

        A secret of the configuration may be written "cred:KEY"; here it is put into the store DIR/state/credentials, under
        the key DIR/state/credentials.key. Both are for their owner only, and of no use without the other.

        add, update  reads the secret from standard input (one line, not shown where it is typed)
        get          prints the entry as JSON, with the secret
        delete       sets the secret to null; the entry stays

        --user  a name that belongs to the secret; the configuration does not use it
        """

    static func run(_ arguments: [String]) throws(ExitStatus) {
        let arguments = try Arguments(arguments, options: ["--config", "--user"], flags: [])
        guard let directory = arguments["--config"], arguments.positional.count == 2 else { throw usage() }
        let (action, key) = (arguments.positional[0], arguments.positional[1])
        let entries = StoredEntries(store: SecretStore.of(directory))
        switch action {
        case "add", "update": try entries.put(key, user: arguments["--user"], tenant: nil)
        case "get": try entries.get(key, tenant: nil)
        case "delete": try entries.delete(key, tenant: nil)
        default: throw usage()
        }
    }

    private static func usage() -> ExitStatus {
        Terminal.complain(help)
        return .usage
    }
}
