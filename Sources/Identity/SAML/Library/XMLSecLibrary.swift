#if SAML
    import CXMLSec

    /// The XML signature library this program is linked with, under the trait `SAML` (DEC-09).
    package enum XMLSecLibrary {
        /// Its version, such as `1.2.37`, as of the headers at build time.
        package static let version = XMLSEC_VERSION

        /// Readies both libraries, and with each call the calling thread: libxml2 keeps its handler of errors for each of
        /// them, and would write to standard error.
        static func start() throws(SAMLRejection) {
            guard isStarted else { throw .unavailable }
            // SAFETY: the handler is a function that does nothing, with any arguments.
            unsafe xmlSetStructuredErrorFunc(nil) { _, _ in }
        }

        /// Whether both libraries can be used. The first call starts them.
        static let isStarted: Bool = {
            // SAFETY: once in the process, which is what a static value is for; the libraries are never shut down.
            xmlInitParser()
            guard xmlSecInit() >= 0, xmlSecOpenSSLInit() >= 0 else { return false }
            xmlSecErrorsDefaultCallbackEnableOutput(0)
            return true
        }()
    }
#endif
