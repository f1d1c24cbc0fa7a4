import Bytes

/// Metadata of the gateway for an identity provider (SAML metadata section 2.4.4).
struct ServiceProviderMetadata: Sendable {
    var entityID: String
    /// Where answers are posted.
    var consumerURL: String
    var nameIDFormat: String?
    /// Certificate of the request signatures, in PEM form; nil if requests are unsigned.
    var certificate: [UInt8]?

    var xml: [UInt8] {
        let format = nameIDFormat.map { "<md:NameIDFormat>\(MarkupText.escaped($0))</md:NameIDFormat>" } ?? ""
        return Array(
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <md:EntityDescriptor xmlns:md="\(SAMLName.metadata)" entityID="\(MarkupText.escaped(entityID))">\
            <md:SPSSODescriptor AuthnRequestsSigned="\(certificate != nil)" WantAssertionsSigned="true" \
            protocolSupportEnumeration="\(SAMLName.protocol)">\(keyDescriptor)\(format)\
            <md:AssertionConsumerService Binding="\(SAMLName.postBinding)" \
            Location="\(MarkupText.escaped(consumerURL))" index="0" isDefault="true"/>\
            </md:SPSSODescriptor></md:EntityDescriptor>

            """.utf8)
    }

    private var keyDescriptor: String {
        guard let certificate else { return "" }
        return """
            <md:KeyDescriptor use="signing"><ds:KeyInfo xmlns:ds="\(SAMLName.signature)"><ds:X509Data>\
            <ds:X509Certificate>\(ServiceProviderMetadata.base64(ofPEM: certificate))</ds:X509Certificate>\
            </ds:X509Data></ds:KeyInfo></md:KeyDescriptor>
            """
    }

    /// The first certificate of a PEM text, without the encapsulation.
    private static func base64(ofPEM pem: [UInt8]) -> String {
        let lines = pem.split { $0 == ASCII.lineFeed || $0 == UInt8(ascii: "\r") }
        let body = lines.drop { !$0.starts(with: "-----BEGIN CERTIFICATE-----".utf8) }.dropFirst()
            .prefix { !$0.starts(with: "-----".utf8) }
        return String(decoding: body.joined(), as: UTF8.self)
    }
}
