import Endpoints
import HTTP
import Identity
import Model
import TestSupport
import Testing
import TokenStorage

@testable import LoginPages
@testable import MobileSocial
@testable import OAuthServer

/// Users who may log in in more than one way: they choose, and keep where they wanted to go (SSO-07, RP-01).
@Suite struct LoginChoiceTests {
    private let staff = StubProvider("staff")
    private let guests = StubProvider("guests")
    private let foreign = StubProvider("foreign")

    /// What the links of a page are called and lead to.
    private static func links(_ response: EndpointResponse) -> [(text: String, target: String)] {
        response.text.matches(of: /<a href="([^"]*)">([^<]*)<\/a>/).map {
            (String($0.2), String($0.1).replacing("&amp;", with: "&").replacing("&#39;", with: "'"))
        }
    }

    private static func follow(
        _ browser: Browser, _ target: String, _ endpoint: EndpointDescriptor, at seconds: Int64 = 0
    ) -> EndpointResponse {
        let parts = target.split(separator: "?", maxSplits: 1).map(String.init)
        return browser.get(parts[0], query: parts.count > 1 ? parts[1] : "", endpoint: endpoint, at: seconds)
    }

    // MARK: Forms of schemes

    private func mobile(hasForm: Bool = true, _ change: (inout ServiceDomain) -> Void = { _ in }) -> Mobile {
        Mobile.withProvider([staff, guests, foreign]) { domain in
            var first = ServiceDomain.RelyingParty(provider: "staff", rules: staff.rules)
            first.title = "Staff & <friends>"
            domain.loginMethods = [.provider(first), .provider(.init(provider: "guests", rules: guests.rules))]
            if hasForm { domain.loginMethods.append(.form(name: "form", title: nil)) }
            change(&domain)
        }
    }

    @Test("the choice page lists all options in order, as links only")
    func page() throws {
        let browser = Browser(mobile())
        let page = browser.get()
        #expect(page.status == 200 && page.reason.code == "login_choice")
        #expect(Self.links(page).map(\.text) == ["Staff &amp; &lt;friends&gt;", "guests", "User name and password"])
        #expect(!page.text.contains("<script") && !page.text.contains("<form"))
        #expect(page.text.contains(#"<ul role="list" aria-labelledby="ways">"#) && page.text.contains(#"id="ways""#))
        #expect(page.field("Content-Security-Policy")?.hasPrefix("default-src 'none'; style-src 'sha256-") == true)
        #expect(page.field("Cache-Control") == "no-store" && staff.begun.isEmpty && guests.begun.isEmpty)
    }

    @Test("each option returns to the browser's target", arguments: ["staff", "guests"])
    func provider(_ name: String) throws {
        let browser = Browser(mobile())
        let link = try #require(Self.links(browser.get()).first { $0.target.contains("provider=\(name)") })
        let sent = Self.follow(browser, link.target, .browserLogin)
        #expect(sent.field("Location")?.hasPrefix("https://\(name).example/authorize?") == true)
        let answer = browser.callback(browser.state(sent), provider: name)
        #expect(answer.status == 303 && answer.field("Location") == "/mobileapp?a=b", "\(answer.text)")
        #expect(browser.session != nil)
    }

    @Test("the form as an option accepts passwords, shows its own errors, and links back to the choice")
    func form() throws {
        let browser = Browser(mobile())
        let link = try #require(Self.links(browser.get()).last)
        let form = Self.follow(browser, link.target, .browserLogin)
        #expect(form.status == 200 && form.reason.code == "login_form")
        #expect(Self.links(form).map(\.text) == ["Sign in another way"])
        let wrong = browser.logIn("joe", "wrong")
        #expect(wrong.status == 401 && Self.links(wrong).count == 1)
        // A reload shows the form again.
        let again = Self.follow(browser, browser.action, .browserLogin)
        #expect(again.reason.code == "login_form")
        let back = Self.follow(browser, Self.links(form)[0].target, .browserLogin)
        #expect(back.reason.code == "login_choice")
        _ = Self.follow(browser, Self.links(back)[2].target, .browserLogin)
        let answer = browser.logIn()
        #expect(answer.status == 303 && answer.field("Location") == "/mobileapp?a=b", "\(answer.status)")
    }

    @Test("only the domain's options can be chosen", arguments: ["foreign", "own form", "", "STAFF"])
    func unknown(_ name: String) throws {
        let browser = Browser(mobile(hasForm: false))
        let query = Browser.query() + "&provider=" + name.replacing(" ", with: "%20")
        #expect(browser.get(query: query).reason.code == "login_choice")
        #expect(foreign.begun.isEmpty && staff.begun.isEmpty)
        // Nor is a password taken where no way is the form.
        browser.get(query: query)
        let answer = browser.submitting([("ticket", "x")], [("username", "joe"), ("password", "Welcome1")])
        #expect(answer.status == 405 || answer.status == 404)
        #expect(browser.session == nil)
    }

    @Test("a provider that the domain has removed logs no one in")
    func dropped() throws {
        let browser = Browser(mobile())
        let sent = browser.get(query: Browser.query() + "&provider=guests")
        let state = browser.state(sent)
        let later = Browser(mobile { $0.loginMethods.remove(at: 1) })
        later.cookies = browser.cookies
        let answer = later.callback(state, provider: "guests")
        #expect(answer.status == 400 && answer.reasonText == "provider_answer_foreign" && later.session == nil)
    }

    @Test("a denied login returns to the choice")
    func denied() throws {
        let browser = Browser(mobile())
        staff.answer(.failure(.denied("access_denied")))
        let sent = browser.get(query: Browser.query() + "&provider=staff")
        let page = browser.callback(browser.state(sent), provider: "staff")
        #expect(page.status == 403)
        let again = Self.follow(browser, try #require(Self.links(page).first).target, .browserLogin)
        #expect(again.reason.code == "login_choice")
    }

    @Test("CHAL-06: for a level that providers do not reach only the form is offered")
    func level() throws {
        let browser = Browser(
            mobile {
                $0.secondStep.code = true
                $0.secondStep.level = 3
            })
        let page = browser.get(query: Browser.query(level: 3))
        #expect(page.reason.code == "login_form" && Self.links(page).isEmpty)
        #expect(browser.get(query: Browser.query(level: 3) + "&provider=staff").reason.code == "login_form")
        #expect(staff.begun.isEmpty)
    }

    @Test("RP-02: an application's browser chooses a provider unless the application names one")
    func application() throws {
        let browser = Browser(mobile())
        let query = "serviceDomain=MobileServiceDomain&appName=DemoApp&state=a%26b"
        let page = browser.get(Browser.application, query: query, endpoint: .applicationLogin)
        #expect(Self.links(page).map(\.text) == ["Staff &amp; &lt;friends&gt;", "guests"], "\(page.text)")
        let sent = Self.follow(browser, Self.links(page)[1].target, .applicationLogin)
        let answer = browser.callback(browser.state(sent), provider: "guests")
        #expect(answer.field("Location")?.hasPrefix("demoapp://login?code=") == true)
        #expect(answer.field("Location")?.hasSuffix("&state=a%26b") == true)
        let named = browser.get(Browser.application, query: query + "&provider=staff", endpoint: .applicationLogin)
        #expect(named.field("Location")?.hasPrefix("https://staff.example/") == true)
        let foreign = browser.get(Browser.application, query: query + "&provider=foreign", endpoint: .applicationLogin)
        #expect(foreign.status == 404 && foreign.reason == .loginUnknownProvider && self.foreign.begun.isEmpty)
    }

    // MARK: Single sign-on

    private func signOn(_ choices: [LoginChoice], store: any TokenStore = MemoryTokenStore()) -> SignOn {
        SignOn(store: store) { settings in
            var list = SignOn.clients.clients
            for i in list.indices where list[i].name == "inventory" { list[i].loginChoices = choices }
            for i in list.indices where list[i].name == "orders" { list[i].loginChoices = [LoginChoice("guests")] }
            settings.clients = Clients(list)
            settings.providerLogin = ProviderLogin(
                [staff, guests, foreign], seals: Mobile.seals, store: store, revocations: settings.revocations,
                baseURL: Service.baseURL)
        }
    }

    private static let all = [
        LoginChoice("staff", title: "Staff"), LoginChoice("guests"),
        LoginChoice(LoginChoice.ownForm, name: "form", title: "Password"),
    ]
    private static let query = SignOn.query("inv-client", [("redirect_uri", SignOn.target), ("state", "s&t")])

    /// The page to choose on.
    private func choice(_ signOn: SignOn, _ query: String = Self.query) -> EndpointResponse {
        signOn.follow(signOn.ask(query))
    }

    @Test("SSO-02, SSO-07: the token goes to the requesting application by every option", arguments: 0..<3)
    func relay(_ way: Int) throws {
        let signOn = signOn(Self.all)
        let page = choice(signOn)
        #expect(page.status == 200 && page.reasonText == "login_choice")
        #expect(Self.links(page).map(\.text) == ["Staff", "guests", "Password"])
        let step = Self.follow(signOn.browser, Self.links(page)[way].target, .login)
        let back: EndpointResponse
        if way == 2 {
            #expect(step.reasonText == "login_form" && Self.links(step).map(\.text) == ["Sign in another way"])
            #expect(signOn.submit("joe", "wrong").status == 401)
            back = signOn.submit("joe", "Welcome1")
        } else {
            back = signOn.browser.callback(signOn.browser.state(step), provider: Self.all[way].provider)
        }
        let posted = signOn.follow(back)
        #expect(posted.text.contains("action=\"\(SignOn.target)\"") && posted.text.contains("value=\"s&amp;t\""))
        #expect(posted.pageToken != nil)
        // A user who is logged in does not choose once more, except on request.
        #expect(signOn.ask(Self.query, at: 1).status == 200)
        let forced = signOn.follow(signOn.ask(Self.query + "&prompt=login", at: 1), at: 1)
        #expect(forced.reasonText == "login_choice")
        let staff = Self.follow(signOn.browser, Self.links(forced)[0].target, .login, at: 1)
        #expect(staff.status == 302 && self.staff.begun.last?.forcesLogin == true)
    }

    @Test("prompt=login is kept when the user changes the option, before and after a wrong password")
    func forced() throws {
        let signOn = signOn(Self.all)
        for guesses in 0...1 {
            let page = choice(signOn, Self.query + "&prompt=login")
            var form = Self.follow(signOn.browser, Self.links(page)[2].target, .login)
            for _ in 0..<guesses { form = signOn.submit("joe", "wrong") }
            let again = Self.follow(signOn.browser, try #require(Self.links(form).first).target, .login)
            let sent = Self.follow(signOn.browser, Self.links(again)[0].target, .login)
            #expect(sent.status == 302 && staff.begun.count == guesses + 1)
            #expect(staff.begun.last?.forcesLogin == true)
        }
    }

    @Test("an option removed from the list admits no one")
    func formGone() throws {
        let store = MemoryTokenStore()
        let before = signOn(Self.all, store: store)
        let form = Self.follow(before.browser, Self.links(choice(before))[2].target, .login)
        #expect(form.reasonText == "login_form" && before.submit("joe", "Welcome1").status == 303)
        #expect(before.ask(Self.query, at: 1).status == 200)
        let later = signOn(Array(Self.all.dropLast()), store: store)
        later.browser.cookies = before.browser.cookies
        #expect(later.follow(later.ask(Self.query, at: 1), at: 1).reasonText == "login_choice")
        // Nor is the form accepted where it is sent all the same.
        let target = Self.links(choice(later))[0].target.replacing("provider=staff", with: "provider=form")
        let parts = target.split(separator: "?", maxSplits: 1).map(String.init)
        let posted = later.browser.postFromElsewhere(
            parts[0], query: parts[1], [("username", "joe"), ("password", "Welcome1")], endpoint: .login)
        #expect(posted.status == 405 && posted.field("Allow") == "GET, HEAD")
    }

    @Test("scripts cannot start a provider login with the browser's cookies (Fetch Metadata)")
    func fetched() throws {
        let signOn = signOn(Self.all)
        let target = Self.links(choice(signOn))[0].target
        let parts = target.split(separator: "?", maxSplits: 1).map(String.init)
        let answer = signOn.browser.get(
            parts[0], query: parts[1], endpoint: .login, fields: [(name: "sec-fetch-dest", value: "image")])
        #expect(answer.status == 403 && answer.reasonText == "sso_not_navigated" && staff.begun.isEmpty)
    }

    @Test("each provider's claims are mapped by its own rules only")
    func rules() throws {
        let clerks = RoleMapping(sources: ["groups"], defaultRoles: ["Clerk"])
        let strict = StubProvider("staff", rules: StubProvider.rules { $0.identity.roleMapping = clerks })
        let signOn = SignOn { settings in
            var list = SignOn.clients.clients
            for i in list.indices where list[i].name == "inventory" { list[i].loginChoices = Self.all }
            settings.clients = Clients(list)
            settings.providerLogin = ProviderLogin(
                [strict, guests], seals: Mobile.seals, store: settings.store, revocations: settings.revocations,
                baseURL: Service.baseURL)
        }
        for index in 0...1 {
            signOn.browser.cookies = [:]
            let sent = Self.follow(signOn.browser, Self.links(choice(signOn))[index].target, .login)
            let name = Self.all[index].provider
            // What it says of a choice here is nothing to the callback.
            let back = signOn.browser.callback(
                signOn.browser.state(sent), "code=c&provider=\(Self.all[1 - index].provider)", provider: name)
            #expect(back.status == 303)
            let value = Array(try #require(signOn.cookie).utf8)
            let session = try Mobile.seals.session(value.span, now: Service.now)
            #expect(session.provider == name && session.login.roles.contains("Clerk") == (index == 0))
        }
    }

    @Test("SSO-08: a login is valid only if its provider is among the options")
    func bound() throws {
        let signOn = signOn(Self.all)
        func logIn(_ index: Int) {
            let step = Self.follow(signOn.browser, Self.links(choice(signOn))[index].target, .login)
            _ = signOn.browser.callback(signOn.browser.state(step), provider: Self.all[index].provider)
        }
        logIn(1)
        #expect(signOn.ask(SignOn.query("ord-client"), at: 1).status == 200)
        signOn.browser.cookies = [:]
        logIn(0)
        #expect(signOn.ask(SignOn.query("ord-client"), at: 1).status == 302)
    }

    @Test("only the backend's options are accepted, at the choice and on return")
    func foreignChoice() throws {
        let signOn = signOn(Self.all)
        let link = try #require(Self.links(choice(signOn)).first).target
        for name in ["foreign", "own+form2", ""] {
            let target = link.replacing("provider=staff", with: "provider=\(name)")
            #expect(Self.follow(signOn.browser, target, .login).reasonText == "login_choice")
        }
        #expect(foreign.begun.isEmpty)
        let sent = Self.follow(signOn.browser, link, .login)
        let later = self.signOn(Array(Self.all.dropFirst()), store: signOn.store)
        later.browser.cookies = signOn.browser.cookies
        let answer = later.browser.callback(signOn.browser.state(sent), provider: "staff")
        #expect(answer.status == 400 && answer.reasonText == "provider_answer_foreign" && later.cookie == nil)
        // A request that was not sealed here leads nowhere.
        let forged = Self.follow(
            signOn.browser, "/oauth2/login?request=x&provider=staff", .login)
        #expect(forged.status == 403)
    }
}
