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

static inline EVP_PKEY *copenssl_generate_rsa(size_t bits) { return EVP_PKEY_Q_keygen(NULL, NULL, "RSA", bits); }

static inline EVP_PKEY *copenssl_generate_ec(const char *curve) { return EVP_PKEY_Q_keygen(NULL, NULL, "EC", curve); }

static inline EVP_PKEY *copenssl_generate_ed25519(void) { return EVP_PKEY_Q_keygen(NULL, NULL, "ED25519"); }

static inline EVP_PKEY *copenssl_ed25519_public_key(const unsigned char *bytes, size_t count) {
    return EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, NULL, bytes, count);
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
