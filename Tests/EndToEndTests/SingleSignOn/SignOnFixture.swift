import Foundation
import Testing

/// The fixture with single sign-on, and a user of another realm.
enum SignOnFixture {
    static let path = "/mobile/platform/sso/exchange-token"
    static let cookie = "portcullis"

    static func prepare(_ settings: inout FixtureSettings) {
        settings["policies"] = #"{"Security_SsoRedirectWhitelist": "https://www.example.com, http://127.0.0.1:*"}"#
        settings["users"] = """
            [{"username": "joe", "password": "{PlainText}Welcome1", "roles": ["Manager"]},
             {"username": "eve", "password": "{PlainText}Welcome6", "realm": "Other"}]
            """
    }

    /// The value of the hidden field of a page, or what its text area has.
    static func field(_ name: String, _ page: String) -> String? {
        let hidden = page.matches(of: /type="hidden" name="([^"]*)" value="([^"]*)"/).first { $0.1 == name }
        return hidden.map { String($0.2) } ?? page.firstMatch(of: /<textarea[^>]*>([^<]*)</).map { String($0.1) }
    }
}

extension CookieJar {
    /// The whole way from an application's link to the page with the token.
    func signOn(_ link: String, user: String = "joe", password: String = "Welcome1") throws -> Response {
        let asked = try send("GET", link)
        let form = try #require(asked.only("Location"), "\(asked.status)")
        let loggedIn = try fill(send("GET", form), form, "username=\(user)&password=\(password)")
        return try send("GET", #require(loggedIn.only("Location"), "\(loggedIn.status)"))
    }
}
