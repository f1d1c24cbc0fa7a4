#if SAML
    import CXMLSec

    /// The linked XML signature library, present with the trait `SAML` (DEC-09).
    package enum XMLSecLibrary {
        /// Its version at build time, such as `1.2.37`.
        package static let version = XMLSEC_VERSION

        /// Initialises both libraries, and with each call the current thread: libxml2's error handler is per thread and
        /// would print to standard error.
        static func start() throws(SAMLRejection) {
            guard isStarted else { throw .unavailable }
            // SAFETY: the handler is an empty function that accepts any arguments.
            unsafe xmlSetStructuredErrorFunc(nil) { _, _ in }
        }

        /// Whether both libraries are usable. The first access initialises them.
        static let isStarted: Bool = {
            // SAFETY: a static initialiser runs once per process; the libraries are never shut down.
            xmlInitParser()
            guard xmlSecInit() >= 0, xmlSecOpenSSLInit() >= 0 else { return false }
            xmlSecErrorsDefaultCallbackEnableOutput(0)
            return true
        }()
    }
#endif
