import Bytes

/// Why a request ended the way it did: the stable code of access log, audit log, metrics and `portcullis explain`.
///
/// A target declares the reasons that it gives, in an extension: computed constants, which cost no check at a use.
/// `config/reference/reasons.md` says what each one means; a test compares the two.
@usableFromInline
package struct Reason: Error, Sendable {
    /// Address and length of the code, a literal. Two words without a reference, which are copied and compared for free.
    @usableFromInline
    let start: UInt
    @usableFromInline
    let length: UInt16
    @usableFromInline
    let ownStatus: UInt16
    @usableFromInline
    let pause: UInt8
    /// What a challenge says of the token that was refused.
    @usableFromInline
    package let token: TokenError
    /// Whether the request was served, which no refusal, failure or early end is.
    @usableFromInline
    package let isServed: Bool

    @inlinable
    init(_ code: StaticString, status: UInt16, pause: UInt8, token: TokenError, isServed: Bool) {
        start = unsafe UInt(bitPattern: code.utf8Start)
        length = UInt16(truncatingIfNeeded: code.utf8CodeUnitCount)
        ownStatus = status
        self.pause = pause
        self.token = token
        self.isServed = isServed
    }

    /// - Parameters:
    ///   - status: of the reply; 0 where the reason has none of its own.
    ///   - retryAfter: seconds for a `Retry-After`; 0 where waiting does not help, or where each failure knows its own
    ///     wait.
    ///   - token: what a challenge says of the token that came; `none` where none counted.
    @inlinable
    package init(_ code: StaticString, _ status: UInt16, retryAfter: UInt8 = 0, token: TokenError = .none) {
        self.init(code, status: status, pause: retryAfter, token: token, isServed: false)
    }

    /// The reason of requests that were served.
    @inlinable
    package static func served(_ code: StaticString) -> Reason {
        Reason(code, status: 0, pause: 0, token: .none, isServed: true)
    }

    package var status: Int { Int(ownStatus) }
    package var retryAfterSeconds: Int? { pause == 0 ? nil : Int(pause) }

    /// What clients see. All 401s share one, so that a reply does not tell an unknown token from an expired one, nor a
    /// wrong user from a wrong password.
    package var publicCode: String { status == 401 ? "unauthorized" : code }
}

extension Reason: Hashable, CustomStringConvertible {
    package var code: String { String(copying: bytes) }
    @usableFromInline
    package var description: String { code }

    /// The code in ASCII.
    package var bytes: Span<UInt8> {
        @_lifetime(immortal)
        get {
            // SAFETY: the address of a literal, which lives for the whole run.
            let bytes = unsafe UnsafeBufferPointer(start: UnsafePointer<UInt8>(bitPattern: start), count: Int(length))
            return unsafe _overrideLifetime(bytes.span, borrowing: ())
        }
    }

    /// The literal of one declaration may stand in several targets, and has an address in each.
    @inlinable
    package static func == (left: Reason, right: Reason) -> Bool {
        left.length == right.length && left.ownStatus == right.ownStatus
            && (left.start == right.start || left.hasBytes(of: right))
    }

    @usableFromInline
    func hasBytes(of other: Reason) -> Bool { bytesEqual(bytes, other.bytes) }

    @usableFromInline
    package func hash(into hasher: inout Hasher) {
        unsafe bytes.withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
    }
}
