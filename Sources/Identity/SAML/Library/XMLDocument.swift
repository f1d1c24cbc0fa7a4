#if SAML
    import Bytes
    import CXMLSec

    /// A libxml2 document, for use by one thread at a time.
    @safe
    final class XMLDocument {
        // SAFETY: never null, not shared, freed in `deinit`; its nodes are used only within calls.
        let pointer: xmlDocPtr

        /// Parses a UTF-8 document without declarations: no document type, hence no entities, and no processing
        /// instructions. Nothing is fetched.
        init(_ bytes: [UInt8]) throws(SAMLRejection) {
            guard XMLBounds.holds(bytes.span) else { throw .tooLarge }
            // Names are compared, so bytes that decoders may interpret differently are refused.
            guard !bytes.isEmpty, String(streamSafe: bytes) != nil else { throw .malformed }
            try XMLSecLibrary.start()
            // SAFETY: the context and its handler table are freed on leaving; the parser copies what it keeps of the
            // text, which outlives the call.
            guard let context = unsafe xmlNewParserCtxt() else { throw .malformed }
            defer { unsafe xmlFreeParserCtxt(context) }
            // Both handlers stop the parser before any declaration is processed.
            unsafe context.pointee.sax.pointee.internalSubset = { context, _, _, _ in
                unsafe XMLDocument.stop(context)
            }
            unsafe context.pointee.sax.pointee.processingInstruction = { context, _, _ in
                unsafe XMLDocument.stop(context)
            }
            let options = XML_PARSE_NONET.rawValue | XML_PARSE_NOERROR.rawValue | XML_PARSE_NOWARNING.rawValue
            let document = unsafe bytes.withUnsafeBufferPointer { buffer in
                unsafe buffer.withMemoryRebound(to: CChar.self) { text in
                    unsafe xmlCtxtReadMemory(
                        context, text.baseAddress, Int32(text.count), nil, "UTF-8", Int32(options))
                }
            }
            // A stopped parser may return a partial document.
            let isStopped = unsafe context.pointee.errNo == Int32(XML_ERR_USER_STOP.rawValue)
            let isWell = unsafe context.pointee.wellFormed == 1 && context.pointee.nsWellFormed == 1
            guard let document = unsafe document, isWell, !isStopped else {
                unsafe xmlFreeDoc(document)
                throw isStopped ? .forbiddenDeclaration : .malformed
            }
            unsafe pointer = document
        }

        deinit { unsafe xmlFreeDoc(pointer) }

        private static func stop(_ context: UnsafeMutableRawPointer?) {
            // SAFETY: the parser passes its own context to its handlers.
            unsafe xmlStopParser(context?.assumingMemoryBound(to: xmlParserCtxt.self))
        }

        /// The document as a value type.
        func tree() throws(SAMLRejection) -> XMLElement {
            guard let root = unsafe xmlDocGetRootElement(pointer) else { throw .malformed }
            return unsafe try XMLDocument.element(root, depth: 1)
        }

        /// The element at a path of child indices from the root.
        func node(at path: [Int]) -> xmlNodePtr? {
            // SAFETY: nodes live as long as the document.
            var node = unsafe xmlDocGetRootElement(pointer)
            for place in path {
                guard let parent = unsafe node else { return nil }
                unsafe node = XMLDocument.childElements(of: parent).dropFirst(place).first
            }
            return unsafe node
        }

        /// An element as a separate document. All namespaces in scope are declared on it; exclusive canonicalisation
        /// ignores unused ones, so its signature remains valid.
        func text(at path: [Int]) -> [UInt8] {
            // SAFETY: nodes and namespaces live as long as the document; the buffer is freed on leaving.
            guard let element = unsafe node(at: path), let buffer = unsafe xmlBufferCreate() else { return [] }
            defer { unsafe xmlBufferFree(buffer) }
            var ancestor = unsafe element.pointee.parent
            while let node = unsafe ancestor, unsafe node.pointee.type == XML_ELEMENT_NODE {
                var next = unsafe node.pointee.nsDef
                while let namespace = unsafe next {
                    // Declares nothing and returns null if the element already declares the prefix.
                    unsafe _ = xmlNewNs(element, namespace.pointee.href, namespace.pointee.prefix)
                    unsafe next = namespace.pointee.next
                }
                unsafe ancestor = node.pointee.parent
            }
            guard unsafe xmlNodeDump(buffer, pointer, element, 0, 0) >= 0 else { return [] }
            return unsafe XMLDocument.bytes(xmlBufferContent(buffer))
        }

        // MARK: Nodes, all of them of a living document

        static func childElements(of node: xmlNodePtr) -> [xmlNodePtr] {
            var found: [xmlNodePtr] = unsafe []
            // SAFETY: siblings are nodes of the same document.
            var next = unsafe node.pointee.children
            while let child = unsafe next {
                if unsafe child.pointee.type == XML_ELEMENT_NODE { unsafe found.append(child) }
                unsafe next = child.pointee.next
            }
            return unsafe found
        }

        private static func element(_ node: xmlNodePtr, depth: Int) throws(SAMLRejection) -> XMLElement {
            let count = unsafe try declarations(on: node)
            guard depth <= XMLBounds.depth, count <= XMLBounds.attributes else { throw .tooLarge }
            var children: [XMLElement] = []
            var text: [UInt8] = []
            // SAFETY: siblings are nodes of the same document; an element's content is of the kind its type says.
            var next = unsafe node.pointee.children
            while let child = unsafe next {
                switch unsafe child.pointee.type {
                case XML_ELEMENT_NODE: children.append(unsafe try element(child, depth: depth + 1))
                case XML_TEXT_NODE, XML_CDATA_SECTION_NODE: text += unsafe bytes(child.pointee.content)
                case XML_COMMENT_NODE: break
                default: throw .forbiddenDeclaration
                }
                unsafe next = child.pointee.next
            }
            // Written as character references, they bypassed the check of the raw document.
            guard StreamSafeText.holds(text.span) else { throw .malformed }
            return XMLElement(
                name: unsafe string(node.pointee.name), namespace: unsafe try namespace(node.pointee.ns),
                attributes: unsafe try attributes(of: node), children: children,
                text: String(decoding: text, as: UTF8.self))
        }

        /// How many namespaces an element declares. Their names are short, since each element in their scope has a copy.
        private static func declarations(on node: xmlNodePtr) throws(SAMLRejection) -> Int {
            var count = 0
            // SAFETY: declarations belong to their element.
            var next = unsafe node.pointee.nsDef
            while let namespace = unsafe next {
                guard unsafe xmlStrlen(namespace.pointee.href) <= XMLBounds.namespaceName else { throw .tooLarge }
                count += 1
                unsafe next = namespace.pointee.next
            }
            return count
        }

        private static func attributes(of node: xmlNodePtr) throws(SAMLRejection) -> [XMLElement.Attribute] {
            var found: [XMLElement.Attribute] = []
            // SAFETY: attributes of an element are nodes of the same document.
            var next = unsafe node.pointee.properties
            while let attribute = unsafe next {
                guard found.count < XMLBounds.attributes else { throw .tooLarge }
                var value: [UInt8] = []
                var part = unsafe attribute.pointee.children
                while let text = unsafe part {
                    guard unsafe text.pointee.type == XML_TEXT_NODE else { throw .forbiddenDeclaration }
                    value += unsafe bytes(text.pointee.content)
                    unsafe part = text.pointee.next
                }
                guard StreamSafeText.holds(value.span) else { throw .malformed }
                found.append(
                    XMLElement.Attribute(
                        name: unsafe string(attribute.pointee.name),
                        namespace: unsafe try namespace(attribute.pointee.ns),
                        value: String(decoding: value, as: UTF8.self)))
                unsafe next = attribute.pointee.next
            }
            return found
        }

        private static func namespace(_ namespace: xmlNsPtr?) throws(SAMLRejection) -> String? {
            // SAFETY: namespaces belong to elements of the same document.
            guard let namespace = unsafe namespace else { return nil }
            let name = unsafe string(namespace.pointee.href)
            // A URI has no such characters, but the library is not trusted to check that.
            guard StreamSafeText.holds(name) else { throw .malformed }
            return name
        }

        private static func string(_ text: UnsafePointer<UInt8>?) -> String {
            String(decoding: unsafe bytes(text), as: UTF8.self)
        }

        private static func bytes(_ text: UnsafePointer<UInt8>?) -> [UInt8] {
            // SAFETY: libxml2 strings are null-terminated.
            guard let text = unsafe text else { return [] }
            return unsafe Array(UnsafeBufferPointer(start: text, count: Int(xmlStrlen(text))))
        }
    }
#endif
