import Bytes
import JOSE
import Testing

/// The vectors of Project Wycheproof for JWS and JWK.
@Suite struct WycheproofTests {
    struct Vector: Sendable, CustomTestStringConvertible {
        let id: Int64
        let comment: String
        let keySet: String
        let content: KeySet.Content
        let jws: String
        let isValid: Bool
        var testDescription: String { "\(id) \(comment)" }
    }

    /// Vectors that call a token valid although the `alg` of its key forbids it: keys for PS256 under tokens of PS384
    /// (RFC 7520 figure 20), and keys for `ES521`, which is no algorithm; the JWK file calls the same key invalid
    /// (case 19 there). A key's `alg` binds (RFC 7517 section 4.4), so these are refused; see `repairedVectors`.
    static let refusedByPinning: Set<Int64> = [346, 347, 350, 351]

    /// Vectors that contradict their own words. 367 and 370 are called invalid for their padding, but are byte for byte
    /// the valid vector 357; 372 and 373 have a question mark amid their base64url, and are called valid.
    static let mislabelled: Set<Int64> = [367, 370, 372, 373]

    /// Where we decide otherwise than the file says.
    static let exceptions = refusedByPinning.union(mislabelled)

    /// Keys that must not verify anything and leave a set of one key empty: `use` and `key_ops` for encryption.
    static let keysOfOtherUse: Set<Int64> = [353, 354, 355, 356]

    static let signatures = vectors("json_web_signature_test") { "{\"keys\":[\(text($0))]}" }
    static let keys = vectors("json_web_key_test") { text($0) }

    private static func vectors(_ file: String, keySet: (JSONNode) -> String) -> [Vector] {
        let groups = Fixture.json("wycheproof-jose/\(file).json")["testGroups"]?.array ?? []
        return groups.flatMap { group -> [Vector] in
            guard let key = group["public"] ?? group["private"], let tests = group["tests"]?.array else { return [] }
            return tests.map { test in
                Vector(
                    id: test["tcId"]?.integer ?? -1, comment: test["comment"]?.string ?? "", keySet: keySet(key),
                    content: group["public"] == nil ? .secrets : .publicKeys, jws: test["jws"]?.string ?? "",
                    isValid: test["result"]?.string == "valid")
            }
        }
    }

    private static func accepts(_ vector: Vector) -> Bool {
        guard let keys = try? KeySet(vector.keySet, vector.content) else { return false }
        return (try? payload(vector.jws, keys)) != nil
    }

    @Test(arguments: signatures)
    func decidesSignature(_ vector: Vector) {
        #expect(Self.accepts(vector) == (vector.isValid != Self.exceptions.contains(vector.id)))
    }

    @Test("a signature is refused for what is wrong with it, not because its key cannot be read", arguments: signatures)
    func readsKey(_ vector: Vector) {
        let unreadable = Self.keysOfOtherUse.union([347, 351])
        #expect(((try? KeySet(vector.keySet, vector.content)) == nil) == unreadable.contains(vector.id))
    }

    @Test("the refused vectors verify once the key's alg is the token's", arguments: refusedByPinning)
    func repairedVectors(id: Int64) throws {
        let vector = try #require(Self.signatures.first { $0.id == id })
        let repaired = vector.keySet.replacing("\"PS256\"", with: "\"PS384\"").replacing("ES521", with: "ES512")
        let keys = try KeySet(repaired)
        #expect(throws: Never.self) { try payload(vector.jws, keys) }
    }

    @Test func mislabelledVectorsAreWhatWeSay() throws {
        let tokens = Dictionary(uniqueKeysWithValues: Self.signatures.map { ($0.id, $0.jws) })
        #expect(tokens[367] == tokens[357] && tokens[370] == tokens[357])
        #expect(tokens[372]?.contains("?") == true && tokens[373]?.contains("?") == true)
    }

    @Test(arguments: keys)
    func decidesKey(_ vector: Vector) {
        #expect(Self.accepts(vector) == vector.isValid)
    }

    @Test func hasAllVectors() {
        #expect(Self.signatures.count == 401)
        #expect(Self.keys.count == 26)
        #expect(Self.signatures.count { Self.accepts($0) == $0.isValid } == 401 - Self.exceptions.count)
    }
}
