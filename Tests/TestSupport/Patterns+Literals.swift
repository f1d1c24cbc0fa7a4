import Model

// Tests write patterns as texts.

extension PathPattern: ExpressibleByStringInterpolation {
    package init(stringLiteral text: String) {
        do {
            self = try PathPattern(text)
        } catch {
            fatalError("\(text): \(error.rawValue)")
        }
    }
}

extension HostPattern: ExpressibleByStringInterpolation {
    package init(stringLiteral text: String) {
        guard let host = HostPattern(text) else { fatalError("\(text) is no host") }
        self = host
    }
}
