/// Retries of failed requests on another server.
package struct RetrySettings: Equatable, Sendable {
    /// Retries of one request; 0 for none.
    package var attempts = 1
    /// Retry budget as a share of all requests.
    package var budgetPercent = 20
    /// Retries per second that are always allowed.
    package var minimumPerSecond = 5

    package init() {}
}
