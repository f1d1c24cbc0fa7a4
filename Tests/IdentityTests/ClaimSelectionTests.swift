import Bytes
import Model
import Testing

@testable import Identity

@Suite struct ClaimSelectionTests {
    private func select(_ json: String, _ paths: String..., userinfo: Bool = false, user: User? = nil) throws
        -> SelectedClaims
    {
        let selection = try ClaimSelection(paths.map { try ClaimPath($0) }, userinfo: userinfo)
        return selection.select(try JSONNode.parse(Array(json.utf8).span), user: user)
    }

    private func texts(_ claims: SelectedClaims) -> [String] {
        claims.fields.map { String(decoding: $0, as: UTF8.self) }
    }

    @Test("characters that would end a line or start another element are encoded")
    func encoding() throws {
        let claims = try select(
            #"{"a": "x\r\nX-Evil: 1", "b": "\u0000", "c": ["a,b", "c"], "d": "a,b", "e": " x ", "f": "%0D", "g": "\u0085é"}"#,
            "a", "b", "c", "d", "e", "f", "g")
        #expect(texts(claims) == ["x%0D%0AX-Evil: 1", "%00", "a%2Cb,c", "a,b", "%20x%20", "%250D", "\u{85}é"])
    }

    @Test("a list of one value is a list")
    func listOfOne() throws {
        let claims = try select(
            #"{"a": ["x,admin"], "b": {"c": [" x,admin "]}, "d": ["x"], "e": []}"#, "a", "/b/c", "d", "e")
        #expect(texts(claims) == ["x%2Cadmin", "%20x%2Cadmin%20", "x", ""])
    }

    @Test("the account provides claims that the credential lacks")
    func account() throws {
        var user = User(username: "joe", email: "joe@example.com", roles: ["Clerk"])
        user.firstName = "Joe"
        let claims = try select(
            #"{"email": "token@example.com"}"#, "email", "given_name", "name", "roles", "x", user: user)
        #expect(texts(claims) == ["token@example.com", "Joe", "Joe", "Clerk", ""])
    }

    @Test("without selected claims none are kept")
    func none() {
        #expect(ClaimSelection.none.select(JSONNode(.object([]))).values.isEmpty)
    }
}
