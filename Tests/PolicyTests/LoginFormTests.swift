import HTTP
import Testing

@testable import Policy

/// Whose requests reach the login forms, by what browsers say of them.
@Suite struct LoginFormTests {
    @Test("a login form is for our own pages and for links, and not for pages of others")
    func forms() {
        let snapshot = BrowserDecisionTests.snapshot()
        func may(_ method: String, _ fields: [(String, String)]) -> Bool {
            let request = TestRequest(method, "/login/form", fields)
            return snapshot.mayUseForms(request.head, request.headers, request.bytes.span)
        }
        #expect(may("GET", []) && may("POST", []) && may("GET", [("Sec-Fetch-Site", "cross-site")]))
        #expect(may("POST", [("Origin", "https://gw.example.com")]) && may("POST", [("Sec-Fetch-Site", "same-origin")]))
        #expect(!may("POST", [("Sec-Fetch-Site", "cross-site")]) && !may("POST", [("Sec-Fetch-Site", "same-site")]))
        // The web view of an application sends one of no page.
        let none = ("Sec-Fetch-Site", "none")
        #expect(may("POST", [none]) && may("POST", [none, ("Origin", "null")]))
        #expect(!may("POST", [none, ("Origin", "https://myexample.com")]) && !may("POST", [none, none]))
        for origin in ["https://myexample.com", "null", "http://gw.example.com"] {
            #expect(!may("POST", [("Origin", origin)]) && !may("GET", [("Origin", origin)]))
        }
    }
}
