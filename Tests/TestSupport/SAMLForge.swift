import Bytes
import Crypto
import Foundation
import Model

/// Makes SAML assertions as an identity provider does. What is signed is written in its canonical form from the start
/// (exclusive canonical XML: no blanks, attributes sorted, each namespace where it is used first), so that no library is
/// needed that makes it one.
package struct SAMLForge: Sendable {
    package enum Algorithm: String, Sendable, CaseIterable {
        case rsa256 = "http://www.w3.org/2001/04/xmldsig-more#rsa-sha256"
        case rsa384 = "http://www.w3.org/2001/04/xmldsig-more#rsa-sha384"
        case rsa512 = "http://www.w3.org/2001/04/xmldsig-more#rsa-sha512"
        case elliptic256 = "http://www.w3.org/2001/04/xmldsig-more#ecdsa-sha256"

        package var signature: SignatureAlgorithm {
            switch self {
            case .rsa256: .rs256
            case .rsa384: .rs384
            case .rsa512: .rs512
            case .elliptic256: .es256
            }
        }
    }

    package static let bearer = "urn:oasis:names:tc:SAML:2.0:cm:bearer"
    static let namespace = "urn:oasis:names:tc:SAML:2.0:assertion"
    static let signatureNamespace = "http://www.w3.org/2000/09/xmldsig#"

    package var key: SigningKey
    package var algorithm: Algorithm
    package var issuer = "https://idp.example.com/saml"
    package var id = "_a1"
    /// Seconds since 1970.
    package var now: Int64
    /// Nil for an assertion without a subject.
    package var subject: String? = "joe"
    /// `NotOnOrAfter` of the conditions, in seconds from now; nil for none.
    package var validFor: Int64? = 600
    /// `NotBefore`, likewise.
    package var validFrom: Int64? = -30
    package var restrictions = [["https://gw.example.com/mobile/platform/sso/exchange-token"]]
    package var method = SAMLForge.bearer
    /// Attributes of `SubjectConfirmationData`, sorted by name.
    package var confirmation: [(String, String)] = []
    package var attributes: [(String, [String])] = []
    /// Further elements of the conditions, and of the assertion, in canonical form.
    package var moreConditions = ""
    package var more = ""

    package init(key: SigningKey, _ algorithm: Algorithm = .elliptic256, now: Int64) {
        self.key = key
        self.algorithm = algorithm
        self.now = now
    }

    package static func instant(_ seconds: Int64) -> String {
        ISO8601DateFormatter().string(from: Date(timeIntervalSince1970: TimeInterval(seconds)))
    }

    /// Text with what means something in XML escaped.
    package static func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
            .replacing("\"", with: "&quot;")
    }

    // MARK: Parts

    /// The assertion before it is signed, in canonical form.
    package var unsigned: String {
        head + body
    }

    private var head: String {
        #"<saml:Assertion xmlns:saml="\#(SAMLForge.namespace)" ID="\#(id)" "#
            + #"IssueInstant="\#(SAMLForge.instant(now))" Version="2.0">"#
            + "<saml:Issuer>\(SAMLForge.escaped(issuer))</saml:Issuer>"
    }

    private var body: String {
        let name = subject.map { "<saml:NameID>\(SAMLForge.escaped($0))</saml:NameID>" } ?? ""
        let data = confirmation.map { #" \#($0.0)="\#(SAMLForge.escaped($0.1))""# }.joined()
        let confirmed =
            #"<saml:SubjectConfirmation Method="\#(method)">"#
            + "<saml:SubjectConfirmationData\(data)></saml:SubjectConfirmationData></saml:SubjectConfirmation>"
        let times = [("NotBefore", validFrom), ("NotOnOrAfter", validFor)].compactMap { name, offset in
            offset.map { #" \#(name)="\#(SAMLForge.instant(now + $0))""# }
        }.joined()
        let audiences = restrictions.map { restriction in
            "<saml:AudienceRestriction>"
                + restriction.map { "<saml:Audience>\(SAMLForge.escaped($0))</saml:Audience>" }.joined()
                + "</saml:AudienceRestriction>"
        }.joined()
        let values = attributes.map { name, values in
            #"<saml:Attribute Name="\#(SAMLForge.escaped(name))">"#
                + values.map { "<saml:AttributeValue>\(SAMLForge.escaped($0))</saml:AttributeValue>" }.joined()
                + "</saml:Attribute>"
        }.joined()
        let statement = values.isEmpty ? "" : "<saml:AttributeStatement>\(values)</saml:AttributeStatement>"
        return "<saml:Subject>\(name)\(confirmed)</saml:Subject>"
            + "<saml:Conditions\(times)>\(audiences)\(moreConditions)</saml:Conditions>\(more)\(statement)"
            + "</saml:Assertion>"
    }

    /// The signature of an element in canonical form, signed with the forge's key.
    package func signature(of element: String, id: String) -> String {
        let digest = DigestAlgorithm.sha256.digest(Array(element.utf8).span)
        func information(_ namespace: String) -> String {
            "<ds:SignedInfo\(namespace)>"
                + #"<ds:CanonicalizationMethod Algorithm="http://www.w3.org/2001/10/xml-exc-c14n#">"#
                + "</ds:CanonicalizationMethod>"
                + #"<ds:SignatureMethod Algorithm="\#(algorithm.rawValue)"></ds:SignatureMethod>"#
                + ##"<ds:Reference URI="#\##(id)"><ds:Transforms>"##
                + #"<ds:Transform Algorithm="http://www.w3.org/2000/09/xmldsig#enveloped-signature"></ds:Transform>"#
                + #"<ds:Transform Algorithm="http://www.w3.org/2001/10/xml-exc-c14n#"></ds:Transform></ds:Transforms>"#
                + #"<ds:DigestMethod Algorithm="http://www.w3.org/2001/04/xmlenc#sha256"></ds:DigestMethod>"#
                + "<ds:DigestValue>\(SAMLForge.base64(digest))</ds:DigestValue></ds:Reference></ds:SignedInfo>"
        }
        let declared = #" xmlns:ds="\#(SAMLForge.signatureNamespace)""#
        let value = key.sign(Array(information(declared).utf8).span)
        return "<ds:Signature\(declared)>\(information(""))"
            + "<ds:SignatureValue>\(SAMLForge.base64(value))</ds:SignatureValue></ds:Signature>"
    }

    private static func base64(_ bytes: [UInt8]) -> String {
        String(decoding: Base64.encode(bytes.span), as: UTF8.self)
    }

    // MARK: Documents

    /// The signed assertion.
    package var assertion: String { head + signature(of: unsigned, id: id) + body }

    /// A response with it, or with something else in its place.
    package func response(_ assertion: String? = nil, status: String = "Success", id: String = "_r1") -> String {
        #"<samlp:Response xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" ID="\#(id)" "#
            + #"IssueInstant="\#(SAMLForge.instant(now))" Version="2.0">"#
            + #"<samlp:Status><samlp:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:\#(status)">"#
            + "</samlp:StatusCode></samlp:Status>\(assertion ?? self.assertion)</samlp:Response>"
    }

    /// A response that is signed as a whole.
    package func signedResponse(_ assertion: String? = nil, id: String = "_r1") -> String {
        let response = response(assertion, id: id)
        let signature = signature(of: response, id: id)
        return response.replacing("<samlp:Status>", with: "\(signature)<samlp:Status>", maxReplacements: 1)
    }

    /// The assertion as it is sent to the gateway (SAML-03), in Base64 without compression.
    package var packed: String { SAMLForge.packed(assertion) }

    package static func packed(_ document: String) -> String { base64(Array(document.utf8)) }
}
