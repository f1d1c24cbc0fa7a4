import Bytes
import Endpoints
import HTTP
import Identity
import MobileSocial
import Model
import TestSupport
import Testing

/// Circles of applications that log in by one of them (AGT-01, AGT-02).
@Suite struct SingleSignOnTests {
    @Test("AGT-02: the agent gets tokens for other applications of its circle, which cannot get them by themselves")
    func singleSignOn() throws {
        let mobile = Mobile()
        let target = "/oic_rest/rest/Circle"
        func login(_ app: String) -> EndpointResponse {
            mobile.post(
                target + "/authenticate", #"{"appName":"\#(app)","username":"joe","password":"Welcome1"}"#, domain: nil)
        }
        for app in ["client", "reserve"] {
            let refused = login(app)
            #expect(refused.status == 403 && refused.json?["code"]?.string == "use_sso_agent")
        }
        let agent = try #require(login("agent").json?["userToken"]?.string)
        let loner = try #require(login("loner").json?["userToken"]?.string)
        func access(_ token: String, by app: String, for other: String) -> EndpointResponse {
            mobile.post(
                target + "/access",
                #"{"appName":"\#(app)","userToken":"\#(token)","requestContext":"\#(StubContexts.inventory)","onBehalfOf":"\#(other)"}"#,
                domain: nil)
        }
        let granted = access(agent, by: "agent", for: "client")
        #expect(granted.status == 200)
        let claims = try granted.claims()
        #expect(claims.backendID == "mbe-sch-1", "the client's own backend")
        for (token, app, other) in [
            (agent, "agent", "loner"), (agent, "agent", "DemoApp"), (loner, "loner", "client"),
        ] {
            let refused = access(token, by: app, for: other)
            #expect(refused.status == 403 && refused.json?["code"]?.string == "not_in_circle_of_trust")
        }
        // OMS-17: the agent's logout ends the client's token.
        let list = mobile.revocations
        #expect(
            !list.isRevoked(
                tokenID: nil, subject: "joe", backendID: nil, issuedAt: Mobile.start, session: claims.session))
        #expect(mobile.post(target + "/logout", #"{"userToken":"\#(agent)"}"#, domain: nil).status == 200)
        #expect(
            list.isRevoked(
                tokenID: nil, subject: "joe", backendID: nil, issuedAt: Mobile.start, session: claims.session))
    }

    @Test("MBE-09 AGT-02: an agent gets no tokens for a namesake in another realm")
    func circleOfOneRealm() throws {
        let mobile = Mobile { domain in
            domain.isMobile = false
            domain.applications = [("agent", 1, 0), ("client", nil, 1), ("stranger", nil, 2)].map {
                (name: String, priority: Int?, client: Int) in
                var application = MobileApplication(name: name, backend: Service.clients.clients[client])
                application.participates = true
                application.agentPriority = priority
                return application
            }
        }
        func post(_ action: String, _ body: String) -> EndpointResponse {
            mobile.post("/oic_rest/rest/MobileServiceDomain/\(action)", body, domain: nil)
        }
        let agent = try mobile.value(
            post("authenticate", #"{"appName":"agent","username":"joe","password":"Welcome1"}"#))
        for (name, status) in [("client", 200), ("stranger", 403)] {
            let access = post(
                "access",
                #"{"appName":"agent","userToken":"\#(agent)","requestContext":"\#(StubContexts.inventory)","onBehalfOf":"\#(name)"}"#
            )
            #expect(access.status == status)
            let register = post("register", #"{"userToken":"\#(agent)","onBehalfOf":"\#(name)"}"#)
            #expect(register.status == (status == 200 ? 201 : status))
        }
    }
}
