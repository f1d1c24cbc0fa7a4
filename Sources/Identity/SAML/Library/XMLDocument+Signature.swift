#if SAML
    import CXMLSec
    import Crypto

    extension XMLDocument {
        /// What a signature has been found to be.
        enum Verdict: Equatable {
            /// The bytes that were digested: the element without its signature, in canonical form.
            case verified([UInt8])
            case invalid
        }

        /// Checks the signature that stands in an element, and is about that element: whoever calls has seen that the
        /// signature is in the profile of SAML, and that the id is the only one of its value.
        ///
        /// The key is the one given. What the signature says of keys is taken out of the document first, so no code
        /// is ever reached that could believe it; it is none of what is signed.
        /// - Parameters:
        ///   - path: of the element, as places among child elements from the root.
        ///   - signature: its place among the element's child elements.
        ///   - id: name and value of the attribute that the reference means.
        ///   - key: SubjectPublicKeyInfo in DER.
        func verify(
            at path: [Int], signature: Int, id: (name: String, value: String), key: [UInt8], allowsSHA1: Bool
        ) -> Verdict {
            defer { OpenSSLLibrary.clearErrors() }
            // SAFETY: nodes live as long as the document, which nobody else uses; context and key are freed on leaving,
            // the key by the context that takes it over.
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
            let loaded = unsafe key.withUnsafeBufferPointer { bytes in
                unsafe xmlSecOpenSSLAppKeyLoadMemory(
                    bytes.baseAddress, UInt32(bytes.count), xmlSecKeyDataFormatDer, nil, nil, nil)
            }
            guard let loaded = unsafe loaded else { return .invalid }
            unsafe context.pointee.signKey = loaded
            guard unsafe xmlSecDSigCtxVerify(context, node) == 0,
                unsafe context.pointee.status == xmlSecDSigStatusSucceeded
            else { return .invalid }
            return unsafe XMLDocument.digested(context)
        }

        private static func removeKeys(from signature: xmlNodePtr) {
            // SAFETY: an element that is taken out of its document is freed by who has taken it.
            let children = unsafe childElements(of: signature)
            for place in unsafe children.indices {
                let child = unsafe children[place]
                guard unsafe xmlStrEqual(child.pointee.name, "KeyInfo") == 1 else { continue }
                unsafe xmlUnlinkNode(child)
                unsafe xmlFreeNode(child)
            }
        }

        /// Leaves the library nothing but the profile of SAML core section 5.4.
        private static func restrict(_ context: xmlSecDSigCtxPtr, allowsSHA1: Bool) -> Bool {
            // SAFETY: the context is the caller's own; transform ids are static tables of the library.
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
            // SAFETY: list and buffer belong to the context; the bytes are copied while it is alive.
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
