import Model

// Tests write patterns and URLs as texts.

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

extension WebOrigin: ExpressibleByStringInterpolation {
    package init(stringLiteral text: String) {
        do { self = try WebOrigin(text) } catch { fatalError("\(text): \(error.rawValue)") }
    }
}

extension AllowOriginPolicy: ExpressibleByStringInterpolation {
    package init(stringLiteral text: String) { self = AllowOriginPolicy(text) }
}
