import Crypto
import Identity
import JOSE
import Model
import Outbound
import Synchronization
import TestSupport

/// Signing keys by name, made once: `a`, `b` and so on; the names are their `kid`s.
enum KeyFixture {
    static let signers: [String: JWTSigner] = Dictionary(
        uniqueKeysWithValues: ["a", "b", "c"].map { ($0, JWTSigner(key: SigningKey.generate(.es256), keyID: $0)) })

    static func set(_ names: String...) -> KeySet { KeySet(keys: names.compactMap { signers[$0]?.publishedKey }) }

    static func jwks(_ names: String...) -> [UInt8] {
        KeySet(keys: names.compactMap { signers[$0]?.publishedKey }).jwks()
    }

    static func need(_ kid: String?, inVain: Bool = false) -> KeyNeed {
        KeyNeed(keyID: kid, algorithm: .es256, wasTriedInVain: inVain)
    }

    static func settings(
        discovery: String? = nil, keys: String? = "https://idp.example/keys", allowHTTP: Bool = false
    ) throws -> RemoteKeySettings {
        try RemoteKeySettings(
            issuer: "https://idp.example", discovery: discovery.map { try WebURL($0) },
            keys: keys.map { try WebURL($0) }, allowHTTP: allowHTTP)
    }
}

extension KeyAvailability {
    var names: [String]? {
        if case .ready(let keys) = self { keys.keys.map { $0.kid ?? "" } } else { nil }
    }
    var isFetch: Bool { if case .fetch = self { true } else { false } }
    var isUnavailable: Bool { if case .unavailable = self { true } else { false } }
}

/// Takes calls and answers them when the test wants.
final class ScriptedCaller: OutboundCaller {
    private let waiting = Mutex<[(OutboundCall, @Sendable (OutboundResult) -> Void)]>([])
    private let count = Mutex(0)

    func perform(_ call: OutboundCall, then: @escaping @Sendable (OutboundResult) -> Void) {
        count.withLock { $0 += 1 }
        waiting.withLock { $0.append((call, then)) }
    }

    /// Calls so far.
    var calls: Int { count.withLock { $0 } }
    var isWaiting: Bool { waiting.withLock { !$0.isEmpty } }

    /// Answers the first call that waits; answers that call.
    @discardableResult func answer(_ result: OutboundResult) -> OutboundCall? {
        guard let (call, then) = waiting.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) else { return nil }
        then(result)
        return call
    }

    @discardableResult func answer(
        _ body: [UInt8], status: Int = 200, _ headers: [(name: String, value: String)] = []
    ) -> OutboundCall? {
        answer(.response(OutboundResponse(status: status, headers: headers, body: body)))
    }
}

/// A clock that a test moves.
final class TestClock: Sendable {
    private let seconds = Mutex<Int64>(1_800_000_000)

    var now: Int64 { seconds.withLock { $0 } }
    func pass(_ count: Int64) { seconds.withLock { $0 += count } }
}
