import Model

/// Tests write patterns as texts.
extension PathPattern: ExpressibleByStringInterpolation {
    package init(stringLiteral text: String) {
        do {
            self = try PathPattern(text)
        } catch {
            fatalError("\(text): \(error.rawValue)")
        }
    }
}
