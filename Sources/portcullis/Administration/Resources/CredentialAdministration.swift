import Bytes
import Configuration
import Declaration
import Gateway
import Identity
import Model
import OAuthServer

/// What clients and backends have in common: they are shown, get new secrets, are revoked and removed.
protocol CredentialAdministration: ResourceAdministration {
    static var section: String { get }
    static var noun: String { get }
    /// How many segments of a path name an entry.
    static var depth: Int { get }

    var administration: Administration { get }
}

extension CredentialAdministration {
    /// Whether a client or backend is one of this section's entries.
    private static func has(_ client: Client) -> Bool {
        client.isStandard == (section == "clients")
    }

    /// The reference of the entry that a path names.
    private static func reference(_ request: AdminRequest) -> String {
        request.path[1...depth].joined(separator: "/")
    }

    /// The place of an entry in its section.
    static func index(_ reference: String, _ configuration: GatewayConfiguration) -> Int? {
        configuration.clients.map(\.client).filter(has).firstIndex { $0.reference.isExactly(reference) }
    }

    func list(_ request: AdminRequest) throws(AdminFailure) -> AdminAnswer {
        try administration.shown(Self.section) { reading, _ in
            var writer = JSONWriter()
            writer.beginArray()
            for client in reading.snapshot.clients.clients where Self.has(client) {
                writer.value(json: reading.snapshot.tokens.describe(client, includingSecrets: false).span)
            }
            writer.endArray()
            return writer.bytes
        }
    }

    /// Shows one of the entries, with its secret where the request asks for it, which is audited.
    func shown(
        _ request: AdminRequest, _ find: ([Client]) throws(AdminFailure) -> Client
    ) throws(AdminFailure) -> AdminAnswer {
        var object = ""
        let showsSecrets = request.flag("secrets")
        var answer = try administration.shown(Self.section) { (reading, _) throws(AdminFailure) in
            let client = try find(reading.snapshot.clients.clients.filter(Self.has))
            object = client.reference
            return reading.snapshot.tokens.describe(client, includingSecrets: showsSecrets)
        }
        answer.object = object
        answer.isAudited = showsSecrets
        return answer
    }

    /// Creates a new secret; the old one and all tokens become invalid. Reactivates a revoked entry.
    func rotateSecret(_ request: AdminRequest) throws(AdminFailure) -> AdminAnswer {
        let secret = NewBackend.secret()
        let now = try administration.change(Self.section, request) { (text, before) throws(AdminFailure) in
            let place = try place(of: request, before)
            guard text.node(at: place)?["clientId"] != nil else {
                throw .conflict("the \(Self.noun) has no client id, and so no secret")
            }
            guard text.node(at: place)?["public"]?.bool != true else {
                throw .conflict("the \(Self.noun) is public, and has no secret")
            }
            if let kind = text.node(at: place)?["clientSecret"]?.string.flatMap(SecretReference.init(in:)) {
                // GW-12: the place of a referenced secret is not part of the configuration.
                throw .conflict("the secret is kept elsewhere (\(kind.rawValue)...): change it there")
            }
            text.set("clientSecret", of: place, to: .text(secret))
            text.put("revoked", of: place, nil)
            text.set("tokensNotBefore", of: place, to: .number(administration.cutoff))
        }
        var answer = try described(Self.reference(request), now, status: 200)
        answer.endsTokens = true
        return answer
    }

    /// Invalidates the secret and all tokens.
    func revoke(_ request: AdminRequest) throws(AdminFailure) -> AdminAnswer {
        try edit(request) { (text, place, _) throws(AdminFailure) in
            text.put("clientSecret", of: place, nil)
            text.set("revoked", of: place, to: .flag(true))
            text.set("tokensNotBefore", of: place, to: .number(administration.cutoff))
        }
    }

    /// The tokens become invalid, since their client is unknown.
    func remove(_ request: AdminRequest) throws(AdminFailure) -> AdminAnswer {
        try administration.change(Self.section, request) { (text, before) throws(AdminFailure) in
            text.remove(try place(of: request, before))
        }
        return .changed(Self.reference(request))
    }

    /// Changes the entry of the path. The response is its settings without the secret.
    func edit(
        _ request: AdminRequest,
        _ change: (inout SectionText, [JSONText.Step], GatewayConfiguration) throws(AdminFailure) -> Void
    ) throws(AdminFailure) -> AdminAnswer {
        let now = try administration.change(Self.section, request) { (text, before) throws(AdminFailure) in
            try change(&text, try place(of: request, before), before)
        }
        return try described(Self.reference(request), now, status: 200, includingSecrets: false)
    }

    private func place(
        of request: AdminRequest, _ configuration: GatewayConfiguration
    ) throws(AdminFailure) -> [JSONText.Step] {
        let reference = Self.reference(request)
        guard let index = Self.index(reference, configuration) else { throw .notFound("no \(Self.noun) \(reference)") }
        return [.element(index)]
    }

    func described(
        _ reference: String, _ now: ConfigurationChange.Outcome<Void>, status: Int, includingSecrets: Bool = true
    ) throws(AdminFailure) -> AdminAnswer {
        let entry = now.configuration.clients.first {
            Self.has($0.client) && $0.client.reference.isExactly(reference)
        }
        guard let client = entry?.inForce else { throw .notFound("no \(Self.noun) \(reference)") }
        // The endpoints are known only for a valid configuration.
        let text =
            now.snapshot?.tokens.describe(client, includingSecrets: includingSecrets)
            ?? client.settingsJSON(
                baseURL: now.configuration.baseURL.description, paths: .init(token: nil, exchange: nil, sso: nil),
                includingSecrets: includingSecrets)
        return .changed(reference, status: status, text)
    }
}
