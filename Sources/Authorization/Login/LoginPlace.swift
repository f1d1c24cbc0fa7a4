import Endpoints
import Identity
import LoginPages
import Model
import Outbound
import TokenStorage

/// What browsers log in to: who lets users in there, and what their sessions are. The way there is that of `LoginFlow`.
package protocol LoginPlace: Sendable {
    typealias Visit = LoginFlow.Visit
    typealias Answer = LoginFlow.Answer

    /// Binds forms to it.
    var name: String { get }
    /// Names its logins at identity providers.
    var purpose: LoginPurpose.Kind { get }
    /// Of logins in the audit log.
    var action: String { get }
    /// The reason of a wrong password.
    var wrongPassword: Reason { get }
    /// The highest level that its logins reach (CHAL-06).
    var highestLevel: Int { get }
    /// Whether its sessions are those of a service domain.
    var isOfDomain: Bool { get }

    /// Path and query of the login for a request.
    func address(of request: LoginRequest, now: Int64) -> (path: String, query: [(String, String)])
    /// The name that a form has filled in; empty for none.
    func knownName(_ visit: Visit) -> String
    func verify(
        _ login: PresentedLogin, in visit: Visit, then next: @escaping @Sendable (LoginStep) -> Answer
    ) -> Answer
    /// Opens a further step, as its form carries it.
    func further(_ challenge: String, _ visit: Visit) throws(BrowserLoginFailure) -> FurtherStep
    /// The user of an identity at a provider.
    func admit(_ identity: ProvidedIdentity, _ visit: Visit) throws(ExternalIdentityRejection) -> AdmittedUser
    /// Why a session is not opened: the page would send the browser here again and again. Nil where it may.
    func refusal(of session: Session, _ visit: Visit) -> EndpointResponse?
    /// Stores a session, and ends the browser's earlier one; the answer to a failure, or nil.
    func store(_ login: ProvenLogin, _ visit: Visit) -> Effect<EndpointResponse?>
    /// Whether a session of the browser counts here.
    func counts(_ session: Session, _ visit: Visit) -> Effect<Bool>
}

/// How a login goes on after a password or an answer.
package enum LoginStep: Sendable {
    case proven(ProvenLogin)
    /// - Parameter reason: of the refused answer before; nil for the first question.
    case further(FurtherStep, after: Reason?)
    /// The form reports it, without what was wrong (CHAL-07), with status, reason and `Retry-After` of an answer.
    case refused(Page.Notice, EndpointResponse)
}

/// A login that is complete, with the record of its session.
package typealias ProvenLogin = (session: Session, record: TokenRecord)

/// A user of an identity provider who may log in.
///
/// - until: seconds since 1970 when the last session ends that depends on the login at the provider.
/// - login: the login here, on the record of the one there.
package typealias AdmittedUser = (
    subject: String, until: Int64, login: @Sendable (_ foundation: String) -> ProvenLogin
)

/// A second factor, after a right password: the answer to a question, or a one-time code (OMS-14).
package struct FurtherStep: Sendable {
    let id: String
    let username: String
    /// Nil to ask for a code.
    let question: String?
    /// The login so far, sealed for the form.
    let challenge: String
    /// Binds the form to it.
    var name: String { "answer \(id)" }
    let check: @Sendable (_ answer: String) -> Effect<LoginStep>

    package init(
        id: String, username: String, question: String?, challenge: String,
        check: @escaping @Sendable (_ answer: String) -> Effect<LoginStep>
    ) {
        self.id = id
        self.username = username
        self.question = question
        self.challenge = challenge
        self.check = check
    }
}
