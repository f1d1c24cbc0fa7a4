/// How often a request that failed is tried on another server.
package struct RetrySettings: Equatable, Sendable {
    /// Further attempts of one request; 0 for none.
    package var attempts = 1
    /// Further attempts of all requests, as a share of the requests.
    package var budgetPercent = 20
    /// Further attempts that each second allows even where the share is less.
    package var minimumPerSecond = 5

    package init() {}
}
