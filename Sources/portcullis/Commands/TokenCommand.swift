import Configuration
import Gateway
import Identity
import Model
import OAuthServer
import Reactor

/// `portcullis token`: a token without a login, for tests.
enum TokenCommand: Command {
    static let name = "token"
    static let summary = "mint an access token of the embedded issuer, for tests"
    static let help = """
        usage: portcullis token --config DIR --client ID [--user NAME] [--roles A,B] [--level N] [--lifetime SECONDS]

        Prints an access token as the token endpoint would issue it, signed with the key of the configuration in DIR. Needs
        read access to that key, but no running gateway.

        --config    the configuration
        --client    id of the client, NAME/VERSION of a mobile backend
        --user      subject of a user token (default: a token of the client itself)
        --roles     roles of the token (default: those of the user in users.json)
        --level     authentication level (default: 2)
        --lifetime  in seconds, negative for an expired token (default: 3600)
        """

    static func run(_ arguments: [String]) throws(ExitStatus) {
        let arguments = try Arguments(arguments, of: self)
        guard let directory = arguments["--config"], let reference = arguments["--client"],
            let level = Int(arguments["--level"] ?? "2"), let lifetime = Int64(arguments["--lifetime"] ?? "3600")
        else {
            throw usageError()
        }
        let reading = try Assembly.read(directory, makesKeys: true)
        let (configuration, snapshot) = (reading.configuration, reading.snapshot)
        guard let client = snapshot.clients.client(reference: reference) else {
            throw .failure("no client \(reference)")
        }
        let user = arguments["--user"]
        var grant = AccessTokenMinter.Grant(
            subject: user ?? client.clientID, kind: user == nil ? .client : .user, client: client,
            lifetimeSeconds: lifetime)
        let stored = configuration.users.first { $0.username == user && $0.realm == client.realm }?.roles ?? []
        grant.roles = arguments["--roles"]?.split(separator: ",").map(String.init) ?? stored
        grant.level = level
        Terminal.print(String(decoding: snapshot.tokens.mint(grant, now: Clock.wallSeconds), as: UTF8.self))
    }
}
