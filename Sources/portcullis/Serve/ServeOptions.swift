/// How to serve a configuration.
struct ServeOptions {
    /// Whether it may be obviously insecure.
    let acceptsInsecure: Bool
    /// Whether terminals get the logs as JSON too.
    let logsJSON: Bool
}
