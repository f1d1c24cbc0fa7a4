import Testing

extension Tag {
    /// Suites about connections, bodies, time-outs and processes, whose outcome may depend on the event loop's engine.
    /// `deploy/test` runs them on io_uring and on epoll, and the other suites on one of the two.
    @Tag static var engine: Self
    /// Suites that hold for a program without the trait Compatibility as well. `deploy/test` runs them once more with it.
    @Tag static var core: Self
}
