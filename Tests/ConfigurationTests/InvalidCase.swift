import Testing

/// A configuration with one thing wrong, and everything that must be said about it.
struct InvalidCase: Sendable, CustomTestStringConvertible {
    let id: String
    let files: [String: String]
    let environment: [String: String]
    /// All error lines, in full.
    let errors: [String]

    init(_ id: String, _ files: [String: String], environment: [String: String] = [:], _ errors: String...) {
        self.id = id
        self.files = files
        self.environment = environment
        self.errors = errors
    }

    init(_ id: String, files: [String: String], _ errors: [String]) {
        self.id = id
        self.files = files
        environment = [:]
        self.errors = errors
    }

    /// The case differs from the base in further members of `gateway.json`, which begin in line 5.
    init(_ id: String, gateway: String, environment: [String: String] = [:], _ errors: String...) {
        self.id = id
        files = ["gateway.json": ConfigurationDirectory.gateway(gateway)]
        self.environment = environment
        self.errors = errors
    }

    var testDescription: String { id }
}
