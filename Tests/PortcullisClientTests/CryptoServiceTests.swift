import Bytes
import ClientStore
import Testing

@testable import PortcullisClient

/// CRYPTO-03, with the vectors of CRYPTO-01.
@Suite struct CryptoServiceTests {
    /// K02 to K11: the schemes with a digest.
    struct Vector: Sendable, CustomTestStringConvertible {
        let id: String
        let algorithm: CryptoService.Algorithm
        let salt: [UInt8]
        let stored: String
        let password: String
        var testDescription: String { id }

        static let all: [Vector] = (Fixture.json("crypto/crypto.json").array ?? []).compactMap { node in
            guard let id = node["id"]?.string, ("K02"..."K11").contains(id), let stored = node["stored"]?.string,
                let password = node["password"]?.string,
                let algorithm = CryptoService.Algorithm(
                    rawValue: (node["scheme"]?.string ?? "").replacing("Salted", with: ""))
            else { return nil }
            let salt = node["saltHex"] == nil ? [] : [UInt8]([1, 2, 3])
            return Vector(id: id, algorithm: algorithm, salt: salt, stored: stored, password: password)
        }
    }

    private let service = CryptoService()

    @Test func vectorsAreThere() { #expect(Vector.all.map(\.id) == (2...11).map { $0 < 10 ? "K0\($0)" : "K\($0)" }) }

    @Test("the hash of a vector under its salt is the vector", arguments: Vector.all)
    func vector(_ vector: Vector) {
        let message = Array(vector.password.utf8)
        #expect(service.hash(message, salt: vector.salt, algorithm: vector.algorithm).text == vector.stored)
        #expect(service.verify(message, stored: vector.stored))
        #expect(!service.verify(message + [33], stored: vector.stored))
    }

    @Test("a fresh salt, in bits, is answered and follows the digest; two runs differ")
    func salts() throws {
        let (a, b) = (
            try service.hash([1], saltBits: 24, algorithm: .sha256),
            try service.hash([1], saltBits: 24, algorithm: .sha256)
        )
        #expect(a.salt.count == 3)
        #expect(a != b)
        #expect(a == service.hash([1], salt: a.salt, algorithm: .sha256))
        #expect(service.verify([1], stored: a.text))
        #expect(try service.makeSalt(bits: 512).count == 64)
    }

    @Test("a salt is a multiple of 8 bits", arguments: [0, -8, 1, 7, 12, 127, 520])
    func wrongSalts(_ bits: Int) {
        #expect(throws: ClientError(.invalidArgument, "a salt has a multiple of 8 bits, from 8 to 512")) {
            try service.hash([1], saltBits: bits, algorithm: .sha512)
        }
    }

    @Test("prefix, Base64 and the salt behind the digest are each a choice")
    func output() {
        let (message, salt) = (Array("mypassword".utf8), [UInt8]([1, 2, 3]))
        func hash(_ appends: Bool, _ base64: Bool, _ prefix: Bool) -> [UInt8] {
            service.hash(
                message, salt: salt, algorithm: .sha1,
                output: .init(appendsSalt: appends, usesBase64: base64, hasPrefix: prefix)
            ).output
        }
        let bare = hash(false, false, false)
        #expect(bare.count == 20)
        #expect(hash(true, false, false) == bare + salt)
        #expect(hash(false, true, false) == Base64.encode(bare.span))
        #expect(hash(false, false, true) == Array("{SaltedSHA-1}".utf8) + bare)
        #expect(hash(true, true, true) == Array("{SaltedSHA-1}TvQKkmUk3AysuwuktGOZCqyvDK0BAgM=".utf8))
    }
}
