import Bytes
import HTTP

/// `portcullis clients`: OAuth clients of `clients.json`.
enum ClientsCommand: Command {
    static let name = "clients"
    static let summary = "create, show and revoke OAuth clients"
    static let help = """
        usage: portcullis clients create [ID] [--name NAME] [--realm REALM] [--redirect-uris URI,...]
                                  [--grant-types TYPE,...] [--scopes SCOPE,...] [--roles ROLE,...] [--public] WHERE
               portcullis clients show ID [--secrets] WHERE
               portcullis clients list WHERE
               portcullis clients rotate-secret ID WHERE
               portcullis clients revoke|remove ID WHERE

        create         adds a client with a new secret and prints it, with the secret, as JSON
        show           prints the settings of a client as JSON
        rotate-secret  creates a new client secret and prints it; the old secret and all tokens become invalid. A revoked
                       client becomes active again
        revoke         invalidates the secret, the keys and all tokens of the client; its id stays reserved
        remove         removes the client and revokes its tokens; no route may name it any more

        ID               the client id (default: a random one)
        --name           the name for people (default: the id)
        --realm          the realm whose users log in with this client (default: "Default")
        --redirect-uris  where the authorization endpoint may send browsers; with them users log in for the client
        --grant-types    authorization_code, refresh_token, client_credentials, password and others (default:
                         authorization_code with --redirect-uris, else client_credentials)
        --scopes         the scopes that the client may have (default: all)
        --roles          the roles of the client itself, with client_credentials (default: none)
        --public         the client cannot keep a secret, and gets none
        --secrets        include the client secret

        `portcullis client` is a client itself: it logs in at a gateway and sends requests. `portcullis backend` has the
        backends of backends.json.

        \(AdminTarget.help)
        """

    private static let lists = [
        "redirectUris": "--redirect-uris", "grantTypes": "--grant-types", "scopes": "--scopes", "roles": "--roles",
    ]

    static let namesake: (any Command.Type)? = ClientCommand.self

    static func run(_ arguments: [String]) throws(ExitStatus) {
        let call = try AdminInvocation(arguments, of: self)
        if try call.performShared(on: "clients", depth: 1) { return }
        let isPublic: JSONNode? = call.arguments.has("--public") ? .flag(true) : nil
        var body: [(name: String, value: JSONNode?)] = [
            ("clientId", call.names.first.map { .text($0) }), ("name", call.text("--name")),
            ("realm", call.text("--realm")), ("public", isPublic),
        ]
        for (member, option) in lists.sorted(by: { $0.key < $1.key }) {
            guard let text = call.arguments[option] else { continue }
            body.append((member, .texts(text.split(separator: ",").map(String.init))))
        }
        try call.show(.post, ["clients"], body: body)
    }
}
