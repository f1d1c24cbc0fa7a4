import Synchronization
import Testing

@testable import Gateway

/// Targets of administrative requests, and the count of workers that have seen a change.
@Suite struct AdminRequestTests {
    private func decode(_ path: String, _ query: String = "") -> (path: [String], parameters: [AdminRequest.Parameter])?
    {
        let (path, query) = (Array(path.utf8), Array(query.utf8))
        return AdminRequest.decode(path: path.span, query: query.span)
    }

    @Test(
        "segments are decoded one by one, so that a name may have a slash",
        arguments: [
            ("users", ["users"]), ("users/a%2Fb", ["users", "a/b"]), ("users/..", ["users", ".."]),
            ("users/", ["users", ""]), ("/users", ["", "users"]), ("", [""]),
            ("users/zo%C3%AB", ["users", "zo\u{EB}"]),
            ("users/a+b", ["users", "a+b"]), ("users/%2e%2E%2f", ["users", "../"]),
        ])
    func segments(_ path: String, _ expected: [String]) { #expect(decode(path)?.path == expected) }

    @Test(arguments: [
        "users/%", "users/%4", "users/%zz", "users/%ff", "users/%00", "users/%0a", "users/%7F", "users/a\tb",
    ])
    func malformedPathsAreRefused(_ path: String) { #expect(decode(path) == nil) }

    @Test func parameters() {
        #expect(decode("users", "realm=A%20B&x=")?.parameters.map(\.value) == ["A B", ""])
        for query in ["realm=A&realm=B", "realm=%ff", "realm=%0", "a=%00"] {
            #expect(decode("users", query) == nil, "\(query)")
        }
    }

    @Test func adoptionIsToldOnceAndOnlyWhenAllHaveSeenIt() {
        let counter = Counter()
        let count = Countdown(of: 3) { counter.add() }
        count.arrived()
        count.arrived()
        #expect(counter.value == 0)
        count.arrived()
        count.arrived()
        #expect(counter.value == 1)
    }

    private final class Counter: Sendable {
        private let number = Mutex(0)
        var value: Int { number.withLock { $0 } }
        func add() { number.withLock { $0 += 1 } }
    }
}
