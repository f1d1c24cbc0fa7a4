import Identity
import Model
import Testing

@testable import Policy

/// Logins that would not help.
extension BrowserDecisionTests {
    @Test("a browser whose session does not count for its issuer or audience is not sent to the form again")
    func circle() {
        func caller(_ method: Principal.Method) -> Principal {
            Principal(
                kind: .user, method: method, subject: "joe", issuer: "local", backendID: nil, roles: RoleSet(),
                catalogue: RoleCatalogue([]), level: 2)
        }
        for reason in [Reason.issuerNotAllowed, .wrongAudience] {
            #expect(location("/mobileapp", [Self.html], for: reason, of: caller(.cookie)) == nil)
            #expect(location("/mobileapp", [Self.html], for: reason, of: caller(.certificate)) != nil)
        }
        #expect(location("/mobileapp", [Self.html], for: .wrongScheme, of: caller(.cookie)) != nil)
    }
}
