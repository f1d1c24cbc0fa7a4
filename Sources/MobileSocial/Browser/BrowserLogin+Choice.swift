import Bytes
import Endpoints
import HTTP
import Identity
import LoginPages
import Model

/// Service domains whose users log in in more than one way.
extension BrowserLogin {
    /// The ways that a browser may take: those of the domain, as far as they reach what is asked for (CHAL-06).
    func choices(_ visit: Visit) -> [LoginChoice] {
        let domain = visit.domain
        guard !domain.ways.isEmpty else { return [LoginChoice(LoginChoice.ownForm)] }
        return domain.ways.compactMap { way -> LoginChoice? in
            switch way {
            case .form(let name, let title): return LoginChoice(LoginChoice.ownForm, name: name, title: title)
            case .provider(let party):
                return visit.level <= domain.level ? LoginChoice(party.provider, title: party.title) : nil
            }
        }
    }

    /// The page to choose on; the target goes along, sealed, with whichever is taken.
    func choice(_ choices: [LoginChoice], _ visit: Visit) -> EndpointResponse {
        Page.choice(
            to: visit.application.displayName, of: choices.map { ($0.text, action(visit, by: $0.name)) }
        ).response(status: 200, reason: .loginChoice)
    }

    /// Where else one could log in than at the form; nil for nowhere.
    func otherWays(_ visit: Visit) -> Page.Link? {
        choices(visit).count > 1 ? Page.Link(text: PageText.otherWays, target: action(visit, by: nil)) : nil
    }

    /// The same for the browser of an application, for which a form of the gateway's own is no way: it takes passwords
    /// itself.
    func choice(
        _ parties: [ServiceDomain.RelyingParty], _ application: MobileApplication, _ query: FormFields
    ) -> EndpointResponse {
        let names = ["serviceDomain", "appName", "redirect_uri", "state", "code_challenge", "code_challenge_method"]
        let fields = names.compactMap { name in query.first(name).map { (name, $0) } }
        let choices = parties.map { party in
            let form = FormEncoding.form(fields + [("provider", party.provider)])
            return (
                text: LoginChoice(party.provider, title: party.title).text,
                target: "\(BrowserLoginEndpoints.applicationPath)?\(String(decoding: form, as: UTF8.self))"
            )
        }
        return Page.choice(to: application.displayName, of: choices).response(status: 200, reason: .loginChoice)
    }
}
