#include "COpenSSLKeys.h"

#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/ecdsa.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/kdf.h>
#include <openssl/obj_mac.h>
#include <openssl/params.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>
#include <openssl/x509.h>
#include <string.h>

/* Threads may still be at work when the program exits, so that OpenSSL must not free what they use. Its first caller decides. */
__attribute__((constructor)) static void keep_until_the_end(void) {
  OPENSSL_init_crypto(OPENSSL_INIT_NO_ATEXIT, NULL);
}

/* The result of a call, with what OpenSSL says about a failure taken off its queue. */
static int result(int succeeded) {
  if (!succeeded) ERR_clear_error();
  return succeeded ? 0 : -1;
}

static EVP_PKEY *key_or_null(EVP_PKEY *key) {
  if (key == NULL) ERR_clear_error();
  return key;
}

void copenssl_cleanse(void *bytes, size_t count) { OPENSSL_cleanse(bytes, count); }

int copenssl_is_equal(const void *one, const void *other, size_t count) {
  return CRYPTO_memcmp(one, other, count) == 0;
}

/* Digests */

int copenssl_sha1(const void *bytes, size_t count, uint8_t *hash) {
  return result(EVP_Digest(bytes, count, hash, NULL, EVP_sha1(), NULL));
}

EVP_MD_CTX *copenssl_sha256_begin(void) {
  EVP_MD_CTX *digest = EVP_MD_CTX_new();
  if (digest != NULL && EVP_DigestInit_ex(digest, EVP_sha256(), NULL)) return digest;
  EVP_MD_CTX_free(digest);
  ERR_clear_error();
  return NULL;
}

int copenssl_sha256_add(EVP_MD_CTX *digest, const void *bytes, size_t count) {
  return result(EVP_DigestUpdate(digest, bytes, count));
}

int copenssl_sha256_end(EVP_MD_CTX *digest, uint8_t *hash) {
  int succeeded = EVP_DigestFinal_ex(digest, hash, NULL);
  EVP_MD_CTX_free(digest);
  return result(succeeded);
}

EVP_MAC_CTX *copenssl_hmac_key(const void *secret, size_t count) {
  OSSL_PARAM parameters[] = {
    OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, "SHA256", 0), OSSL_PARAM_construct_end()
  };
  EVP_MAC *algorithm = EVP_MAC_fetch(NULL, "HMAC", NULL);
  EVP_MAC_CTX *key = EVP_MAC_CTX_new(algorithm);
  EVP_MAC_free(algorithm);
  if (key != NULL && EVP_MAC_init(key, count == 0 ? "" : secret, count, parameters)) return key;
  EVP_MAC_CTX_free(key);
  ERR_clear_error();
  return NULL;
}

void copenssl_hmac_free(EVP_MAC_CTX *key) { EVP_MAC_CTX_free(key); }

int copenssl_hmac(const EVP_MAC_CTX *key, const void *message, size_t count, uint8_t *mac) {
  size_t length = 0;
  EVP_MAC_CTX *own = EVP_MAC_CTX_dup(key);
  int succeeded = own != NULL && EVP_MAC_update(own, message, count) && EVP_MAC_final(own, mac, &length, 32);
  EVP_MAC_CTX_free(own);
  return result(succeeded && length == 32);
}

int copenssl_hkdf(
  const void *secret, size_t secret_count, const void *salt, size_t salt_count, const void *info, size_t info_count,
  uint8_t *key, size_t count) {
  OSSL_PARAM parameters[] = {
    OSSL_PARAM_construct_utf8_string(OSSL_KDF_PARAM_DIGEST, "SHA256", 0),
    OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_KEY, (void *)secret, secret_count),
    OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_SALT, (void *)salt, salt_count),
    OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_INFO, (void *)info, info_count), OSSL_PARAM_construct_end()
  };
  EVP_KDF *algorithm = EVP_KDF_fetch(NULL, "HKDF", NULL);
  EVP_KDF_CTX *context = EVP_KDF_CTX_new(algorithm);
  EVP_KDF_free(algorithm);
  int succeeded = context != NULL && EVP_KDF_derive(context, key, count, parameters) > 0;
  EVP_KDF_CTX_free(context);
  return result(succeeded);
}

/* Encryption */

static const int tag_bytes = 16;

int copenssl_seal(const uint8_t *key, const uint8_t *nonce, const void *text, int count, uint8_t *sealed) {
  int part = 0, rest = 0;
  EVP_CIPHER_CTX *cipher = EVP_CIPHER_CTX_new();
  int succeeded = cipher != NULL && EVP_EncryptInit_ex(cipher, EVP_aes_128_gcm(), NULL, key, nonce) &&
    EVP_EncryptUpdate(cipher, sealed, &part, text, count) && EVP_EncryptFinal_ex(cipher, sealed + part, &rest) &&
    EVP_CIPHER_CTX_ctrl(cipher, EVP_CTRL_AEAD_GET_TAG, tag_bytes, sealed + count) > 0;
  EVP_CIPHER_CTX_free(cipher);
  return result(succeeded && part + rest == count);
}

int copenssl_open(const uint8_t *key, const uint8_t *nonce, const void *sealed, int count, uint8_t *text) {
  if (count < tag_bytes) return -1;
  int part = 0, rest = 0, length = count - tag_bytes;
  EVP_CIPHER_CTX *cipher = EVP_CIPHER_CTX_new();
  int succeeded = cipher != NULL && EVP_DecryptInit_ex(cipher, EVP_aes_128_gcm(), NULL, key, nonce) &&
    EVP_DecryptUpdate(cipher, text, &part, sealed, length) &&
    EVP_CIPHER_CTX_ctrl(cipher, EVP_CTRL_AEAD_SET_TAG, tag_bytes, (char *)sealed + length) > 0 &&
    EVP_DecryptFinal_ex(cipher, text + part, &rest) > 0;
  EVP_CIPHER_CTX_free(cipher);
  if (!succeeded) OPENSSL_cleanse(text, (size_t)length);
  return result(succeeded && part + rest == length);
}

/* Keys */

EVP_PKEY *copenssl_key_read(const void *der, long count) {
  const unsigned char *end = der;
  EVP_PKEY *key = d2i_AutoPrivateKey(NULL, &end, count);
  /* Some formats leave the reasons of the attempts that failed behind. */
  ERR_clear_error();
  if (key == NULL || end == (const unsigned char *)der + count) return key;
  EVP_PKEY_free(key);
  return NULL;
}

/* In place of OpenSSL's own, which asks at the terminal. */
static int no_passphrase(char *passphrase, int capacity, int is_for_writing, void *context) {
  (void)passphrase, (void)capacity, (void)is_for_writing, (void)context;
  return -1;
}

EVP_PKEY *copenssl_key_read_pem(const void *pem, int count) {
  BIO *memory = BIO_new_mem_buf(pem, count);
  EVP_PKEY *key = memory == NULL ? NULL : PEM_read_bio_PrivateKey(memory, NULL, no_passphrase, NULL);
  BIO_free(memory);
  ERR_clear_error();
  return key;
}

void copenssl_key_free(EVP_PKEY *key) { EVP_PKEY_free(key); }

EVP_PKEY *copenssl_key_public(EVP_PKEY *key) {
  unsigned char *der = NULL;
  int count = i2d_PUBKEY(key, &der);
  const unsigned char *start = der;
  EVP_PKEY *half = count > 0 ? d2i_PUBKEY(NULL, &start, count) : NULL;
  OPENSSL_free(der);
  return key_or_null(half);
}

int copenssl_key_write_pem(EVP_PKEY *key, char *pem, int capacity) {
  BIO *memory = BIO_new(BIO_s_secmem());
  int length = -1;
  if (memory != NULL && PEM_write_bio_PrivateKey(memory, key, NULL, NULL, 0, NULL, NULL)) {
    length = BIO_pending(memory) <= capacity ? BIO_read(memory, pem, capacity) : -1;
  }
  BIO_free(memory);
  ERR_clear_error();
  return length;
}

/* P-256 */

EVP_PKEY *copenssl_p256_generate(void) { return key_or_null(EVP_EC_gen("P-256")); }

static EVP_PKEY *p256_key(const uint8_t *point, const uint8_t *scalar) {
  /* Parameters of numbers are in the machine's order of bytes. */
  uint8_t native[32];
  OSSL_PARAM parameters[4] = {
    OSSL_PARAM_construct_utf8_string(OSSL_PKEY_PARAM_GROUP_NAME, "prime256v1", 0),
    OSSL_PARAM_construct_octet_string(OSSL_PKEY_PARAM_PUB_KEY, (void *)point, 65), OSSL_PARAM_construct_end(),
    OSSL_PARAM_construct_end()
  };
  BIGNUM *number = NULL;
  if (scalar != NULL) {
    number = BN_bin2bn(scalar, 32, NULL);
    if (number == NULL || BN_bn2nativepad(number, native, sizeof native) < 0) {
      BN_clear_free(number);
      return NULL;
    }
    parameters[2] = OSSL_PARAM_construct_BN(OSSL_PKEY_PARAM_PRIV_KEY, native, sizeof native);
  }
  EVP_PKEY *key = NULL;
  EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(NULL, "EC", NULL);
  if (context == NULL || EVP_PKEY_fromdata_init(context) <= 0 ||
      EVP_PKEY_fromdata(context, &key, scalar == NULL ? EVP_PKEY_PUBLIC_KEY : EVP_PKEY_KEYPAIR, parameters) <= 0) {
    EVP_PKEY_free(key);
    key = NULL;
  }
  EVP_PKEY_CTX_free(context);
  BN_clear_free(number);
  OPENSSL_cleanse(native, sizeof native);
  return key;
}

EVP_PKEY *copenssl_p256_private(const uint8_t *scalar) {
  uint8_t encoded[65];
  EC_GROUP *group = EC_GROUP_new_by_curve_name(NID_X9_62_prime256v1);
  EC_POINT *point = group != NULL ? EC_POINT_new(group) : NULL;
  BIGNUM *number = BN_secure_new();
  EVP_PKEY *key = NULL;
  if (point != NULL && number != NULL && BN_bin2bn(scalar, 32, number) != NULL && !BN_is_zero(number) &&
      BN_cmp(number, EC_GROUP_get0_order(group)) < 0) {
    BN_set_flags(number, BN_FLG_CONSTTIME);
    if (EC_POINT_mul(group, point, number, NULL, NULL, NULL) &&
        EC_POINT_point2oct(group, point, POINT_CONVERSION_UNCOMPRESSED, encoded, sizeof encoded, NULL) == sizeof encoded) {
      key = p256_key(encoded, scalar);
    }
  }
  BN_clear_free(number);
  EC_POINT_free(point);
  EC_GROUP_free(group);
  return key_or_null(key);
}

EVP_PKEY *copenssl_p256_public(const uint8_t *point) {
  return key_or_null(point[0] == POINT_CONVERSION_UNCOMPRESSED ? p256_key(point, NULL) : NULL);
}

static int is_p256(const EVP_PKEY *key) {
  char group[32];
  return EVP_PKEY_is_a(key, "EC") && EVP_PKEY_get_group_name(key, group, sizeof group, NULL) &&
    strcmp(group, "prime256v1") == 0;
}

int copenssl_p256_scalar(const EVP_PKEY *key, uint8_t *scalar) {
  BIGNUM *number = NULL;
  int succeeded = is_p256(key) && EVP_PKEY_get_bn_param(key, OSSL_PKEY_PARAM_PRIV_KEY, &number) &&
    BN_bn2binpad(number, scalar, 32) == 32;
  BN_clear_free(number);
  return result(succeeded);
}

int copenssl_p256_point(const EVP_PKEY *key, uint8_t *point) {
  size_t count = 0;
  return result(
    EVP_PKEY_get_octet_string_param(key, OSSL_PKEY_PARAM_PUB_KEY, point, 65, &count) && count == 65 &&
    point[0] == POINT_CONVERSION_UNCOMPRESSED);
}

int copenssl_p256_agree(EVP_PKEY *key, EVP_PKEY *peer, uint8_t *secret) {
  size_t count = 32;
  EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_pkey(NULL, key, NULL);
  /* Reading the peer's point has checked that it is on the curve. */
  int succeeded = context != NULL && EVP_PKEY_derive_init(context) > 0 &&
    EVP_PKEY_derive_set_peer_ex(context, peer, 0) > 0 && EVP_PKEY_derive(context, secret, &count) > 0;
  EVP_PKEY_CTX_free(context);
  return result(succeeded && count == 32);
}

static int sign(EVP_PKEY *key, const void *message, size_t count, uint8_t *signature, size_t *length) {
  EVP_MD_CTX *context = EVP_MD_CTX_new();
  int succeeded = context != NULL && EVP_DigestSignInit(context, NULL, EVP_sha256(), NULL, key) > 0 &&
    EVP_DigestSign(context, signature, length, message, count) > 0;
  EVP_MD_CTX_free(context);
  return succeeded;
}

static int verify(EVP_PKEY *key, const void *message, size_t count, const uint8_t *signature, size_t length) {
  EVP_MD_CTX *context = EVP_MD_CTX_new();
  int succeeded = context != NULL && EVP_DigestVerifyInit(context, NULL, EVP_sha256(), NULL, key) > 0 &&
    EVP_DigestVerify(context, signature, length, message, count) == 1;
  EVP_MD_CTX_free(context);
  return succeeded;
}

int copenssl_p256_sign(EVP_PKEY *key, const void *message, size_t count, uint8_t *signature) {
  uint8_t der[80];
  size_t length = sizeof der;
  if (!sign(key, message, count, der, &length)) return result(0);
  const unsigned char *start = der;
  ECDSA_SIG *numbers = d2i_ECDSA_SIG(NULL, &start, (long)length);
  int succeeded = numbers != NULL && BN_bn2binpad(ECDSA_SIG_get0_r(numbers), signature, 32) == 32 &&
    BN_bn2binpad(ECDSA_SIG_get0_s(numbers), signature + 32, 32) == 32;
  ECDSA_SIG_free(numbers);
  return result(succeeded);
}

int copenssl_p256_verify(EVP_PKEY *key, const void *message, size_t count, const uint8_t *signature) {
  ECDSA_SIG *numbers = ECDSA_SIG_new();
  BIGNUM *r = BN_bin2bn(signature, 32, NULL), *s = BN_bin2bn(signature + 32, 32, NULL);
  unsigned char *der = NULL;
  int succeeded = 0;
  if (numbers != NULL && r != NULL && s != NULL && ECDSA_SIG_set0(numbers, r, s)) {
    r = s = NULL;
    int length = i2d_ECDSA_SIG(numbers, &der);
    succeeded = length > 0 && verify(key, message, count, der, (size_t)length);
  }
  OPENSSL_free(der);
  BN_free(r);
  BN_free(s);
  ECDSA_SIG_free(numbers);
  return result(succeeded) == 0;
}

/* RSA */

EVP_PKEY *copenssl_rsa_generate(int bits) { return key_or_null(EVP_RSA_gen((unsigned)bits)); }

int copenssl_rsa_bits(const EVP_PKEY *key) { return EVP_PKEY_is_a(key, "RSA") ? EVP_PKEY_get_bits(key) : 0; }

int copenssl_rsa_sign(EVP_PKEY *key, const void *message, size_t count, uint8_t *signature, size_t capacity) {
  size_t length = capacity;
  /* PKCS #1 v1.5 is what OpenSSL takes unless told otherwise. */
  if (!sign(key, message, count, signature, &length)) return result(0);
  return (int)length;
}

int copenssl_rsa_verify(
  EVP_PKEY *key, const void *message, size_t count, const uint8_t *signature, size_t signature_count) {
  return result(verify(key, message, count, signature, signature_count)) == 0;
}
