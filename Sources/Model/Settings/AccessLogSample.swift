/// Which share of the requests is in the access log.
package struct AccessLogSample: Hashable, Sendable {
    /// One of how many successful requests is logged; 1 for all.
    package let successes: Int
    /// The same for requests that were refused, failed or ended early.
    package let failures: Int

    package static let all = AccessLogSample(successes: 1, failures: 1)

    package var isAll: Bool { self == .all }

    package init(successes: Int, failures: Int) {
        self.successes = successes
        self.failures = failures
    }
}
