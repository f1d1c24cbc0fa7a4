import Testing

@testable import PortcullisClient

@Suite struct BrowserSignOnTests {
    @Test(
        "TOOL-04: the token of any URL",
        arguments: [
            ("urldemo://x?token=abc", "abc"), ("urldemo://x?a=b&token=a%2Bb#frag", "a+b"), ("https://h/p?token=x", "x"),
            ("urldemo:?token=abc", "abc"), ("urldemo://x?Token=abc", nil), ("urldemo://x?token=", nil),
            ("urldemo://x", nil), ("urldemo://x#?token=abc", nil), ("urldemo://x?token=a&token=b", nil),
            ("urldemo://x?token=%zz", nil), ("", nil),
        ] as [(String, String?)])
    func token(_ url: String, _ token: String?) { #expect(tokenFromCallback(url) == token) }

    private let signOn = BrowserSignOn(
        profile: ClientProfile(baseURL: "https://gw.example.com"), clientID: "a&b", redirectURI: "http://127.0.0.1:1/",
        state: "secret")

    @Test("SSO-11: where the browser goes")
    func url() {
        #expect(
            signOn.url == "https://gw.example.com/mobile/platform/sso/exchange-token"
                + "?clientID=a%26b&redirect_uri=http%3A%2F%2F127.0.0.1%3A1%2F&state=secret")
    }

    @Test(
        "SSO-11: only an answer to this login is one",
        arguments: [
            ("access_token=t&token_type=Bearer&expires_in=60&state=secret", PostedToken(token: "t", seconds: 60)),
            ("access_token=t&state=secret", PostedToken(token: "t", seconds: nil)),
            ("access_token=t&token_type=mac&state=secret", nil), ("access_token=t", nil),
            ("access_token=t&state=", nil),
            ("access_token=t&state=Secret", nil), ("access_token=&state=secret", nil),
            ("access_token=t&state=secret&state=secret", nil), ("access_token=t&access_token=u&state=secret", nil),
            ("access_token=%t&state=secret", nil),
        ] as [(String, PostedToken?)])
    func form(_ form: String, _ token: PostedToken?) { #expect(signOn.token(in: Array(form.utf8)) == token) }
}
