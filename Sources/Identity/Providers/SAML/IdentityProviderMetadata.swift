import Bytes

/// Configuration of an identity provider, from its metadata or given directly (SAML metadata section 2.4.3).
package struct IdentityProviderMetadata: Sendable, Equatable {
    /// Why a document is unusable.
    package enum Problem: String, Error, Sendable {
        case malformed = "this is no SAML metadata"
        case wrongEntity = "there is no identity provider of this entity id in it"
        case severalEntities = "there are several identity providers in it; \"entityId\" says which one is meant"
    }

    package var entityID: String
    /// Single sign-on URL of the redirect binding; empty if absent.
    package var singleSignOn: String
    /// Signing certificates in PEM form.
    package var certificates: [[UInt8]]

    package init(entityID: String, singleSignOn: String, certificates: [[UInt8]]) {
        self.entityID = entityID
        self.singleSignOn = singleSignOn
        self.certificates = certificates
    }

    #if SAML
        /// Reads a document that the operator provided. It is trusted as a file, so its signature is not checked.
        /// - Parameter entityID: the provider to use; nil for the only one.
        package init(_ xml: [UInt8], entityID: String?) throws(Problem) {
            let root: XMLElement
            do throws(SAMLRejection) { root = try XMLDocument(xml).tree() } catch { throw .malformed }
            let all = IdentityProviderMetadata.entities(in: root)
            let providers = all.compactMap { entity in
                entity.children("IDPSSODescriptor", SAMLName.metadata).first.map {
                    (entity["entityID"] ?? "", $0)
                }
            }
            let wanted = providers.filter { provider in entityID?.isExactly(provider.0) ?? true }
            guard let (name, descriptor) = wanted.first, !name.isEmpty else {
                throw all.isEmpty ? .malformed : .wrongEntity
            }
            guard wanted.count == 1 else { throw .severalEntities }
            let service = descriptor.children("SingleSignOnService", SAMLName.metadata).first {
                $0["Binding"]?.isExactly(SAMLName.redirectBinding) ?? false
            }
            // A key without `use` serves both purposes (section 2.4.1.1).
            let keys = descriptor.children("KeyDescriptor", SAMLName.metadata).filter {
                $0["use"]?.isExactly("signing") ?? true
            }
            self.init(
                entityID: name, singleSignOn: service?["Location"] ?? "",
                certificates: keys.flatMap(IdentityProviderMetadata.certificates))
        }

        private static func entities(in element: XMLElement) -> [XMLElement] {
            if element.has("EntityDescriptor", SAMLName.metadata) { return [element] }
            guard element.has("EntitiesDescriptor", SAMLName.metadata) else { return [] }
            return element.children.flatMap(entities)
        }

        private static func certificates(of key: XMLElement) -> [[UInt8]] {
            let space = SAMLName.signature
            return key.children("KeyInfo", space).flatMap { $0.children("X509Data", space) }
                .flatMap { $0.children("X509Certificate", space) }.map { pem($0.text) }
        }

        /// Wraps a certificate in PEM encapsulation (RFC 7468 section 2).
        private static func pem(_ base64: String) -> [UInt8] {
            var pem = Array("-----BEGIN CERTIFICATE-----\n".utf8)
            var rest = base64.utf8.filter { $0 > ASCII.space }[...]
            while !rest.isEmpty {
                pem += rest.prefix(64) + [ASCII.lineFeed]
                rest = rest.dropFirst(64)
            }
            return pem + Array("-----END CERTIFICATE-----\n".utf8)
        }
    #else
        package init(_ xml: [UInt8], entityID: String?) throws(Problem) { throw .malformed }
    #endif
}
