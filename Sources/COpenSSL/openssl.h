// libssl and libcrypto. C macros and variadic functions do not import into Swift: those that Crypto needs stand below
// as inline functions. Each answers a new object, 1 or a length; NULL or 0 on failure.
#pragma once
#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/kdf.h>
#include <openssl/param_build.h>
#include <openssl/params.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/rsa.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>
#include <time.h>

static inline EVP_PKEY *copenssl_generate_rsa(size_t bits) { return EVP_PKEY_Q_keygen(NULL, NULL, "RSA", bits); }

static inline EVP_PKEY *copenssl_generate_ec(const char *curve) { return EVP_PKEY_Q_keygen(NULL, NULL, "EC", curve); }

static inline EVP_PKEY *copenssl_generate_ed25519(void) { return EVP_PKEY_Q_keygen(NULL, NULL, "ED25519"); }

static inline EVP_PKEY *copenssl_ed25519_public_key(const unsigned char *bytes, size_t count) {
    return EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, NULL, bytes, count);
}

static inline EVP_PKEY *copenssl_x25519_public_key(const unsigned char *bytes, size_t count) {
    return EVP_PKEY_new_raw_public_key(EVP_PKEY_X25519, NULL, bytes, count);
}

// A public key from a parameter list, checked to be one.
static inline EVP_PKEY *copenssl_public_key(const char *type, OSSL_PARAM *params) {
    EVP_PKEY *key = NULL;
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(NULL, type, NULL);
    EVP_PKEY_CTX *check = NULL;
    if (!context || EVP_PKEY_fromdata_init(context) <= 0
        || EVP_PKEY_fromdata(context, &key, EVP_PKEY_PUBLIC_KEY, params) <= 0) {
        EVP_PKEY_free(key);
        key = NULL;
    } else {
        check = EVP_PKEY_CTX_new_from_pkey(NULL, key, NULL);
        if (!check || EVP_PKEY_public_check(check) <= 0) {
            EVP_PKEY_free(key);
            key = NULL;
        }
    }
    EVP_PKEY_CTX_free(check);
    EVP_PKEY_CTX_free(context);
    return key;
}

// An RSA public key from big-endian modulus and exponent.
static inline EVP_PKEY *copenssl_rsa_public_key(const unsigned char *n, int n_count, const unsigned char *e, int e_count) {
    EVP_PKEY *key = NULL;
    BIGNUM *modulus = BN_bin2bn(n, n_count, NULL), *exponent = BN_bin2bn(e, e_count, NULL);
    OSSL_PARAM_BLD *builder = OSSL_PARAM_BLD_new();
    OSSL_PARAM *params = NULL;
    if (modulus && exponent && builder && OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_RSA_N, modulus)
        && OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_RSA_E, exponent)
        && (params = OSSL_PARAM_BLD_to_param(builder)))
        key = copenssl_public_key("RSA", params);
    OSSL_PARAM_free(params);
    OSSL_PARAM_BLD_free(builder);
    BN_free(exponent);
    BN_free(modulus);
    return key;
}

// An EC public key from a curve's name and an uncompressed point (SEC 1, 2.3.3).
static inline EVP_PKEY *copenssl_ec_public_key(const char *curve, unsigned char *point, size_t count) {
    OSSL_PARAM params[] = {
        OSSL_PARAM_construct_utf8_string(OSSL_PKEY_PARAM_GROUP_NAME, (char *)curve, 0),
        OSSL_PARAM_construct_octet_string(OSSL_PKEY_PARAM_PUB_KEY, point, count),
        OSSL_PARAM_construct_end(),
    };
    return copenssl_public_key("EC", params);
}

// Big-endian bytes of an integer of a key, such as "n" or "e"; the length, or 0 where it is absent or does not fit.
static inline int copenssl_key_integer(const EVP_PKEY *key, const char *name, unsigned char *out, int capacity) {
    BIGNUM *number = NULL;
    int count = 0;
    if (EVP_PKEY_get_bn_param(key, name, &number) && BN_num_bytes(number) <= capacity) count = BN_bn2bin(number, out);
    BN_clear_free(number);
    return count;
}

static inline int copenssl_key_is(const EVP_PKEY *key, const char *type) { return EVP_PKEY_is_a(key, type); }

// Readies a message authentication context for HMAC with a digest's name and a key.
static inline int copenssl_hmac_start(EVP_MAC_CTX *context, const char *digest, const unsigned char *key, size_t count) {
    OSSL_PARAM params[] = {
        OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, (char *)digest, 0),
        OSSL_PARAM_construct_end(),
    };
    return EVP_MAC_init(context, key, count, params);
}

// TLS contexts. Renegotiation and compression are off: both have been attacks more often than features (RFC 9325,
// sections 3.3 and 3.5). Buffers are given back while a session idles, which saves 16 to 32 KiB each.
static inline SSL_CTX *copenssl_tls_context(int is_server, int minimum, int maximum) {
    SSL_CTX *context = SSL_CTX_new(is_server ? TLS_server_method() : TLS_client_method());
    if (!context) return NULL;
    SSL_CTX_clear_options(context, SSL_OP_IGNORE_UNEXPECTED_EOF | SSL_OP_ALLOW_UNSAFE_LEGACY_RENEGOTIATION);
    SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION
        | (is_server ? SSL_OP_CIPHER_SERVER_PREFERENCE | SSL_OP_PRIORITIZE_CHACHA : 0));
    SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ENABLE_PARTIAL_WRITE
        | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER | SSL_MODE_NO_AUTO_CHAIN);
    SSL_CTX_set_security_level(context, 2);
    if (!SSL_CTX_set_min_proto_version(context, minimum) || !SSL_CTX_set_max_proto_version(context, maximum)) {
        SSL_CTX_free(context);
        return NULL;
    }
    return context;
}

static inline int copenssl_set_groups(SSL_CTX *context, const char *names) {
    return (int)SSL_CTX_set1_groups_list(context, names);
}

static inline void copenssl_set_cache_off(SSL_CTX *context) {
    SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
}

// New sessions of a client are reported by the callback and not kept inside.
static inline void copenssl_set_cache_outside(SSL_CTX *context, int (*save)(SSL *, SSL_SESSION *)) {
    SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL);
    SSL_CTX_sess_set_new_cb(context, save);
}

static inline void copenssl_set_tickets_off(SSL_CTX *context) {
    SSL_CTX_set_options(context, SSL_OP_NO_TICKET);
    SSL_CTX_set_num_tickets(context, 0);
}

static inline void copenssl_set_maximum_chain(SSL_CTX *context, long count) {
    SSL_CTX_set_max_cert_list(context, count);
}

static inline void copenssl_set_status_callback(SSL_CTX *context, int (*staple)(SSL *, void *)) {
    SSL_CTX_set_tlsext_status_cb(context, staple);
}

// Hands a response that OPENSSL_memdup made over to the session.
static inline int copenssl_staple(SSL *session, const unsigned char *bytes, size_t count) {
    void *copy = OPENSSL_memdup(bytes, count);
    return copy && SSL_set_tlsext_status_ocsp_resp(session, copy, count);
}

static inline int copenssl_acknowledge_name(SSL *session, int *alert, void *nothing) {
    (void)session, (void)alert, (void)nothing;
    return SSL_TLSEXT_ERR_OK;
}

// The name of a ClientHello is answered as understood (RFC 6066 section 3) and kept with the session.
static inline void copenssl_acknowledge_names(SSL_CTX *context) {
    SSL_CTX_set_tlsext_servername_callback(context, copenssl_acknowledge_name);
}

static inline int copenssl_set_server_name(SSL *session, const char *name) {
    return (int)SSL_set_tlsext_host_name(session, name);
}

// Certificate, key and the rest of the chain, leaf's issuer first.
static inline int copenssl_use_certificate(SSL_CTX *context, X509 *leaf, EVP_PKEY *key, X509 **others, size_t count) {
    STACK_OF(X509) *chain = sk_X509_new_null();
    int done = chain != NULL;
    for (size_t i = 0; done && i < count; i++) done = sk_X509_push(chain, others[i]) > 0;
    done = done && SSL_CTX_use_cert_and_key(context, leaf, key, chain, 1) == 1;
    sk_X509_free(chain);
    return done;
}

static inline void copenssl_wire_is_idle(BIO *wire) { BIO_clear_retry_flags(wire); }

static inline void copenssl_wire_wants_input(BIO *wire) {
    BIO_clear_retry_flags(wire);
    BIO_set_retry_read(wire);
}

// Seconds since 1970 of a certificate's time; 0 where it is none.
static inline long long copenssl_seconds(const ASN1_TIME *time) {
    struct tm parts;
    return ASN1_TIME_to_tm(time, &parts) ? (long long)timegm(&parts) : 0;
}

static inline GENERAL_NAMES *copenssl_alternative_names(const X509 *certificate) {
    return (GENERAL_NAMES *)X509_get_ext_d2i(certificate, NID_subject_alt_name, NULL, NULL);
}

static inline int copenssl_alternative_name_count(const GENERAL_NAMES *names) { return sk_GENERAL_NAME_num(names); }

// Kind and bytes of an alternative name: text of an e-mail address, a host name or a URI, or the bytes of an address.
static inline int copenssl_alternative_name(
    const GENERAL_NAMES *names, int index, const unsigned char **bytes, int *count) {
    const GENERAL_NAME *name = sk_GENERAL_NAME_value(names, index);
    const ASN1_STRING *text;
    switch (name->type) {
    case GEN_EMAIL: text = name->d.rfc822Name; break;
    case GEN_DNS: text = name->d.dNSName; break;
    case GEN_URI: text = name->d.uniformResourceIdentifier; break;
    case GEN_IPADD: text = name->d.iPAddress; break;
    default: return -1;
    }
    *bytes = ASN1_STRING_get0_data(text);
    *count = ASN1_STRING_length(text);
    return name->type;
}

static inline void copenssl_free_alternative_names(GENERAL_NAMES *names) { GENERAL_NAMES_free(names); }

// The last, most specific common name as UTF-8 for OPENSSL_free to free; its length, or -1.
static inline int copenssl_common_name(const X509 *certificate, unsigned char **text) {
    X509_NAME *subject = X509_get_subject_name(certificate);
    int found = -1, next;
    while ((next = X509_NAME_get_index_by_NID(subject, NID_commonName, found)) >= 0) found = next;
    if (found < 0) return -1;
    return ASN1_STRING_to_UTF8(text, X509_NAME_ENTRY_get_data(X509_NAME_get_entry(subject, found)));
}

// An attribute of the subject: its type, the number of its relative name, and its value as UTF-8 for OPENSSL_free to free;
// the length of the value, or -1 where the attribute is no text.
static inline int copenssl_subject_attribute(
    const X509 *certificate, int index, char *type, int capacity, int *set, unsigned char **value) {
    X509_NAME_ENTRY *entry = X509_NAME_get_entry(X509_get_subject_name(certificate), index);
    if (!entry) return -1;
    const ASN1_OBJECT *object = X509_NAME_ENTRY_get_object(entry);
    int nid = OBJ_obj2nid(object);
    const char *name = nid == NID_undef ? NULL : OBJ_nid2sn(nid);
    int count = name ? (int)OPENSSL_strlcpy(type, name, capacity) : OBJ_obj2txt(type, capacity, object, 1);
    if (count <= 0 || count >= capacity) return -1;
    *set = X509_NAME_ENTRY_set(entry);
    return ASN1_STRING_to_UTF8(value, X509_NAME_ENTRY_get_data(entry));
}

static inline int copenssl_subject_attribute_count(const X509 *certificate) {
    return X509_NAME_entry_count(X509_get_subject_name(certificate));
}

// The subject as RFC 4514 has it, with UTF-8 left readable.
static inline int copenssl_print_subject(BIO *sink, const X509 *certificate) {
    return X509_NAME_print_ex(sink, X509_get_subject_name(certificate), 0, XN_FLAG_RFC2253 & ~ASN1_STRFLGS_ESC_MSB);
}

// Where revocation lists are checked, each certificate of a chain needs one of its issuer; but the last one is trusted by
// itself: the list of its issuer may be unknown, and libcrypto takes it for the signer of that list. Its own revocation is
// still looked up there.
static inline int copenssl_anchor_needs_no_list(int accepted, X509_STORE_CTX *context) {
    int error = X509_STORE_CTX_get_error(context);
    if (accepted || (error != X509_V_ERR_UNABLE_TO_GET_CRL && error != X509_V_ERR_CRL_SIGNATURE_FAILURE)) return accepted;
    int depth = X509_STORE_CTX_get_error_depth(context);
    if (depth == 0 || depth != sk_X509_num(X509_STORE_CTX_get0_chain(context)) - 1) return 0;
    X509_STORE_CTX_set_error(context, X509_V_OK);
    return 1;
}

// Verifies a certificate under the settings of the context: its authorities, lists and least strength. With a purpose as a
// handshake does, such as "ssl_client"; NULL for any. At a time in seconds since 1970; 0 for now. Answers the code of the
// verification.
static inline int copenssl_verify_certificate(SSL_CTX *context, X509 *leaf, X509 **others, size_t count,
    int checks_lists, const char *purpose, time_t now) {
    int code = X509_V_ERR_OUT_OF_MEM;
    X509_STORE_CTX *verification = X509_STORE_CTX_new();
    STACK_OF(X509) *chain = sk_X509_new_null();
    if (!verification || !chain) goto done;
    for (size_t i = 0; i < count; i++)
        if (!sk_X509_push(chain, others[i])) goto done;
    if (X509_STORE_CTX_init(verification, SSL_CTX_get_cert_store(context), leaf, chain) != 1) goto done;
    if (purpose && !X509_STORE_CTX_set_default(verification, purpose)) goto done;
    X509_VERIFY_PARAM *parameters = X509_STORE_CTX_get0_param(verification);
    if (now) X509_VERIFY_PARAM_set_time(parameters, now);
    X509_VERIFY_PARAM_set_auth_level(parameters, SSL_CTX_get_security_level(context));
    if (checks_lists) X509_STORE_CTX_set_verify_cb(verification, copenssl_anchor_needs_no_list);
    int accepted = X509_verify_cert(verification);
    code = X509_STORE_CTX_get_error(verification);
    if (accepted != 1 && code == X509_V_OK) code = X509_V_ERR_UNSPECIFIED;
    if (accepted == 1) code = X509_V_OK;
done:
    // The stack does not own what is in it.
    sk_X509_free(chain);
    X509_STORE_CTX_free(verification);
    return code;
}

// The DER encoding of a certificate; 0 without one. The copy is freed by copenssl_free.
static inline int copenssl_encode_certificate(const X509 *certificate, unsigned char **bytes) {
    *bytes = NULL;
    return i2d_X509(certificate, bytes);
}

static inline void copenssl_free(void *pointer) { OPENSSL_free(pointer); }

// The id of the issuer's key (RFC 5280, section 4.2.1.1); its length, or 0 without one. The bytes are the certificate's.
static inline int copenssl_issuer_key_id(X509 *certificate, const unsigned char **bytes) {
    const ASN1_OCTET_STRING *id = X509_get0_authority_key_id(certificate);
    *bytes = id ? ASN1_STRING_get0_data(id) : NULL;
    return id ? ASN1_STRING_length(id) : 0;
}

// The alternative names of "DNS:a.example,DNS:b.example" as an extension.
static inline X509_EXTENSION *copenssl_alternative_names_extension(const char *names) {
    return X509V3_EXT_conf_nid(NULL, NULL, NID_subject_alt_name, names);
}

// The DER encoding of a request for a certificate (RFC 2986), signed with the key; 0 on failure. Freed by copenssl_free.
static inline int copenssl_certificate_request(EVP_PKEY *key, const char *names, unsigned char **bytes) {
    int count = 0;
    X509_REQ *request = X509_REQ_new();
    X509_EXTENSION *extension = copenssl_alternative_names_extension(names);
    STACK_OF(X509_EXTENSION) *extensions = sk_X509_EXTENSION_new_null();
    *bytes = NULL;
    if (request && extension && extensions && sk_X509_EXTENSION_push(extensions, extension)
        && X509_REQ_set_version(request, X509_REQ_VERSION_1) && X509_REQ_set_pubkey(request, key)
        && X509_REQ_add_extensions(request, extensions) && X509_REQ_sign(request, key, EVP_sha256()) > 0)
        count = i2d_X509_REQ(request, bytes);
    sk_X509_EXTENSION_free(extensions);
    X509_EXTENSION_free(extension);
    X509_REQ_free(request);
    return count > 0 ? count : 0;
}

// A certificate that the key signs itself, for the seconds from now.
static inline X509 *copenssl_self_signed(EVP_PKEY *key, const char *common_name, const char *names, long seconds) {
    X509 *certificate = X509_new();
    X509_EXTENSION *extension = copenssl_alternative_names_extension(names);
    X509_NAME *name = certificate ? X509_get_subject_name(certificate) : NULL;
    unsigned char serial[8];
    BIGNUM *number = RAND_bytes(serial, sizeof serial) == 1 ? BN_bin2bn(serial, sizeof serial, NULL) : NULL;
    int made = name && extension && number && X509_set_version(certificate, X509_VERSION_3)
        && BN_to_ASN1_INTEGER(number, X509_get_serialNumber(certificate))
        && X509_gmtime_adj(X509_getm_notBefore(certificate), -3600)
        && X509_gmtime_adj(X509_getm_notAfter(certificate), seconds)
        && X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_UTF8, (const unsigned char *)common_name, -1, -1, 0)
        && X509_set_issuer_name(certificate, name) && X509_set_pubkey(certificate, key)
        && X509_add_ext(certificate, extension, -1) && X509_sign(certificate, key, EVP_sha256()) > 0;
    BN_free(number);
    X509_EXTENSION_free(extension);
    if (made) return certificate;
    X509_free(certificate);
    return NULL;
}

// A session that is resumed gets its next ticket. What bounds their chain is when it began, which each of them carries on.
static inline int copenssl_begin_chain(SSL *ssl, void *unused) {
    (void)unused;
    SSL_SESSION *session = SSL_get_session(ssl);
    void *known = NULL;
    size_t count = 0;
    if (session == NULL || SSL_SESSION_get0_ticket_appdata(session, &known, &count) != 1) return 0;
    if (count > 0) return 1;
    int64_t now = (int64_t)time(NULL);
    return SSL_SESSION_set1_ticket_appdata(session, &now, sizeof now);
}

static inline SSL_TICKET_RETURN copenssl_judge_ticket(SSL *ssl, SSL_SESSION *session, const unsigned char *name,
    size_t length, SSL_TICKET_STATUS status, void *limit) {
    (void)ssl, (void)name, (void)length;
    void *known = NULL;
    size_t count = 0;
    int64_t began = 0;
    if (status != SSL_TICKET_SUCCESS && status != SSL_TICKET_SUCCESS_RENEW) return SSL_TICKET_RETURN_IGNORE_RENEW;
    if (session == NULL || SSL_SESSION_get0_ticket_appdata(session, &known, &count) != 1 || count != sizeof began)
        return SSL_TICKET_RETURN_IGNORE_RENEW;
    memcpy(&began, known, sizeof began);
    int64_t age = (int64_t)time(NULL) - began;
    if (age < 0 || age >= (int64_t)(intptr_t)limit) return SSL_TICKET_RETURN_IGNORE_RENEW;
    return status == SSL_TICKET_SUCCESS_RENEW ? SSL_TICKET_RETURN_USE_RENEW : SSL_TICKET_RETURN_USE;
}

// After so many seconds a client shakes hands in full again, however often it was resumed in between.
static inline int copenssl_limit_resumption(SSL_CTX *context, int64_t seconds) {
    return SSL_CTX_set_session_ticket_cb(context, copenssl_begin_chain, copenssl_judge_ticket, (void *)(intptr_t)seconds);
}

// Readies cipher and authentication of a session ticket (RFC 5077 section 4): AES-256-CBC and HMAC-SHA-256.
static inline int copenssl_ready_ticket(EVP_CIPHER_CTX *cipher, EVP_MAC_CTX *mac, const unsigned char *cipher_key,
    unsigned char *mac_key, size_t mac_count, const unsigned char *iv, int seals) {
    OSSL_PARAM params[] = {
        OSSL_PARAM_construct_octet_string(OSSL_MAC_PARAM_KEY, mac_key, mac_count),
        OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, (char *)"SHA256", 0),
        OSSL_PARAM_construct_end(),
    };
    return EVP_CipherInit_ex(cipher, EVP_aes_256_cbc(), NULL, cipher_key, iv, seals) == 1
        && EVP_MAC_CTX_set_params(mac, params) == 1;
}
