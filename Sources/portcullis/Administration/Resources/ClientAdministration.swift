import Bytes
import Configuration
import Gateway
import HTTP
import Model

/// Clients of `clients.json`.
struct ClientAdministration: CredentialAdministration {
    static let (section, noun, depth) = ("clients", "client", 1)

    let administration: Administration

    static let operations = [
        operation(.get, "clients", "clients.list", Self.list),
        operation(.delete, "clients/*", "clients.remove", Self.remove),
        operation(.post, "clients/*/rotate-secret", "clients.rotate-secret", Self.rotateSecret),
        operation(.post, "clients/*/revoke", "clients.revoke", Self.revoke),
        operation(.post, "clients", "clients.create", Self.create),
        operation(.get, "clients/*", "clients.show", Self.show),
    ]

    private static let lists = ["redirectUris", "grantTypes", "scopes", "roles"]

    /// The response includes the secret.
    func create(_ request: AdminRequest) throws(AdminFailure) -> AdminAnswer {
        let body = try AdminBody(request, known: ["clientId", "name", "realm", "public"] + Self.lists)
        let id = try body.text("clientId") ?? NewBackend.random(16)
        var members: [(String, JSONNode)] = [("clientId", .text(id))]
        if try body.flag("public") == true {
            members.append(("public", .flag(true)))
        } else {
            members.append(("clientSecret", .text(NewBackend.secret())))
        }
        for name in ["name", "realm"] { if let text = try body.text(name) { members.append((name, .text(text))) } }
        for name in Self.lists { if let texts = try body.texts(name) { members.append((name, .texts(texts))) } }
        let now = try administration.change("clients", request) { (text, before) throws(AdminFailure) in
            if Self.index(id, before) != nil { throw .conflict("there is a client \(id) already") }
            text.append([.object(members)])
        }
        return try described(id, now, status: 201)
    }

    /// `?secrets=true` includes the client secret, which is audited.
    func show(_ request: AdminRequest) throws(AdminFailure) -> AdminAnswer {
        try shown(request) { (clients) throws(AdminFailure) in
            guard let client = clients.first(where: { $0.reference.isExactly(request.path[1]) }) else {
                throw .notFound("no client \(request.path[1])")
            }
            return client
        }
    }
}
