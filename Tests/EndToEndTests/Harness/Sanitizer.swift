import Foundation

/// The sanitizers of `deploy/sanitize`, which says so to the tests: memory is not what it is without them.
enum Sanitizer {
    static let isOn = ProcessInfo.processInfo.environment["PORTCULLIS_SANITIZED"] != nil
}
