#if SAML
    import CXMLSec
    import Crypto

    extension XMLDocument {
        /// The result of a signature check.
        enum Verdict: Equatable {
            /// The digested bytes: the element without its signature, in canonical form.
            case verified([UInt8])
            case invalid
        }

        /// Checks the enveloped signature of an element. The caller has checked that the signature follows the SAML
        /// profile and that the id is unique.
        ///
        /// Only the given key is used. `KeyInfo` is removed from the document first, so the library cannot use it; the
        /// signature does not cover it.
        /// - Parameters:
        ///   - path: of the element, as child indices from the root.
        ///   - signature: its index among the element's children.
        ///   - id: name and value of the attribute that the reference names.
        ///   - key: SubjectPublicKeyInfo in DER.
        func verify(
            at path: [Int], signature: Int, id: (name: String, value: String), key: [UInt8], allowsSHA1: Bool
        ) -> Verdict {
            defer { OpenSSLLibrary.clearErrors() }
            // SAFETY: nodes live as long as the document, which is used exclusively; context and key are freed on
            // leaving, the key by the context that owns it.
            guard let element = unsafe node(at: path), let node = unsafe node(at: path + [signature]),
                let attribute = unsafe xmlHasProp(element, id.name)
            else { return .invalid }
            if unsafe xmlGetID(pointer, id.value) == nil {
                guard unsafe xmlAddID(nil, pointer, id.value, attribute) != nil else { return .invalid }
            }
            unsafe XMLDocument.removeKeys(from: node)
            guard let context = unsafe xmlSecDSigCtxCreate(nil) else { return .invalid }
            defer { unsafe xmlSecDSigCtxDestroy(context) }
            guard unsafe XMLDocument.restrict(context, allowsSHA1: allowsSHA1) else { return .invalid }
            guard let loaded = unsafe XMLDocument.load(key, xmlSecKeyDataFormatDer) else { return .invalid }
            unsafe context.pointee.signKey = loaded
            guard unsafe xmlSecDSigCtxVerify(context, node) == 0,
                unsafe context.pointee.status == xmlSecDSigStatusSucceeded
            else { return .invalid }
            return unsafe XMLDocument.digested(context)
        }

        /// Fills in the empty signature of the root and returns the document; nil if it cannot be signed.
        /// - Parameters:
        ///   - place: index of the signature among the root's children.
        ///   - id: of the root, which the signature refers to.
        ///   - key: a private key in PEM form.
        func sign(at place: Int, id: String, key: [UInt8]) -> [UInt8]? {
            defer { OpenSSLLibrary.clearErrors() }
            // SAFETY: as for verification.
            guard let element = unsafe node(at: []), let node = unsafe node(at: [place]),
                let attribute = unsafe xmlHasProp(element, "ID"), unsafe xmlAddID(nil, pointer, id, attribute) != nil,
                let context = unsafe xmlSecDSigCtxCreate(nil)
            else { return nil }
            defer { unsafe xmlSecDSigCtxDestroy(context) }
            guard unsafe XMLDocument.restrict(context, allowsSHA1: false),
                let loaded = unsafe XMLDocument.load(key, xmlSecKeyDataFormatPem)
            else { return nil }
            unsafe context.pointee.signKey = loaded
            guard unsafe xmlSecDSigCtxSign(context, node) == 0,
                unsafe context.pointee.status == xmlSecDSigStatusSucceeded
            else { return nil }
            return text(at: [])
        }

        private static func load(_ key: [UInt8], _ format: xmlSecKeyDataFormat) -> xmlSecKeyPtr? {
            // SAFETY: the library copies what it reads; the caller owns the new key.
            unsafe key.withUnsafeBufferPointer { bytes in
                unsafe xmlSecOpenSSLAppKeyLoadMemory(bytes.baseAddress, UInt32(bytes.count), format, nil, nil, nil)
            }
        }

        private static func removeKeys(from signature: xmlNodePtr) {
            // SAFETY: an unlinked element must be freed by the caller.
            let children = unsafe childElements(of: signature)
            for place in unsafe children.indices {
                let child = unsafe children[place]
                guard unsafe xmlStrEqual(child.pointee.name, "KeyInfo") == 1 else { continue }
                unsafe xmlUnlinkNode(child)
                unsafe xmlFreeNode(child)
            }
        }

        /// Restricts the library to the profile of SAML core section 5.4.
        private static func restrict(_ context: xmlSecDSigCtxPtr, allowsSHA1: Bool) -> Bool {
            // SAFETY: the context belongs to the caller; transform ids are static tables of the library.
            unsafe context.pointee.enabledReferenceUris = UInt32(xmlSecTransformUriTypeSameDocument)
            unsafe context.pointee.flags |= UInt32(
                XMLSEC_DSIG_FLAGS_STORE_SIGNEDINFO_REFERENCES | XMLSEC_DSIG_FLAGS_IGNORE_MANIFESTS)
            var digests = unsafe [
                xmlSecOpenSSLTransformSha256GetKlass(), xmlSecOpenSSLTransformSha384GetKlass(),
                xmlSecOpenSSLTransformSha512GetKlass(),
            ]
            var signatures = unsafe [
                xmlSecOpenSSLTransformRsaSha256GetKlass(), xmlSecOpenSSLTransformRsaSha384GetKlass(),
                xmlSecOpenSSLTransformRsaSha512GetKlass(), xmlSecOpenSSLTransformEcdsaSha256GetKlass(),
                xmlSecOpenSSLTransformEcdsaSha384GetKlass(), xmlSecOpenSSLTransformEcdsaSha512GetKlass(),
            ]
            if allowsSHA1 {
                unsafe digests.append(xmlSecOpenSSLTransformSha1GetKlass())
                unsafe signatures += [
                    xmlSecOpenSSLTransformRsaSha1GetKlass(), xmlSecOpenSSLTransformEcdsaSha1GetKlass(),
                ]
            }
            let canonical = unsafe [
                xmlSecTransformExclC14NGetKlass(), xmlSecTransformExclC14NWithCommentsGetKlass(),
            ]
            let ofReference = unsafe [xmlSecTransformEnvelopedGetKlass()] + canonical + digests
            let ofSignature = unsafe canonical + signatures
            guard unsafe ofReference.allSatisfy({ unsafe xmlSecDSigCtxEnableReferenceTransform(context, $0) == 0 })
            else { return false }
            return unsafe ofSignature.allSatisfy { unsafe xmlSecDSigCtxEnableSignatureTransform(context, $0) == 0 }
        }

        private static func digested(_ context: xmlSecDSigCtxPtr) -> Verdict {
            // SAFETY: list and buffer belong to the context; the bytes are copied during its lifetime.
            unsafe withUnsafeMutablePointer(to: &context.pointee.signedInfoReferences) { list in
                guard unsafe xmlSecPtrListGetSize(list) == 1, let item = unsafe xmlSecPtrListGetItem(list, 0) else {
                    return .invalid
                }
                let reference = unsafe item.assumingMemoryBound(to: xmlSecDSigReferenceCtx.self)
                guard let buffer = unsafe xmlSecDSigReferenceCtxGetPreDigestBuffer(reference),
                    let start = unsafe xmlSecBufferGetData(buffer)
                else { return .invalid }
                let count = unsafe Int(xmlSecBufferGetSize(buffer))
                return .verified(unsafe Array(UnsafeBufferPointer(start: start, count: count)))
            }
        }
    }
#endif
