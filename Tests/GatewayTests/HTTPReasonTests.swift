import HTTP
import Model
import Testing

@testable import Gateway

@Suite struct HTTPReasonTests {
    @Test("reason codes are stable words, each its own")
    func unique() {
        let codes = HTTPParseError.allCases.map(\.reason.code) + H2Failure.allCases.map(\.reason.code)
        #expect(Set(codes).count == codes.count)
        for code in codes { #expect(code.allSatisfy { $0.isLowercase || $0.isNumber || $0 == "_" }, "\(code)") }
    }

    @Test("statuses are those of RFC 9110 section 15")
    func statuses() {
        let expected: [HTTPParseError: Int] = [
            .targetTooLong: 414, .unknownExpectation: 417, .headTooLarge: 431, .tooManyFields: 431,
            .trailerTooLarge: 431, .tooManyConnectionOptions: 431,
            .methodTooLong: 501, .connectUnsupported: 501, .unknownTransferCoding: 501, .unsupportedVersion: 505,
        ]
        for error in HTTPParseError.allCases { #expect(error.status == expected[error] ?? 400) }
    }
}
