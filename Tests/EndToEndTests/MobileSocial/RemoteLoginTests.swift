import Foundation
import Glibc
import Testing

/// Service domains whose users are known to another server, and logins while that is not there (OMS-11 to OMS-13).
@Suite struct RemoteLoginTests {
    @Test("the server decides; while it is down who was in last time gets in, and nobody else (OMS-12)")
    func recovery() throws {
        let fixture = try RemoteFixture()
        #expect(try fixture.outcome() == "200 online")
        #expect(try fixture.outcome("joe", "Welcome1").hasPrefix("401"), "the local password is nobody's here")
        #expect(try fixture.outcome() == "200 online")
        #expect(RemoteFixture.fields(try #require(fixture.server.requests("/token").last))["username"] == "joe")
        fixture.health = .down
        #expect(try fixture.outcome() == "200 offline")
        #expect(try fixture.outcome("ann", "Remote2") == "503 login_server_unavailable", "she never was")
        #expect(try fixture.outcome("nobody", "x") == "503 login_server_unavailable")
        #expect(try fixture.outcome("joe", "wrong").hasPrefix("401"))
        fixture.health = .well
        #expect(try fixture.outcome("ann", "Remote2") == "200 online")
        #expect(try fixture.outcome() == "200 online")
    }
}
