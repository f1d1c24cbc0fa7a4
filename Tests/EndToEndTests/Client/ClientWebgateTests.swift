import Foundation
import Testing

/// `portcullis client` and the token services of the running gateway (story 4).
@Suite struct ClientWebgateTests {
    private let fixture: MobileFixture
    private let home: ClientHome

    init() throws {
        fixture = try MobileFixture()
        home = try ClientHome(
            ClientHome.inventory(
                fixture.gateway.url, more: #", "serviceDomain": "MobileServiceDomain", "appName": "DemoApp""#))
    }

    private var items: String { get throws { "\(try fixture.gateway.url)/inventory/items" } }

    /// The statuses that the gateway has answered with for a path, once there are so many.
    private func statuses(_ path: String, _ count: Int) -> [Int] {
        let found = fixture.gateway.gateway.program.wait(.output) { lines -> [Int]? in
            let statuses = lines.map { JSONText($0) }.filter { $0["path"].string == path }
                .compactMap { $0["status"].integer }
            return statuses.count >= count ? statuses : nil
        }
        return found ?? []
    }

    @Test("RST-01, CACHE-01, CHAL-10: 401 then 200, later 200 only, with one upstream token")
    func loop() throws {
        let login = try home.run("login", "--user", "joe", input: "Welcome1\n")
        #expect(login.output.hasPrefix("joe by oam, level 2"), "\(login.errors)")
        let first = try home.run("request", items)
        #expect(first.output == "/inventory/items", "\(first.errors)")
        for _ in 0..<10 { #expect(try home.run("request", items).ending == .exit(0)) }
        // The lines of two workers may change places.
        #expect(statuses("/inventory/items", 12).sorted() == [Int](repeating: 200, count: 11) + [401])
        #expect(try fixture.gateway.issuerCalls() == 1)
        #expect(try fixture.gateway.lastRequest("/inventory/items").only("X-Gateway-User") == "joe")
        #expect(try home.run("token", "show").output.contains("InventoryWG level 2"))
    }

    @Test("OMS-17: a logout ends the tokens of the webgates")
    func logout() throws {
        _ = try home.run("login", "--user", "joe", input: "Welcome1\n")
        #expect(try home.run("request", items).ending == .exit(0))
        let out = try home.run("logout")
        #expect(out.ending == .exit(0), "\(out.errors)")
        #expect(try home.run("token", "show").errors.contains("no login is stored"))
        #expect(try home.run("request", items).ending == .exit(1))
    }

    @Test("CHAL-06, RST-02: a webgate of a higher level and a wrong password are refused")
    func refusals() throws {
        let wrong = try home.run("login", "--user", "joe", input: "wrong\n")
        #expect(wrong.ending == .exit(1))
        #expect(wrong.errors.contains("does not accept the credentials"), "\(wrong.errors)")
        _ = try home.run("login", "--user", "joe", input: "Welcome1\n")
        let high = try home.run("request", "\(fixture.gateway.url)/payroll")
        #expect(high.ending == .exit(1))
        #expect(high.errors.contains("is not good for HighWG, level 3"), "\(high.errors)")
    }

    @Test("OMS-16: a wipe order empties the store, and is reported once")
    func wipe() throws {
        _ = try home.run("login", "--user", "joe", input: "Welcome1\n")
        #expect(try home.run("request", items).ending == .exit(0))
        #expect(try home.run("cred", "add", "mine", input: "sesame\n").ending == .exit(0))
        let place = ["--admin", "http://127.0.0.1:\(try fixture.gateway.gateway.port("admin"))"]
        let token = ["PORTCULLIS_ADMIN_TOKEN": "admin-secret"]
        let list = try Program.run(GatewayProcess.binary, ["devices", "list"] + place, environment: token)
        let id = try #require(JSONText(list.output)["id"].string, "\(list.output) \(list.errors)")
        let wiped = try Program.run(GatewayProcess.binary, ["devices", "wipe", id] + place, environment: token)
        try #require(wiped.ending == .exit(0), "\(wiped.errors)")
        let first = try home.run("request", items)
        #expect(first.ending == .exit(1))
        #expect(first.errors.contains("has ordered this device to be wiped"), "\(first.errors)")
        #expect(try home.run("token", "show").errors.contains("no login is stored"))
        #expect(try home.run("cred", "get", "mine").ending == .exit(1))
        #expect(try home.run("request", items).errors == "portcullis: status 401 Authorization Required")
    }
}
