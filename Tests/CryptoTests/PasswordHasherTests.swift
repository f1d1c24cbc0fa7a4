import Bytes
import Crypto
import Testing

@Suite struct PasswordHasherTests {
    struct Vector: Sendable, CustomTestStringConvertible {
        let id: String
        let stored: String
        let password: String
        let verify: Bool
        var testDescription: String { id }
    }

    static let vectors: [Vector] = {
        let nodes = Fixture.json("crypto/crypto.json").array ?? []
        return nodes.map { node in
            Vector(
                id: node["id"]?.string ?? "?", stored: node["stored"]?.string ?? "?",
                password: node["password"]?.string ?? "?", verify: node["verify"]?.bool ?? false)
        }
    }()

    private static func verify(
        _ password: String, _ stored: String, _ hasher: PasswordHasher = PasswordHasher()
    ) -> Bool {
        hasher.verify(Array(password.utf8), stored: stored)
    }

    @Test("CRYPTO-01", arguments: vectors)
    func readsStoredPasswords(_ vector: Vector) {
        #expect(Self.verify(vector.password, vector.stored) == vector.verify)
    }

    @Test func hasAllVectors() {
        #expect(Self.vectors.count == 14)
        #expect(Self.vectors.count { $0.verify } == 11)
    }

    @Test("CRYPTO-01, DEC-08: each scheme verifies what it made", arguments: PasswordScheme.allCases)
    func verifiesWhatItMade(scheme: PasswordScheme) throws {
        let hasher = PasswordHasher(aesKey: [UInt8](repeating: 9, count: 32))
        let stored = try hasher.make(Array("s3cret pässword".utf8), scheme: scheme)
        #expect(stored.hasPrefix("{\(scheme.rawValue)}"))
        #expect(Self.verify("s3cret pässword", stored, hasher))
        #expect(!Self.verify("s3cret passwort", stored, hasher))
        #expect(!Self.verify("s3cret pässwor", stored, hasher))
        #expect(!Self.verify("", stored, hasher))
        let again = try hasher.make(Array("s3cret pässword".utf8), scheme: scheme)
        #expect((again != stored) == (scheme.isSalted || scheme == .aes))
    }

    @Test("DEC-08: scrypt with N 2^15, r 8, p 1 is the default")
    func makesScryptByDefault() throws {
        let stored = try PasswordHasher().make(Array("mypassword".utf8))
        #expect(stored.hasPrefix("{scrypt}ln=15,r=8,p=1$"))
        let slow = try PasswordHasher().make(Array("mypassword".utf8), scheme: .pbkdf2SHA512)
        #expect(slow.hasPrefix("{PBKDF2-SHA512}i=210000$"))
    }

    /// RFC 7914 section 12 (scrypt), and the inputs of RFC 6070 with SHA-512 as Python's hashlib has it (PBKDF2).
    @Test(arguments: [
        (
            "password",
            "{scrypt}ln=10,r=8,p=16$TmFDbA==$"
                + "/bq+HJ00cgB4VucZDQHp/nxq18vII3gw53N2Y0s3MWIurzDZLiKjiG/xCSedmDDaxyevuUqD7m2DYMvfoswGQA=="
        ),
        (
            "pleaseletmein",
            "{scrypt}ln=14,r=8,p=1$U29kaXVtQ2hsb3JpZGU=$"
                + "cCO9yzr9c0hGHAbNgf046/2o+7qQT44+qbVD9lRdofLVQylVYT8Pz2LUlwUkKpr55h6F3A1lHkDfzwF7RVdYhw=="
        ),
        (
            "password",
            "{PBKDF2-SHA512}i=1$c2FsdA==$"
                + "hn9wzxreAs/zdSWZo6U9xK80x6ZpgVrl1RNVThyM8lLALUcKKFoFAbrZmb/pQ8CPBQI119aLHaVeY/c7YKV/zg=="
        ),
    ])
    func derivesKnownKeys(password: String, stored: String) {
        #expect(Self.verify(password, stored))
        #expect(!Self.verify(password + " ", stored))
    }

    @Test(
        "CRYPTO-01: unknown schemes, malformed payloads and unbounded parameters never verify",
        arguments: [
            "", "mypassword", "{}mypassword", "{PlainText}", "{plaintext}mypassword", "{PLAINTEXT}mypassword",
            " {PlainText}mypassword", "{PlainText mypassword", "{PlainText}mypassword ", "{{PlainText}mypassword",
            "{SHA-1}kd/Z3bQZiv/FwZTNjObTOP3kcOI", "{SHA-1}kd_Z3bQZiv_FwZTNjObTOP3kcOI=",
            "{SHA-1} kd/Z3bQZiv/FwZTNjObTOP3kcOI=", "{SHA-1}kd/Z3bQZiv/FwZTNjObTOP3kcOI=\n",
            "{SHA-1}TvQKkmUk3AysuwuktGOZCqyvDK0BAgM=", "{SaltedSHA-1}kd/Z3bQZiv/FwZTNjObTOP3kcOI=",
            "{SHA-256}kd/Z3bQZiv/FwZTNjObTOP3kcOI=", "{AES}AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=", "{AES}",
            "{scrypt}", "{scrypt}ln=10,r=8,p=1", "{scrypt}ln=10,r=8,p=1$c2FsdA==", "{scrypt}ln=10,r=8,p=1$c2FsdA==$",
            "{scrypt}ln=40,r=8,p=1$c2FsdA==$AAAAAAAAAAAAAAAAAAAAAA==",
            "{scrypt}ln=20,r=8,p=1$c2FsdA==$AAAAAAAAAAAAAAAAAAAAAA==",
            "{scrypt}ln=18,r=8,p=16$c2FsdA==$AAAAAAAAAAAAAAAAAAAAAA==",
            "{scrypt}ln=0,r=8,p=1$c2FsdA==$AAAAAAAAAAAAAAAAAAAAAA==",
            "{scrypt}ln=-1,r=8,p=1$c2FsdA==$AAAAAAAAAAAAAAAAAAAAAA==",
            "{scrypt}ln=+4,r=8,p=1$c2FsdA==$AAAAAAAAAAAAAAAAAAAAAA==",
            "{scrypt}ln=4,r=0,p=1$c2FsdA==$AAAAAAAAAAAAAAAAAAAAAA==",
            "{scrypt}ln=4,r=8,p=99999999999999999999$c2FsdA==$AAAAAAAAAAAAAAAAAAAAAA==",
            "{scrypt}r=8,ln=4,p=1$c2FsdA==$AAAAAAAAAAAAAAAAAAAAAA==",
            "{scrypt}ln=4,r=8,p=1,x=1$c2FsdA==$AAAAAAAAAAAAAAAAAAAAAA==",
            "{scrypt}ln=4,r=8,p=1$$AAAAAAAAAAAAAAAAAAAAAA==", "{scrypt}ln=4,r=8,p=1$c2FsdA==$AAAA",
            "{PBKDF2-SHA512}i=0$c2FsdA==$AAAAAAAAAAAAAAAAAAAAAA==",
            "{PBKDF2-SHA512}i=99999999999$c2FsdA==$AAAAAAAAAAAAAAAAAAAAAA==",
            "{PBKDF2-SHA512}210000$c2FsdA==$AAAAAAAAAAAAAAAAAAAAAA==", "{MD5}abc", "{SSHA}abc", "{CRYPT}abc",
        ])
    func refuses(stored: String) {
        #expect(!Self.verify("mypassword", stored))
        #expect(!Self.verify("", stored))
    }

    @Test func boundsLengths() throws {
        let hasher = PasswordHasher()
        let longest = [UInt8](repeating: 97, count: PasswordHasher.maximumLength)
        let stored = try hasher.make(longest, scheme: .saltedSHA256)
        #expect(hasher.verify(longest, stored: stored))
        let longer = longest + [97]
        #expect(throws: PasswordError.invalidLength) { try hasher.make(longer, scheme: .saltedSHA256) }
        #expect(!hasher.verify(longer, stored: "{PlainText}" + String(decoding: longer, as: UTF8.self)))
        #expect(throws: PasswordError.invalidLength) { try hasher.make([UInt8]()) }
        #expect(throws: PasswordError.notText) { try hasher.make([0xff, 0xfe], scheme: .plainText) }
    }

    @Test("CRYPTO-03: salt bits are a multiple of 8", arguments: [-8, 0, 7, 12, 129, 520])
    func refusesSaltLengths(bits: Int) {
        #expect(throws: PasswordError.invalidSaltLength) {
            try PasswordHasher().make(Array("x".utf8), scheme: .saltedSHA512, saltBits: bits)
        }
    }

    @Test("CRYPTO-03: digest of password and salt, then the salt")
    func laysOutSaltedHashes() throws {
        let stored = try PasswordHasher().make(Array("mypassword".utf8), scheme: .saltedSHA512, saltBits: 24)
        let payload = String(stored.dropFirst("{SaltedSHA-512}".count))
        let decoded = try #require(base64(payload))
        #expect(decoded.count == 64 + 3)
        let message = Array("mypassword".utf8) + decoded.suffix(3)
        #expect(Array(decoded.prefix(64)) == DigestAlgorithm.sha512.digest(message))
    }

    @Test("CRYPTO-01: AES is IV and CBC ciphertext, reversible with the key", arguments: [16, 24, 32])
    func readsAESPasswords(keyLength: Int) throws {
        let key = Array(UInt8(0)..<UInt8(keyLength))
        let hasher = PasswordHasher(aesKey: key)
        let stored = try hasher.make(Array("mypassword".utf8), scheme: .aes)
        let payload = String(stored.dropFirst("{AES}".count))
        #expect(base64(payload)?.count == 32)
        #expect(Self.verify("mypassword", stored, hasher))
        #expect(!Self.verify("mypassword", stored, PasswordHasher(aesKey: key.reversed())))
        #expect(!Self.verify("mypassword", stored, PasswordHasher()))
        #expect(throws: PasswordError.missingKey) {
            try PasswordHasher(aesKey: [1, 2, 3]).make(Array("mypassword".utf8), scheme: .aes)
        }
    }

    /// `printf mypassword | openssl enc -aes-128-cbc -K 000102...0f -iv 101112...1f`, after the IV.
    @Test func readsAESPasswordMadeByOpenSSL() {
        let hasher = PasswordHasher(aesKey: Array(0..<16))
        #expect(Self.verify("mypassword", "{AES}EBESExQVFhcYGRobHB0eH2eUUc7S57uelTEUJMuOF2Q=", hasher))
    }
}
