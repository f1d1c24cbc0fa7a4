import Bytes
import Crypto
import Endpoints
import Identity
import JOSE
import Model
import OAuthServer
import Outbound
import Testing
import TokenStorage

/// RFC 8693.
@Suite struct TokenExchangeTests {
    private static let grantType = "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Atoken-exchange"
    private static let accessToken = "urn%3Aietf%3Aparams%3Aoauth%3Atoken-type%3Aaccess_token"

    private func exchange(
        _ subject: String?, _ more: String = "", by client: String = "inv", _ standards: Standards,
        at now: Int64 = Service.now
    ) -> EndpointResponse {
        standards.grant(
            "\(Self.grantType)&subject_token=\(subject ?? "")&subject_token_type=\(Self.accessToken)\(more)", client,
            at: now)
    }

    private func standards() -> Standards { Standards { $0.terms.scopes = ["read", "write", "list"] } }

    @Test("the new token has the same user and login, for another client")
    func tokenOfAnotherBackend() throws {
        let standards = standards()
        let subject = standards.login("&scope=read+write", "sch")
        let response = exchange(subject.accessToken, "", standards, at: Service.now + 50)
        #expect(response.status == 200)
        #expect(response.names == ["access_token", "expires_in", "issued_token_type", "token_type"])
        #expect(
            response.json?["issued_token_type"]?.string == "urn:ietf:params:oauth:token-type:access_token")
        let claims = try response.claims(at: Service.now + 50)
        #expect(claims.subject == "joe" && claims.kind == .user && claims.roles == ["Manager"])
        #expect(claims.clientID == "inv-client" && claims.backendID == "mbe-inv-1")
        #expect(claims.authenticatedAt == Service.now && claims.methods == ["pwd"] && claims.level == 2)
        // What the rules admit of it.
        #expect(claims.scope == "read")
        #expect(claims.expiresAt == Service.now + 350)
        #expect(claims.actors.isEmpty)
        #expect(claims.tokenID != (try subject.claims()).tokenID)
        #expect(response.audit?.action == "grant.token_exchange" && response.audit?.subject == "joe")
    }

    @Test("the new token expires no later than the original")
    func lifetime() throws {
        let standards = standards()
        let end = Service.now + 604_800
        let response = exchange(standards.login().accessToken, "", standards, at: end - 10)
        #expect(response.json?["expires_in"]?.integer == 10)
        #expect(exchange(standards.login().accessToken, "", standards, at: end).error == "invalid_request")
    }

    private func isActive(_ response: EndpointResponse, _ standards: Standards, at now: Int64 = Service.now) -> Bool? {
        standards.introspect(response.accessToken, at: now).isActive
    }

    @Test("revoking the original revokes derived tokens at any depth, existing and later")
    func revocation() throws {
        let standards = standards()
        let (login, other) = (standards.login(), standards.login())
        let first = exchange(login.accessToken, "", standards)
        let second = exchange(first.accessToken, "", standards)
        let unrelated = exchange(other.accessToken, "", standards)
        #expect(
            try second.claims().origins.map(\.tokenID) == [first.claims().tokenID, login.claims().tokenID])
        for response in [first, second, unrelated] { #expect(isActive(response, standards) == true) }
        #expect(standards.revoke(login.accessToken).status == 200)
        for response in [first, second] {
            #expect(isActive(response, standards) == false)
            #expect(exchange(response.accessToken, "", standards).reasonText == "subject_token_invalid")
        }
        #expect(isActive(unrelated, standards) == true)
        // One in the middle leaves those before it.
        let middle = exchange(other.accessToken, "", standards)
        let last = exchange(middle.accessToken, "", standards)
        _ = standards.revoke(middle.accessToken)
        #expect(isActive(last, standards) == false && isActive(unrelated, standards) == true)
        #expect(isActive(other, standards) == true)
    }

    @Test(
        "revoking any token of a chain revokes the later ones, and no earlier one",
        arguments: 0..<TokenOrigin.maximumCount)
    func revocationAtEachDepth(_ cut: Int) throws {
        let standards = standards()
        var chain = [standards.login()]
        for _ in 0..<TokenOrigin.maximumCount { chain.append(exchange(chain.last?.accessToken, "", standards)) }
        for token in chain { #expect(isActive(token, standards) == true) }
        #expect(standards.revoke(chain[cut].accessToken).status == 200)
        for (depth, token) in chain.enumerated() { #expect(isActive(token, standards) == (depth < cut)) }
    }

    @Test("ending the login revokes exchanged tokens")
    func endOfTheLogin() throws {
        let standards = standards()
        let login = standards.login()
        let first = exchange(login.accessToken, "", standards)
        _ = standards.revoke(login.refreshToken)
        #expect(isActive(first, standards) == false)
        // A refresh token that comes twice ends its family (RFC 9700 section 4.14.2).
        let stolen = standards.login()
        let renewed = standards.refresh(stolen.refreshToken)
        let second = exchange(renewed.accessToken, "", standards)
        #expect(isActive(second, standards) == true)
        _ = standards.refresh(stolen.refreshToken)
        // What the store has removed reaches the list by its follower.
        standards.store.perform(.changes(after: 0, limit: 100), now: Service.now) { answer in
            guard case .success(.changes(let changes, _)) = answer else { return }
            for change in changes { standards.revocations.apply(change.entry) }
        }
        #expect(isActive(second, standards) == false)
    }

    @Test("MBE-06: revoking a backend's tokens revokes those derived from them")
    func revocationOfTheBackend() throws {
        let standards = standards()
        let subject = standards.login("", "sch")
        let token = exchange(subject.accessToken, "", standards)
        #expect(isActive(token, standards) == true)
        standards.revocations.revoke(backendID: "mbe-sch-1", issuedBefore: Service.now, until: .max)
        #expect(isActive(token, standards) == false)
        for change: @Sendable (inout Client) -> Void in [
            { $0.tokensNotBefore = Service.now + 1 }, { $0.oauthConsumer = false },
        ] {
            let changed = Standards {
                $0.clients = Clients(
                    $0.clients.clients.map { client in
                        var client = client
                        if client.name == "scheduler" { change(&client) }
                        return client
                    })
            }
            #expect(changed.introspect(token.accessToken).isActive == false)
        }
        #expect(Standards().introspect(token.accessToken).isActive == true)
    }

    @Test("the number of exchanges in a chain is limited")
    func depth() throws {
        let standards = standards()
        var token = standards.login().accessToken
        for _ in 0..<TokenOrigin.maximumCount { token = exchange(token, "", standards).accessToken }
        #expect(standards.introspect(token).isActive == true)
        #expect(exchange(token, "", standards).reasonText == "subject_token_invalid")
    }

    @Test(
        "a module whose tokens last too long cannot be used",
        arguments: [(300, 200), (301, 503), (nil, 503)] as [(Int64?, Int)])
    func lifetimeByAModule(_ seconds: Int64?, _ status: Int) {
        let standards = Standards {
            $0.clients = Standards.clients { $0.issuer = "module" }
            $0.grantIssuers = ["module": FixedGrantIssuer(seconds: seconds)]
        }
        #expect(exchange(standards.login("", "sch").accessToken, "", standards).status == status)
    }

    private struct FixedGrantIssuer: GrantIssuer {
        let seconds: Int64?

        func issue(
            _ grant: AccessTokenMinter.Grant, now: Int64
        ) -> Effect<Result<GrantedToken, GrantIssuerFailure>> {
            .done(.success(GrantedToken(value: Array("token".utf8), expiresIn: seconds)))
        }
    }

    @Test("targets are selected by audience or resource")
    func targets() throws {
        let standards = standards()
        let token = standards.login().accessToken
        let client = exchange(token, "&audience=scheduler%2F1.0", standards)
        #expect(try client.claims().backendID == "mbe-sch-1")
        #expect(try client.claims().audience == [Service.baseURL])
        let own = exchange(token, "&audience=inventory%2F1.0", standards)
        #expect(try own.claims().backendID == "mbe-inv-1")
        for name in ["audience", "resource"] {
            let outside = exchange(token, "&\(name)=https%3A%2F%2Fbilling.example.com", standards)
            let claims = try #require(outside.accessToken)
            // The gateway itself takes no token for another audience.
            let issuer = TrustedIssuer(
                name: "own", issuer: Service.baseURL, audiences: ["https://billing.example.com"],
                keys: KeySet(keys: [JWTSigner(key: Service.key).publishedKey]), own: true)
            guard case .verified = JWTVerifier(issuers: [issuer]).verify(Array(claims.utf8).span, now: Service.now)
            else {
                Issue.record("not for the audience that was asked for")
                return
            }
            // Nor is it exchanged again.
            #expect(exchange(claims, "", standards).reasonText == "subject_token_invalid")
        }
        for target in [
            "audience=keyed%2F1.0", "audience=https%3A%2F%2Fevil.example.com", "audience=nobody%2F1.0",
            // MBE-09: joe is not of that realm.
            "audience=other%2F1.0", "audience=scheduler%2F1.0&resource=scheduler%2F1.0",
        ] {
            let response = exchange(token, "&\(target)", standards)
            #expect(response.status == 400 && response.error == "invalid_target", "\(target)")
        }
    }

    @Test("the scope can only be narrowed")
    func scopes() throws {
        let standards = standards()
        let token = standards.login("&scope=read+write+list").accessToken
        #expect(try exchange(token, "", standards).claims().scope == "read list")
        #expect(try exchange(token, "&scope=list", standards).claims().scope == "list")
        #expect(exchange(token, "&scope=write", standards).error == "invalid_scope")
        let less = standards.login("&scope=read").accessToken
        #expect(exchange(less, "&scope=list", standards).error == "invalid_scope")
    }

    @Test("the scope is one that the client of the new token may have")
    func scopesOfClients() throws {
        for (allowed, kept) in [(["list"], "list"), (["read", "list"], "read list"), ([], nil)] as [([String], String?)]
        {
            let standards = Standards {
                $0.terms.scopes = ["read", "write", "list"]
                $0.clients = Standards.clients { $0.grants.scopes = allowed }
            }
            let token = standards.login("&scope=read+write+list", "sch").accessToken
            #expect(try exchange(token, "", standards).claims().scope == kept)
            let wider = exchange(token, "&scope=read", standards)
            #expect(wider.error == (allowed.contains("read") ? nil : "invalid_scope"))
            // The other client may have all.
            let other = exchange(token, "&audience=scheduler%2F1.0", standards)
            #expect(try other.claims().scope == "read list")
        }
    }

    @Test("section 4.1: the current actor precedes earlier ones")
    func actors() throws {
        let standards = standards()
        let subject = standards.login("", "sch").accessToken
        let actor = standards.grant("grant_type=client_credentials").accessToken
        let more = "&actor_token=\(actor ?? "")&actor_token_type=\(Self.accessToken)"
        let first = exchange(subject, more, standards)
        #expect(try first.claims().actors == ["inv-client"])
        let again = exchange(first.accessToken, more, standards)
        #expect(try again.claims().actors == ["inv-client", "inv-client"])
        // Without an actor token no actor is lost.
        #expect(try exchange(first.accessToken, "", standards).claims().actors == ["inv-client"])
        // Another client's token proves nothing about this one.
        let foreign = standards.grant("grant_type=client_credentials", "sch").accessToken
        for token in [foreign, "nonsense"] {
            let response = exchange(
                subject, "&actor_token=\(token ?? "")&actor_token_type=\(Self.accessToken)", standards)
            #expect(response.error == "invalid_request" && response.reasonText == "actor_token_invalid")
        }
        #expect(exchange(subject, "&actor_token=\(actor ?? "")", standards).error == "invalid_request")
    }

    @Test("section 2.1: an actor token for another audience is refused")
    func actorsForOthers() throws {
        let standards = standards()
        let subject = standards.login("", "sch").accessToken
        let own = standards.grant("grant_type=client_credentials").accessToken
        let elsewhere = exchange(own, "&audience=https%3A%2F%2Fbilling.example.com", standards)
        let claims = try elsewhere.claims(audience: "https://billing.example.com")
        #expect(claims.clientID == "inv-client" && claims.kind == .client)
        let response = exchange(
            subject, "&actor_token=\(elsewhere.accessToken ?? "")&actor_token_type=\(Self.accessToken)", standards)
        #expect(response.error == "invalid_request" && response.reasonText == "actor_token_invalid")
    }

    @Test("unsupported requests are refused")
    func whatIsNotTaken() {
        let standards = standards()
        let login = standards.login()
        for token in ["nonsense", login.refreshToken] {
            let response = exchange(token, "", standards)
            #expect(response.status == 400 && response.error == "invalid_request")
            #expect(response.reasonText == "subject_token_invalid")
        }
        _ = standards.revoke(login.accessToken)
        #expect(exchange(login.accessToken, "", standards).reasonText == "subject_token_invalid")
        // A token without a user stays with its client.
        let client = standards.grant("grant_type=client_credentials", "sch").accessToken
        #expect(exchange(client, "", standards).error == "invalid_target")
        let saml = standards.grant("\(Self.grantType)&subject_token=x&subject_token_type=urn:x:saml2")
        #expect(saml.error == "invalid_request" && saml.reasonText == "token_type_unsupported")
        let good = standards.login().accessToken
        #expect(
            exchange(good, "&requested_token_type=urn:x:saml2", standards).reasonText == "token_type_unsupported")
        #expect(standards.grant(Self.grantType).error == "invalid_request")
    }

    @Test("no backend may exchange anything unless its rules allow it")
    func rules() {
        let standards = standards()
        let token = standards.login().accessToken
        let response = exchange(token, "", by: "sch", standards)
        #expect(response.status == 400 && response.error == "unauthorized_client")
        let strict = Standards { $0.clients = Standards.clients { $0.grants.exchange = ExchangeRules() } }
        #expect(exchange(strict.login("", "sch").accessToken, "", strict).reasonText == "subject_token_invalid")
        #expect(exchange(strict.login().accessToken, "", strict).status == 200)
    }
}
