import Bytes
import Configuration
import Dispatch
import Gateway
import Reactor
import Synchronization
import TokenStorage

/// Tokens of a running gateway's store: listed, revoked, cleaned away (AOM-22, AOM-23, MBE-06).
extension Administration {
    /// How many are listed where nobody asks for another number, and at the most.
    private static let usualCount = 100
    private static let largestCount = 10_000
    private static let batch = 1_000

    /// Records of the store, newest first: never a token.
    func listTokens(_ request: AdminRequest) throws(AdminFailure) -> AdminAnswer {
        let count = try Administration.limit(request)
        let application = try application(request)
        let answer = try ask(.list(application: application, subject: request.parameter("subject"), limit: count))
        guard case .records(let records) = answer else { throw .unavailable("the store has answered something else") }
        var writer = JSONWriter()
        writer.beginArray()
        for record in records { writer.write(record) }
        writer.endArray()
        return .shown(writer.bytes)
    }

    /// How many are to be listed.
    static func limit(_ request: AdminRequest) throws(AdminFailure) -> Int {
        let count = request.parameter("limit").map { Decimal.parse(Array($0.utf8).span) } ?? usualCount
        guard let count, (1...largestCount).contains(count) else {
            throw .malformed("\"limit\" must be a number from 1 to \(largestCount)")
        }
        return count
    }

    /// One record by its id.
    func revokeToken(_ request: AdminRequest) throws(AdminFailure) -> AdminAnswer {
        let id = request.path[1]
        guard case .removed(let gone) = try ask(.revoke(.id(id))), !gone.isEmpty else {
            throw .notFound("there is no token \"\(id)\"")
        }
        return .changed(id, Administration.removed(gone.count))
    }

    /// All of a subject, of a backend or of an application, so far or until a date, or of an issuer. Access tokens that the
    /// store has no record of are refused by the deny list.
    func revokeTokens(_ request: AdminRequest) throws(AdminFailure) -> AdminAnswer {
        let known = ["subject", "backend", "application", "issuer", "issuedBefore", "until"]
        for parameter in request.parameters where !known.contains(where: { isSame($0, parameter.name) }) {
            throw .malformed("unknown parameter \"\(parameter.name)\"; known are \(known.joined(separator: ", "))")
        }
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
            // JWTs have no record, and the deny list knows subjects as a whole only. An application's tokens all have one.
            if application == nil || request.parameter("backend") != nil {
                entry = .subject(subject, issuedBefore: cutoff, until: until)
            }
        case (nil, let application?):
            selector = .application(application)
            if request.parameter("backend") != nil { entry = .backend(application, issuedBefore: cutoff, until: until) }
        case (nil, nil):
            throw .malformed("\"subject\", \"backend\" or \"application\" is missing: whose tokens?")
        }
        if period != .soFar {
            guard let entry else { throw .malformed("the tokens of an application are revoked without dates") }
            if period.issuedBefore != nil { return try deny(entry, cutoff >= now) }
        }
        if let entry { _ = try ask(.deny(entry)) }
        guard case .removed(let gone) = try ask(.revoke(selector)) else { return .changed("tokens") }
        return .changed(
            [subject, application].compactMap(\.self).joined(separator: " of "), Administration.removed(gone.count),
            endsTokens: entry != nil)
    }

    private func period(_ request: AdminRequest, now: Int64) throws(AdminFailure) -> RevocationPeriod {
        do throws(RevocationPeriod.Refusal) {
            return try RevocationPeriod(
                issuedBefore: request.parameter("issuedBefore"), until: request.parameter("until"), now: now)
        } catch {
            throw .malformed(error.expected)
        }
    }

    /// Leaves the records: of those that go with tokens of before the list refuses the refresh tokens.
    /// - Parameter isPresent: whether tokens of the present second are meant, so that the answer waits for its end.
    private func deny(_ entry: DenyEntry, _ isPresent: Bool) throws(AdminFailure) -> AdminAnswer {
        _ = try ask(.deny(entry))
        return .changed(entry.name, endsTokens: isPresent)
    }

    /// What the daily cleaner does, now (AOM-23).
    func cleanTokens(_ request: AdminRequest) throws(AdminFailure) -> AdminAnswer {
        let cleaned = try wait { cleaner?.run(now: Clock.wallSeconds, then: $0) }
        return .changed("tokens", Administration.removed(cleaned))
    }

    /// The name of an application, or the id of the backend that is named.
    private func application(_ request: AdminRequest) throws(AdminFailure) -> String? {
        guard let reference = request.parameter("backend") else { return request.parameter("application") }
        let backends = try configuration.read().configuration.backends
        guard let backend = backends.first(where: { isSame($0.reference, reference) }) else {
            throw .notFound("no backend \(reference)")
        }
        return backend.mobileBackendID
    }

    static func removed(_ count: Int) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("removed", count)
        writer.endObject()
        return writer.bytes
    }

    /// Asks the store and waits: on a thread where that keeps nobody else from anything.
    private func ask(_ operation: StoreOperation) throws(AdminFailure) -> StoreAnswer {
        do throws(AdminFailure) {
            return try wait { tokens?.perform(operation, now: Clock.wallSeconds, then: $0) }
        } catch {
            guard tokens != nil, case .unavailable(let text) = error else { throw error }
            switch operation {
            case .deny:
                throw .unavailable(
                    "\(text); this gateway refuses the tokens from now on, others once the store is told")
            case .revoke: throw .unavailable("\(text); no record was removed")
            default: throw error
            }
        }
    }

    func wait<Answer: Sendable>(
        _ begin: (@escaping @Sendable (Result<Answer, StoreFailure>) -> Void) -> Void?
    ) throws(AdminFailure) -> Answer {
        let done = DispatchSemaphore(value: 0)
        let outcome = Outcome<Answer>()
        let begun: Void? = begin { result in
            outcome.result.withLock { $0 = result }
            done.signal()
        }
        guard begun != nil else { throw .unavailable("tokens are kept by a running gateway: use --admin") }
        guard done.wait(timeout: .now() + .seconds(10)) == .success else {
            throw .unavailable("the store does not answer")
        }
        switch outcome.result.withLock({ $0 }) {
        case .success(let answer)?: return answer
        case .failure(let failure)?: throw .unavailable("the store has failed: \(failure.reason)")
        case nil: throw .unavailable("the store does not answer")
        }
    }

    /// What comes from another thread.
    private final class Outcome<Answer: Sendable>: Sendable {
        let result = Mutex<Result<Answer, StoreFailure>?>(nil)
    }
}

extension JSONWriter {
    fileprivate mutating func write(_ record: TokenRecord) {
        beginObject()
        member("id", record.id)
        member("kind", record.kind.rawValue)
        // Registers of devices and the like go by names that no application can have; their kind says what they are.
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
