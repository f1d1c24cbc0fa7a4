/// A store operation as a script with its arguments.
struct RedisCall: Sendable {
    let script: RedisScript
    /// Whether its effect must be durable. Recorded uses and cleaning need not be.
    let isDurable: Bool
    /// The first one is the time.
    let arguments: [[UInt8]]

    /// Records removed or listed per step. A step blocks the server for all clients.
    static let batch = 256
    /// Positions of the limit and the cursor in the arguments of a list.
    private static let (limitPlace, scorePlace) = (4, 6)

    init(_ operation: StoreOperation, now: Int64) {
        let own: [[UInt8]]
        switch operation {
        case .touch, .clean: isDurable = false
        default: isDurable = !operation.isRead
        }
        switch operation {
        case .claim(let record): (script, own) = (.claim, RedisCall.fields(record))
        case .replace(let record), .insert(let record): (script, own) = (.replace, RedisCall.fields(record))
        case .find(let key): (script, own) = (.find, RedisCall.words(key))
        case .rotate(let refresh, let application, let proposed, let reuse):
            script = .rotate
            own = [refresh, Array(application.utf8), RedisCall.text(reuse)] + RedisCall.fields(proposed)
        case .successor(let digest): (script, own) = (.successor, [digest])
        case .revoke(.one(let key)): (script, own) = (.revokeOne, RedisCall.words(key))
        case .revoke(.subject(let application, let subject)):
            (script, own) = (.revokeAll, RedisCall.words("subject", subject, only: application, RedisCall.batch))
        case .revoke(.application(let name)):
            (script, own) = (.revokeAll, RedisCall.words("application", name, only: nil, RedisCall.batch))
        case .deny(let entry):
            script = .deny
            own = [
                Array(entry.kind.rawValue.utf8), Array(entry.name.utf8), Array(entry.subject.utf8),
                RedisCall.text(entry.issuedBefore), RedisCall.text(entry.until),
            ]
        case .changes(let after, let limit): (script, own) = (.changes, [RedisCall.text(after), RedisCall.text(limit)])
        case .remember(let key, let until): (script, own) = (.remember, [Array(key.utf8), RedisCall.text(until)])
        case .touch(let uses):
            script = .touch
            own = uses.flatMap {
                [Array($0.id.utf8), RedisCall.text($0.usedAt), RedisCall.text($0.accessUntil)]
            }
        case .clean(let limit): (script, own) = (.clean, [RedisCall.text(limit)])
        case .list(let application, let subject, let limit):
            script = .list
            own = RedisCall.listed(application, subject, limit)
        case .survey(let place, let limit):
            (script, own) = (.survey, [place.isEmpty ? [48] : Array(place.utf8), RedisCall.text(limit)])
        case .rekey(let old, let new):
            script = .rekey
            own = [old, new].flatMap { [Array($0.id.utf8), $0.sealed, $0.accessDigest ?? [], $0.refreshDigest ?? []] }
        }
        arguments = [RedisCall.text(now)] + own
    }

    /// The same list, continued at a cursor; nil if the cursor is invalid.
    /// - Parameter limit: remaining number of records.
    func continued(behind place: [UInt8], limit: Int) -> RedisCall? {
        let parts = place.split(separator: 32, maxSplits: 1, omittingEmptySubsequences: false).map { Array($0) }
        guard parts.count == 2 else { return nil }
        var arguments = arguments
        arguments[RedisCall.limitPlace] = RedisCall.text(limit)
        arguments[RedisCall.scorePlace...] = parts[...]
        return RedisCall(script: script, arguments: arguments)
    }

    /// A document, or its replacement: the known text and the new one.
    init(document name: String, replacing change: (known: [UInt8], text: [UInt8])?) {
        script = .document
        isDurable = change != nil
        arguments = [RedisCall.text(0), Array(name.utf8)] + (change.map { [$0.known, $0.text] } ?? [])
    }

    /// Continues a list.
    private init(script: RedisScript, arguments: [[UInt8]]) {
        isDurable = false
        self.script = script
        self.arguments = arguments
    }

    private static func text(_ number: some BinaryInteger) -> [UInt8] { Array(String(number).utf8) }

    /// Grace period in seconds; empty if reuse is not detected.
    private static func text(_ reuse: ReuseRule) -> [UInt8] {
        switch reuse {
        case .ignored: []
        case .detected(let graceSeconds): text(graceSeconds)
        }
    }

    private static func words(_ key: TokenKey) -> [[UInt8]] {
        switch key {
        case .access(let digest): [Array("access".utf8), digest]
        case .refresh(let digest): [Array("refresh".utf8), digest]
        case .family(let digest): [Array("family".utf8), digest]
        case .id(let id): [Array("id".utf8), Array(id.utf8)]
        case .names(let names): [Array("names".utf8), Array(names.joined(separator: " ").utf8)]
        case .tokenID(let id): [Array("token".utf8), Array(id.utf8)]
        }
    }

    private static func words(_ index: String, _ name: String, only: String?, _ limit: Int) -> [[UInt8]] {
        [Array(index.utf8), Array(name.utf8), only == nil ? [48] : [49], Array((only ?? "").utf8), text(limit)]
    }

    private static func listed(_ application: String?, _ subject: String?, _ limit: Int) -> [[UInt8]] {
        let filter = [
            application == nil ? [48] : [49], Array((application ?? "").utf8), text(limit), text(batch), [], [],
        ]
        if let subject { return [Array("subject:\(subject)".utf8)] + filter }
        if let application { return [Array("application:\(application)".utf8)] + filter }
        return [Array("issued".utf8)] + filter
    }

    /// The fields of a record in the order that the scripts expect.
    private static func fields(_ record: TokenRecord) -> [[UInt8]] {
        [
            Array(record.id.utf8), Array(record.kind.rawValue.utf8), Array(record.slot.utf8),
            Array(record.application.utf8), Array(record.subject.utf8), Array(record.tokenID.utf8),
            record.accessDigest ?? [], text(record.accessExpiresAt), record.refreshDigest ?? [],
            text(record.refreshExpiresAt), text(record.issuedAt), Array(record.scope.utf8), Array(record.extra.utf8),
            record.sealed, record.attributes, text(record.lastUsedAt),
        ]
    }
}
