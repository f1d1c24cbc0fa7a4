import Model

/// An operation of a store as the script that does it, with what the script is told.
struct RedisCall: Sendable {
    let script: RedisScript
    /// Whether it changes what is not to be lost: notes of use and cleaning may be.
    let isLasting: Bool
    /// The time first.
    let arguments: [[UInt8]]

    /// How many records one step removes or lists: in each, nobody else is served.
    static let batch = 256
    /// Where in the arguments of a list stand how many are wanted, and the place behind which it goes on.
    private static let (limitPlace, scorePlace) = (4, 6)

    init(_ operation: StoreOperation, now: Int64) {
        let own: [[UInt8]]
        switch operation {
        case .touch, .clean: isLasting = false
        default: isLasting = !operation.isRead
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
            (script, own) = (.touch, uses.flatMap { [Array($0.id.utf8), RedisCall.text($0.usedAt)] })
        case .clean(let limit): (script, own) = (.clean, [RedisCall.text(limit)])
        case .list(let application, let subject, let limit):
            script = .list
            own = RedisCall.listed(application, subject, limit)
        }
        arguments = [RedisCall.text(now)] + own
    }

    /// The same list, from a place of its own on; nil for what is no such place.
    /// - Parameter limit: how many are wanted still.
    func continued(behind place: [UInt8], limit: Int) -> RedisCall? {
        let parts = place.split(separator: 32, maxSplits: 1, omittingEmptySubsequences: false).map { Array($0) }
        guard parts.count == 2 else { return nil }
        var arguments = arguments
        arguments[RedisCall.limitPlace] = RedisCall.text(limit)
        arguments[RedisCall.scorePlace...] = parts[...]
        return RedisCall(script: script, arguments: arguments)
    }

    /// Of a list that goes on.
    private init(script: RedisScript, arguments: [[UInt8]]) {
        isLasting = false
        self.script = script
        self.arguments = arguments
    }

    private static func text(_ number: some BinaryInteger) -> [UInt8] { Array(String(number).utf8) }

    /// The seconds of grace; empty where reuse is not looked for.
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

    /// A record in the order that the scripts have.
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
