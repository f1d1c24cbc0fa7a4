import Bytes
import Configuration
import Gateway
import HTTP
import Model
import OAuthServer
import Reactor
import TokenStorage

/// Tokens in the store of a running gateway (AOM-22, AOM-23).
struct TokenAdministration: ResourceAdministration {
    let administration: Administration

    static let operations = [
        operation(.get, "tokens", "tokens.list", Self.list),
        operation(.delete, "tokens", "tokens.revoke", Self.revokeAll),
        operation(.delete, "tokens/*", "tokens.revoke", Self.revoke),
        operation(.post, "tokens/clean", "tokens.clean", Self.clean),
    ]

    /// Records of the store without the tokens, newest first.
    func list(_ request: AdminRequest) throws(AdminFailure) -> AdminAnswer {
        try check(request, knows: ["subject", "client", "application", "limit"])
        let count = try request.limit()
        let application = try application(request)
        let answer = try ask(.list(application: application, subject: request.parameter("subject"), limit: count))
        guard case .records(let records) = answer else { throw .unavailable("the response of the store is unexpected") }
        var writer = JSONWriter()
        writer.beginArray()
        for record in records { writer.write(record) }
        writer.endArray()
        return .shown(writer.bytes)
    }

    /// Revokes one record by its id.
    func revoke(_ request: AdminRequest) throws(AdminFailure) -> AdminAnswer {
        let id = request.path[1]
        guard case .removed(let gone) = try ask(.revoke(.id(id))), !gone.isEmpty else {
            throw .notFound("there is no token \"\(id)\"")
        }
        // The tokens of a client that has registered itself end with it.
        if gone.contains(where: { $0.kind == .dynamicClient }) { _ = try ask(.revoke(.application(id))) }
        return .changed(id, AdminAnswer.count("removed", gone.count))
    }

    /// Revokes all tokens of a subject, a client, an application or an issuer, optionally those issued before a time. The
    /// deny list refuses access tokens without a record.
    func revokeAll(_ request: AdminRequest) throws(AdminFailure) -> AdminAnswer {
        try check(request, knows: ["subject", "client", "application", "issuer", "issuedBefore", "until"])
        let (subject, application) = (request.parameter("subject"), try application(request))
        let now = Clock.latestSecond
        let period = try period(request, now: now)
        let (cutoff, until) = (period.issuedBefore ?? now, period.end(now: now))
        if let issuer = request.parameter("issuer") {
            guard subject == nil, application == nil, !issuer.isEmpty else {
                throw .malformed("\"issuer\" goes with no other")
            }
            return try deny(.issuer(issuer, issuedBefore: cutoff, until: until), cutoff >= now)
        }
        let selector: TokenSelector
        var entry: DenyEntry?
        switch (subject, application) {
        case (let subject?, let application):
            selector = .subject(application: application, subject: subject)
            // JWTs have no record, and the deny list has entries for whole subjects only. All tokens of applications have
            // records.
            if application == nil || request.parameter("client") != nil {
                entry = .subject(subject, issuedBefore: cutoff, until: until)
            }
        case (nil, let application?):
            selector = .application(application)
            if request.parameter("client") != nil { entry = .client(application, issuedBefore: cutoff, until: until) }
        case (nil, nil):
            throw .malformed("\"subject\", \"client\" or \"application\" is missing: whose tokens?")
        }
        if period != .soFar {
            guard let entry else { throw .malformed("the tokens of an application are revoked without dates") }
            if period.issuedBefore != nil { return try deny(entry, cutoff >= now) }
        }
        if let entry { _ = try ask(.deny(entry)) }
        guard case .removed(let gone) = try ask(.revoke(selector)) else { return .changed("tokens") }
        return .changed(
            [subject, application].compactMap(\.self).joined(separator: " of "),
            AdminAnswer.count("removed", gone.count),
            endsTokens: entry != nil)
    }

    /// A misspelt parameter would select more tokens than were meant.
    private func check(_ request: AdminRequest, knows known: [String]) throws(AdminFailure) {
        for parameter in request.parameters where !known.contains(where: { $0.isExactly(parameter.name) }) {
            throw .malformed("unknown parameter \"\(parameter.name)\"; known are \(known.joined(separator: ", "))")
        }
    }

    private func period(_ request: AdminRequest, now: Int64) throws(AdminFailure) -> RevocationPeriod {
        do throws(RevocationPeriod.Refusal) {
            return try RevocationPeriod(
                issuedBefore: request.parameter("issuedBefore"), until: request.parameter("until"), now: now)
        } catch {
            throw .malformed(error.expected)
        }
    }

    /// Records are kept: the deny list refuses the refresh tokens of revoked access tokens.
    /// - Parameter isPresent: whether tokens of the current second are revoked, so that the response waits for its end.
    private func deny(_ entry: DenyEntry, _ isPresent: Bool) throws(AdminFailure) -> AdminAnswer {
        _ = try ask(.deny(entry))
        return .changed(entry.name, endsTokens: isPresent)
    }

    /// Runs the daily cleaner now (AOM-23).
    func clean(_ request: AdminRequest) throws(AdminFailure) -> AdminAnswer {
        let cleaned = try administration.wait { administration.cleaner?.run(now: Clock.wallSeconds, then: $0) }
        return .changed("tokens", AdminAnswer.count("removed", cleaned))
    }

    /// The name of the requested application, or the id of the requested client.
    private func application(_ request: AdminRequest) throws(AdminFailure) -> String? {
        guard let reference = request.parameter("client") else { return request.parameter("application") }
        // It has registered itself, and is known to the store alone.
        if RegisteredClients.names(reference) { return reference }
        let clients = try administration.configuration.read().configuration.clients.map(\.client)
        guard let client = clients.first(where: { $0.reference.isExactly(reference) }) else {
            throw .notFound("no client \(reference)")
        }
        return client.id
    }

    /// Performs an operation of the store. Blocks the thread.
    private func ask(_ operation: StoreOperation) throws(AdminFailure) -> StoreAnswer {
        do throws(AdminFailure) {
            return try administration.wait {
                administration.tokens?.perform(operation, now: Clock.wallSeconds, then: $0)
            }
        } catch {
            guard administration.tokens != nil, case .unavailable(let text) = error else { throw error }
            switch operation {
            case .deny:
                throw .unavailable(
                    "\(text); this gateway refuses the tokens from now on, others once the store has the change")
            case .revoke: throw .unavailable("\(text); no record was removed")
            default: throw error
            }
        }
    }
}

extension JSONWriter {
    fileprivate mutating func write(_ record: TokenRecord) {
        beginObject()
        member("id", record.id)
        member("kind", record.kind.rawValue)
        // Records of devices have internal names in the place of an application.
        if !record.application.hasPrefix("\u{1f}") { member("application", record.application) }
        member("subject", record.subject)
        if !record.scope.isEmpty { member("scope", record.scope) }
        if !record.extra.isEmpty { member("extra", record.extra) }
        member("issuedAt", record.issuedAt)
        member("accessExpiresAt", record.accessExpiresAt)
        if record.refreshDigest != nil { member("refreshExpiresAt", record.refreshExpiresAt) }
        endObject()
    }
}
