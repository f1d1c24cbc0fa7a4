import Outbound

/// Tells several requests at once with one refresh token, such as those of two tabs, from the reuse of a used one: the
/// answer with the new token leaves at an instant that the store knows, so that what arrives before it cannot be from a
/// client that has seen the answer. Gateways whose clocks differ by more than the pause see some of the one as the other.
package struct RaceClock: Sendable {
    /// Milliseconds between the use of a token and the answer.
    static let pause: Int64 = 20

    /// Milliseconds since 1970.
    let now: @Sendable () -> Int64
    private let run: @Sendable (Int64, @escaping @Sendable () -> Void) -> Void

    /// - Parameters:
    ///   - now: milliseconds since 1970.
    ///   - run: runs work at such an instant.
    package init(
        now: @escaping @Sendable () -> Int64,
        run: @escaping @Sendable (Int64, @escaping @Sendable () -> Void) -> Void
    ) {
        self.now = now
        self.run = run
    }

    /// Continues with a value at an instant.
    func hold<Value: Sendable>(_ value: Value, until instant: Int64) -> Effect<Value> {
        .answer(of: { then in run(instant + 1) { then(value) } }) { .done($0) }
    }
}
