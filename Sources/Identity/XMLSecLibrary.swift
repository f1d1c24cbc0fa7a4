#if SAML
    import CXMLSec

    /// The XML signature library this program is linked with, under the trait `SAML` (DEC-09).
    package enum XMLSecLibrary {
        /// Its version, such as `1.2.37`, as of the headers at build time.
        package static let version = XMLSEC_VERSION
    }
#endif
