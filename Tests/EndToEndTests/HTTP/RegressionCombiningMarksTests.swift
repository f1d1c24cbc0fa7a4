import Testing

/// To compare two texts, Swift sorts each run of combining marks: 64 KB of them take half a second, and a request is
/// compared with many names. UAX #15 section 13 has a bound, and what is beyond it is refused before anything is compared.
@Suite struct RegressionCombiningMarksTests {
    private static let login = "grant_type=password&username=joe&password=Welcome1"

    /// Of two classes, so that there is something to sort.
    private static func marks(_ pairs: Int) -> String { String(repeating: "\u{301}\u{316}", count: pairs) }

    private static func encoded(_ pairs: Int) -> String { String(repeating: "%CC%81%CC%96", count: pairs) }

    @Test(
        "OAUTH-03: long runs of combining marks in form fields are refused",
        arguments: ["x\(encoded(5000))=1", "x=y\(encoded(5000))", "x=\(encoded(16))"])
    func form(_ field: String) throws {
        let fixture = try Fixture()
        let response = try fixture.grant("\(Self.login)&\(field)")
        #expect(response.status == 400)
        #expect(JSONText(response.text)["error"].string == "invalid_request")
        #expect(try fixture.grant("\(Self.login)&x=\(Self.encoded(15))").status == 200)
    }

    @Test("OAUTH-03 POL-05: long runs of combining marks in a head are refused")
    func head() throws {
        let fixture = try Fixture()
        let body = "Content-Type: application/x-www-form-urlencoded" as Field
        for (pairs, status) in [(15, 200), (16, 400), (3000, 400)] {
            let note: Field = "X-Note: \(Self.marks(pairs))"
            let fields = [.basic("inv-client:inv-secret"), body, note]
            #expect(try fixture.request("POST", "/oauth2/token", fields, body: Self.login).status == status)
            #expect(try fixture.gateway.request("GET", "/healthz", [note], listener: "admin").status == status)
            // What is passed on is never compared.
            #expect(try fixture.request("GET", "/open/a", [note]).status == 200)
        }
    }

    @Test("BASIC-01: long runs of combining marks in a user name are refused")
    func credential() throws {
        let fixture = try Fixture()
        let fields = [.basic("x\(Self.marks(2000)):x"), "Oracle-Mobile-Backend-ID: mbe-inv-1"] as [Field]
        #expect(try fixture.request("GET", "/inventory/me", fields).status == 401)
        #expect(try fixture.gateway.metrics().sum("portcullis_denied_total", ["reason": "malformed_credential"]) == 1)
    }
}
