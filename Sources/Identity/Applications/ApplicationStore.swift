import Model

/// The applications, found by name.
package final class ApplicationStore: Sendable {
    package let applications: [Application]
    private let byName: [[UInt8]: Int]

    /// - Precondition: names are unique.
    package init(_ applications: [Application]) {
        self.applications = applications
        byName = Dictionary(uniqueKeysWithValues: applications.enumerated().map { (Array($1.name.utf8), $0) })
    }

    package var isEmpty: Bool { applications.isEmpty }

    /// The application of this name, compared byte by byte.
    package func application(named name: String) -> Application? {
        byName[Array(name.utf8)].map { applications[$0] }
    }
}
