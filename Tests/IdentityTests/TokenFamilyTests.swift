import Crypto
import Testing

@testable import Identity

@Suite struct TokenFamilyTests {
    @Test("the id of a token names its family, and other ids name none")
    func ids() {
        let (family, own) = (SecureRandom.text(16), SecureRandom.text(16))
        let id = TokenFamily.tokenID(in: family, own)
        #expect(TokenFamily.id(of: id) == family)
        for other in ["", family, "\(id).", String(id.dropLast()), "\(family)-\(own)", ".\(family)\(own)", "a.b"] {
            #expect(TokenFamily.id(of: other) == nil, "\(other)")
        }
    }

    @Test("a family ends its tokens and what was exchanged for them")
    func revocation() {
        let list = RevocationList()
        let (family, other) = (SecureRandom.text(16), SecureRandom.text(16))
        func isRevoked(_ family: String, isOrigin: Bool) -> Bool {
            let id = TokenFamily.tokenID(in: family, SecureRandom.text(16))
            let principal = Principal(
                kind: .user, method: .bearer, subject: "joe", issuer: "local", backendID: "mbe-1", roles: RoleSet(),
                catalogue: RoleCatalogue([]), level: 2, issuedAt: 100, tokenID: isOrigin ? "t" : id,
                origins: isOrigin ? [TokenOrigin(tokenID: id, backendID: nil)] : [])
            let isListed = list.isRevoked(
                tokenID: principal.tokenID, subject: "joe", backendID: nil, issuedAt: 100, origins: principal.origins)
            #expect(list.isRevoked(principal) == isListed)
            return isListed
        }
        list.revoke(tokenID: family, until: 200)
        for isOrigin in [false, true] {
            #expect(isRevoked(family, isOrigin: isOrigin) && !isRevoked(other, isOrigin: isOrigin))
        }
    }
}
