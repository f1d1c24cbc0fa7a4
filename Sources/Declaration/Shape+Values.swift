import Bytes
import Model

extension Shape<Bool> {
    package static let flag = Shape(.flag, write: { .flag($0) }, read: { $0.bool() })
}

extension Shape<Int> {
    /// - Parameter noun: for messages, such as "a number of workers".
    package static func integer(_ range: ClosedRange<Int>, _ noun: String = "an integer") -> Shape {
        Shape(.integer(range), write: { .number(Int64($0)) }, read: { $0.integer(in: range, noun) })
    }

    package static let port = integer(0...65535, "a port number")

    /// A number of bytes.
    package static func size(in range: ClosedRange<Int>) -> Shape {
        Shape(.named("size", .size), write: JSONNode.size, read: { $0.size(in: range) })
    }

    /// A length of time in whole seconds.
    package static let seconds = Shape(
        .named("seconds", .described("A number of seconds.", .integer(1...315_360_000))),
        write: { .number(Int64($0)) }, read: { $0.seconds() })

    /// An authentication level.
    package static let level = Shape(
        .named("level", .described("An authentication level.", .integer(0...10))),
        write: { .number(Int64($0)) }, read: { $0.integer(in: 0...10, "a level") })
}

extension Shape<Int64> {
    /// A length of time in whole seconds.
    package static let seconds = Shape<Int>.seconds.map(Int64.init, back: Int.init)

    /// A second since 1970.
    package static let instant = Shape(.integer(0...253_402_300_799), read: { $0.instant() })
}

extension Shape<[UInt8]> {
    /// A key with one of these lengths in bytes, as Base64.
    package static func key(lengths: [Int]) -> Shape { Shape(.secret, read: { $0.key(lengths: lengths) }) }
}

extension Shape<TLSVersion> {
    /// A version of TLS that is safe.
    package static let tlsVersion = Shape.choice.reading { field in
        if let text = field.node.string, ["1.0", "1.1"].contains(text) {
            return field.error(
                "TLS \(text) is not safe any more (RFC 8996)", expected: "\"1.2\" or \"1.3\"", found: field.summary)
        }
        return field.choice(TLSVersion.self)
    }
}

extension Shape<Secret> {
    package static let secret = Shape(.secret, read: { $0.secret() })
}

extension Shape<Duration> {
    package static let duration = Shape(
        .named("duration", .duration), write: JSONNode.duration, read: { $0.duration() })

    /// A duration, or `"0s"` for never.
    package static let durationOrOff = Shape(
        .named("duration", .duration), write: JSONNode.duration, read: { $0.duration(from: 0) })

    /// The same as milliseconds.
    package var milliseconds: Shape<Int64> { map({ $0.milliseconds }, back: { .milliseconds($0) }) }

    /// The same as whole seconds, rounded down.
    package var wholeSeconds: Shape<Int64> { map({ $0.components.seconds }, back: { .seconds($0) }) }
}

extension Shape<Int64> {
    /// A duration in milliseconds.
    package static let milliseconds = Shape<Duration>.duration.milliseconds
    /// A duration in whole seconds, rounded down.
    package static let wholeSeconds = Shape<Duration>.duration.wholeSeconds
}

extension Shape<String> {
    /// A non-empty text without control characters.
    package static let name = Shape(.text, write: { .text($0) }, read: { $0.name() })

    /// A text that a function of `Field` reads.
    package static func text(
        _ form: @escaping @autoclosure @Sendable () -> Form, _ read: @escaping @Sendable (Field) -> String?
    )
        -> Shape
    {
        Shape(form(), write: { .text($0) }, read: read)
    }

    /// The name of something that another section defines.
    package static func reference(to kind: ReferenceKind) -> Shape {
        Shape(kind.form, write: { .text($0) }, read: { $0.reference(to: kind) })
    }

    /// A name of 1 to 64 letters, digits, dots, underscores and hyphens.
    package static let identifier = text(.pattern(Form.identifierPattern)) { $0.entryName() }

    /// Visible ASCII without blanks, compared with a header field as it is.
    package static let fieldValue = text(.pattern("^[!-~]+$")) { $0.fieldValue() }

    /// One of a few words.
    package static func choice(_ words: [String]) -> Shape { text(.choice(words)) { $0.choice(words) } }

    /// Absolute path of a file.
    package static let path = text(.text) { $0.path() }

    package static let certificateFile = text(.text) { $0.certificateFile() }

    package static let readableFile = text(.text) { $0.readableFile() }

    package static let headerName = Shape(
        .named("header", .headerName), write: { .text($0) }, read: { $0.headerName() })
}

extension Shape<[String]> {
    /// Texts, each once.
    package static let names = Shape(.list(.text), write: { .texts($0) }, read: { $0.names() })

    /// Texts, each once, that a function of `Field` reads.
    package static func texts(
        _ form: @escaping @autoclosure @Sendable () -> Form, _ read: @escaping @Sendable (Field) -> [String]?
    ) -> Shape {
        Shape(form(), write: { .texts($0) }, read: read)
    }

    /// Texts, each once.
    /// - Parameter expected: for messages.
    package static func names(_ expected: String) -> Shape { texts(.list(.text)) { $0.names(expected) } }

    /// One name of something that another section defines, or several, each once.
    package static func oneOrMore(of kind: ReferenceKind) -> Shape {
        let name = Form.named("\(kind.rawValue)Name", kind.form)
        return texts(.either([name, .list(name, minimum: 1)])) { $0.oneOrMore(of: kind) }
    }

    /// One text or several, each once.
    package static let oneOrMoreNames = texts(.either([.text, .list(.text, minimum: 1)])) { field in
        guard field.node.array != nil else { return field.name().map { [$0] } }
        let names = field.names()
        if names?.isEmpty == true { field.error("the list is empty", expected: "at least one text") }
        return names
    }

    /// Names of things that another section defines, each once.
    package static func references(to kind: ReferenceKind) -> Shape {
        Shape(.list(kind.form), write: { .texts($0) }, read: { $0.references(to: kind) })
    }
}

extension Shape<WebOrigin> {
    package static let origin = Shape(.pattern("^https?://[^/?#@]+$"), write: { .text("\($0)") }, read: { $0.origin() })
}

extension Shape<WebURL> {
    /// An `https` URL, or an `http` one where that is allowed.
    package static func url(allowHTTP: Bool) -> Shape {
        Shape(.pattern("^https?://"), read: { $0.url(allowHTTP: allowHTTP) })
    }
}

extension Shape<IPAddress> {
    package static let address = Shape(.pattern("^[0-9A-Fa-f:.]+$"), write: { .text("\($0)") }, read: { $0.address() })
}

extension Shape<[IPAddressRange]> {
    package static let addressBlocks = Shape<IPAddressRange>(
        .named(
            "block",
            .described(
                "An IP address or a block of them, such as `10.0.0.0/8`.",
                .pattern("^[0-9A-Fa-f:.]+(/[1-9][0-9]{0,2})?$"))),
        read: { $0.addressBlock() }
    ).list("an array of CIDR blocks", isUnique: false)
}

extension Shape where Value: RawRepresentable & CaseIterable, Value.RawValue == String {
    /// One of the words of an enumeration.
    package static var choice: Shape {
        Shape(
            .choice(Value.allCases.map(\.rawValue)), write: { .text($0.rawValue) }, read: { $0.choice(Value.self) })
    }
}

extension Shape where Value: RawRepresentable, Value.RawValue == String {
    /// One of some words of an enumeration.
    package static func choice(among choices: [Value]) -> Shape {
        Shape(
            .choice(choices.map(\.rawValue)), write: { .text($0.rawValue) }, read: { $0.choice(among: choices) })
    }
}

// MARK: Forms

extension Form {
    // Computed, since leak checkers do not see the pointers of indirect cases in globals.

    package static var size: Form {
        .described(
            "A number of bytes, or `\"64KiB\"`, `\"1MiB\"`, `\"2GiB\"`.",
            .either([.integer(0...Int.max), .pattern("^[0-9]+(B|KiB|MiB|GiB)$")]))
    }
    package static var duration: Form {
        .described("A length of time: `\"250ms\"`, `\"30s\"`, `\"5m\"`, `\"1h\"`.", .pattern("^[0-9]+(ms|s|m|h)$"))
    }
    package static var secret: Form {
        .named(
            "secret",
            .described("The secret itself, `env:NAME`, `file:PATH`, `cred:KEY` or `program:NAME:KEY`.", .text))
    }
    package static var headerName: Form { .described("The name of a header field.", .pattern(Form.tokenPattern)) }
    package static let tokenPattern = "^[A-Za-z0-9!#$%&'*+.^_`|~-]+$"
}

extension ReferenceKind {
    /// The form of a reference.
    package var form: Form {
        switch self {
        case .backend:
            .named(
                "backend",
                .described("A backend as name/version.", .pattern("^[A-Za-z0-9._-]{1,64}/[A-Za-z0-9._-]{1,64}$")))
        case .client:
            .named(
                "client", .described("The id of a client, or a backend as name/version.", .pattern("^[!-~]+$")))
        case .role: .named("role", .described("A role of the catalogue.", .text))
        case .authenticationScheme, .webgate, .rateLimit, .issuer, .trustedIssuer, .policyServer:
            .pattern(Form.identifierPattern)
        case .upstream, .application, .route, .identityProvider, .user, .consumer: .text
        }
    }
}

// MARK: Values as they are written

extension JSONNode {
    /// In the largest unit with an integral value.
    package static func duration(_ duration: Duration) -> JSONNode {
        let milliseconds = duration.milliseconds
        let units: [(String, Int64)] = [("h", 3_600_000), ("m", 60_000), ("s", 1000)]
        // "60s" is preferred to "1m", since such settings are given in seconds.
        for (unit, length) in units
        where milliseconds % length == 0 && (milliseconds >= (unit == "m" ? 2 * length : length) || unit == "s") {
            return .text("\(milliseconds / length)\(unit)")
        }
        return .text("\(milliseconds)ms")
    }

    /// In the largest unit with an integral value; small sizes as numbers.
    package static func size(_ bytes: Int) -> JSONNode {
        for (unit, length) in [("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)]
        where bytes >= length && bytes % length == 0 {
            return .text("\(bytes / length)\(unit)")
        }
        return .number(Int64(bytes))
    }
}
