import Foundation

/// Tokens of an outside provider and what is to become of them: accepted while their key is published, refused from some
/// time after it was taken back on.
final class OutsideTokens: Sendable {
    enum Expectation: Equatable { case accepted, either, refused }

    private struct State: Sendable {
        var byKey: [String: [String]] = [:]
        var newest: String?
        /// When keys were taken back.
        var endings: [String: ContinuousClock.Instant] = [:]
    }

    /// Tokens of one key that are kept, those of keys that were taken back as well.
    private static let capacity = 100
    private let state = Monitor(State())
    private let bound: Duration

    /// - Parameter bound: how long a key that was taken back may still count.
    init(bound: Duration) { self.bound = bound }

    func add(_ token: String) {
        let key = JSONWebToken(token).header["kid"].string ?? ""
        state.withLock { state in
            var tokens = state.byKey[key] ?? []
            if tokens.count == Self.capacity { tokens.removeFirst() }
            state.byKey[key] = tokens + [token]
            state.newest = key
        }
    }

    /// The key of the token that came last.
    var newest: String? { state.current.newest }

    /// Called before the provider takes the key back.
    func end(_ key: String) { state.withLock { $0.endings[key] = .now } }

    /// Half of the time one of the newest key.
    func any() -> (text: String, key: String)? {
        state.withLock { state in
            let key = Bool.random() ? state.newest : state.byKey.keys.randomElement()
            return key.flatMap { key in state.byKey[key]?.randomElement().map { ($0, key) } }
        }
    }

    func expectation(_ key: String) -> Expectation {
        guard let ending = state.withLock({ $0.endings[key] }) else { return .accepted }
        return ContinuousClock.now - ending > bound ? .refused : .either
    }
}

/// Clients that present tokens of an outside provider, one that fetches ever new ones, and one that invents names of
/// keys.
final class OutsideLoad: Sendable {
    struct Tally: Sendable {
        /// Accepted, in all and by key.
        var good = 0
        var goodByKey: [String: Int] = [:]
        /// Keys that were taken back and whose tokens are refused.
        var ended: Set<String> = []
        /// Good tokens that were refused, and others that were accepted for too long.
        var refused: [String] = []
        var outlived: [String] = []
        /// Invented names that were refused.
        var invented = 0
        var wrong: [String] = []
    }

    private struct Orders: Sendable {
        var isEnded = false
        var mints = true
        var isMinting = false
        var isAway = false
        var running = 0
    }

    private let tokens: OutsideTokens
    private let tally = Monitor(Tally())
    private let orders = Monitor(Orders())
    private let port: UInt16

    init(_ gateway: GatewayProcess, _ provider: OutsideProvider, _ tokens: OutsideTokens) throws {
        self.tokens = tokens
        port = try gateway.port()
        for _ in 0..<3 { work { [self] connection in try ask(connection) } }
        work { [self] _ in
            let isEnded = orders.wait { orders in
                orders.isMinting = orders.mints && !orders.isEnded
                return orders.isMinting || orders.isEnded ? orders.isEnded : nil
            }
            guard isEnded == false else { return }
            defer { orders.withLock { $0.isMinting = false } }
            tokens.add(try provider.token())
        }
    }

    /// Does it again and again, in a thread of its own.
    private func work(_ body: @escaping @Sendable (RawConnection) throws -> Void) {
        orders.withLock { $0.running += 1 }
        Thread.detachNewThread { [port, orders, tally] in
            do {
                let connection = try RawConnection(port: port)
                while !orders.current.isEnded { try body(connection) }
            } catch {
                tally.withLock { $0.wrong.append("\(error)") }
            }
            orders.withLock { $0.running -= 1 }
        }
    }

    private func ask(_ connection: RawConnection) throws {
        guard let (token, key) = tokens.any() else { return }
        let (before, isAway) = (tokens.expectation(key), orders.current.isAway)
        let response = try connection.exchange("GET", "/plain", [.bearer(token)])
        let after = tokens.expectation(key)
        tally.withLock { tally in
            switch (response.status, before, after) {
            case (200, .refused, _): tally.outlived.append("\(key): \(response.status)")
            case (200, _, _):
                tally.good += 1
                tally.goodByKey[key, default: 0] += 1
            case (_, .accepted, .accepted): tally.refused.append("\(key): \(response.status) \(response.text)")
            case (401, _, _): tally.ended.insert(key)
            // Whether the key is there again is unknown.
            case (503, _, _) where isAway: break
            default: tally.wrong.append("\(key): \(response.status) \(response.text)")
            }
        }
    }

    /// From now on clients present tokens that name keys that do not exist.
    func inventNames() {
        work { [orders, tokens, tally] connection in
            guard let text = tokens.any()?.text else { return }
            let header = Data(#"{"alg":"ES256","kid":"\#(UInt64.random(in: 0...UInt64.max))"}"#.utf8)
            let name = header.base64EncodedString().filter { $0 != "=" }
            let forged = "\(name).\(text.split(separator: ".").dropFirst().joined(separator: "."))"
            let isAway = orders.current.isAway
            let response = try connection.exchange("GET", "/plain", [.bearer(forged)])
            tally.withLock { tally in
                if response.status == 401 || isAway && response.status == 503 {
                    tally.invented += 1
                } else {
                    tally.wrong.append("invented: \(response.status)")
                }
            }
        }
    }

    /// Whether new tokens are fetched; behind the call with false none is any more.
    func mint(_ isOn: Bool) {
        orders.withLock { $0.mints = isOn }
        let _: Bool? = orders.wait { isOn || !$0.isMinting ? true : nil }
    }

    /// While the provider is away, or may be, unknown keys may be 503.
    func away(_ isAway: Bool) { orders.withLock { $0.isAway = isAway } }

    var current: Tally { tally.current }

    func wait(_ condition: (Tally) -> Bool) -> Bool { tally.wait { condition($0) ? true : nil } ?? false }

    /// Waits for some more good answers.
    func goesOn() -> Bool {
        let before = current.good
        return wait { $0.good > before + 100 }
    }

    /// Lets a time go by that a provider keeps.
    func goOn(for duration: Duration) {
        let _: Bool? = tally.wait(.after(duration)) { _ in nil }
    }

    func stop() -> Tally {
        orders.withLock { $0.isEnded = true }
        let _: Bool? = orders.wait { $0.running == 0 ? true : nil }
        return tally.current
    }
}
