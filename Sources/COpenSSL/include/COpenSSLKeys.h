/* OpenSSL's keys, digests, encryption and certificates for the room Cryptography: calls that take and give bytes, in place of
   parameter lists and macros, which Swift does not import. A handle belongs to the caller, who frees it. What fails returns NULL
   or -1 and leaves nothing on OpenSSL's error queue, which libcurl reads; a question returns 1 for yes and 0 for no. */
#ifndef PUSHSCOPE_COPENSSL_KEYS_H
#define PUSHSCOPE_COPENSSL_KEYS_H

#include <stddef.h>
#include <stdint.h>

struct evp_pkey_st;
struct evp_md_ctx_st;
struct evp_mac_ctx_st;
struct x509_st;

/* Overwrites memory in a way that no compiler leaves out. */
void copenssl_cleanse(void *bytes, size_t count);
/* Compares in a time that depends on the count only. */
int copenssl_is_equal(const void *one, const void *other, size_t count);

/* SHA-1, 20 bytes. */
int copenssl_sha1(const void *bytes, size_t count, uint8_t *hash);

/* SHA-256. The end writes 32 bytes and frees the digest. */
struct evp_md_ctx_st *copenssl_sha256_begin(void);
int copenssl_sha256_add(struct evp_md_ctx_st *digest, const void *bytes, size_t count);
int copenssl_sha256_end(struct evp_md_ctx_st *digest, uint8_t *hash);

/* HMAC-SHA-256: a key, and the MAC of a message, 32 bytes. Threads may share a key. */
struct evp_mac_ctx_st *copenssl_hmac_key(const void *secret, size_t count);
void copenssl_hmac_free(struct evp_mac_ctx_st *key);
int copenssl_hmac(const struct evp_mac_ctx_st *key, const void *message, size_t count, uint8_t *mac);

/* HKDF-SHA-256, both steps (RFC 5869). */
int copenssl_hkdf(
  const void *secret, size_t secret_count, const void *salt, size_t salt_count, const void *info, size_t info_count,
  uint8_t *key, size_t count);

/* AES-128-GCM without additional data: a key of 16 bytes, a nonce of 12, a tag of 16 behind the ciphertext. */
int copenssl_seal(const uint8_t *key, const uint8_t *nonce, const void *text, int count, uint8_t *sealed);
int copenssl_open(const uint8_t *key, const uint8_t *nonce, const void *sealed, int count, uint8_t *text);

/* A private key in DER: PKCS #8, SEC 1 or PKCS #1, and nothing behind it. */
struct evp_pkey_st *copenssl_key_read(const void *der, long count);
/* The first private key in a text with PEM, unless a passphrase protects it. */
struct evp_pkey_st *copenssl_key_read_pem(const void *pem, int count);
void copenssl_key_free(struct evp_pkey_st *key);
/* The public half alone. */
struct evp_pkey_st *copenssl_key_public(struct evp_pkey_st *key);
/* PKCS #8 as PEM. Returns its length. */
int copenssl_key_write_pem(struct evp_pkey_st *key, char *pem, int capacity);

/* P-256. A scalar has 32 bytes; a point has 65, uncompressed; a signature is R and S, 32 bytes each. */
struct evp_pkey_st *copenssl_p256_generate(void);
struct evp_pkey_st *copenssl_p256_private(const uint8_t *scalar);
struct evp_pkey_st *copenssl_p256_public(const uint8_t *point);
int copenssl_p256_scalar(const struct evp_pkey_st *key, uint8_t *scalar);
int copenssl_p256_point(const struct evp_pkey_st *key, uint8_t *point);
/* ECDH: the secret's 32 bytes. */
int copenssl_p256_agree(struct evp_pkey_st *key, struct evp_pkey_st *peer, uint8_t *secret);
int copenssl_p256_sign(struct evp_pkey_st *key, const void *message, size_t count, uint8_t *signature);
int copenssl_p256_verify(struct evp_pkey_st *key, const void *message, size_t count, const uint8_t *signature);

/* RSA, with RSASSA-PKCS1-v1_5 and SHA-256. */
struct evp_pkey_st *copenssl_rsa_generate(int bits);
/* 0 for a key that is not of RSA. */
int copenssl_rsa_bits(const struct evp_pkey_st *key);
/* Returns the signature's length. */
int copenssl_rsa_sign(struct evp_pkey_st *key, const void *message, size_t count, uint8_t *signature, size_t capacity);
int copenssl_rsa_verify(
  struct evp_pkey_st *key, const void *message, size_t count, const uint8_t *signature, size_t signature_count);

/* X.509 certificates: the first one in a text with PEM. */
struct x509_st *copenssl_certificate_read_pem(const void *pem, int count);
void copenssl_certificate_free(struct x509_st *certificate);
/* Returns the length. */
int copenssl_certificate_write_pem(struct x509_st *certificate, char *pem, int capacity);
/* The subject's first attribute of a type (RFC 4519), such as CN, in UTF-8. Returns its length, -1 for none. */
int copenssl_certificate_subject(const struct x509_st *certificate, const char *attribute, char *text, int capacity);
/* Unix seconds; returns -1 for times that cannot be read. */
int copenssl_certificate_validity(const struct x509_st *certificate, int64_t *begin, int64_t *end);
/* Takes an object identifier in digits and dots. */
int copenssl_certificate_has_extension(const struct x509_st *certificate, const char *identifier);
/* Whether its purposes include TLS clients: it names them, any purpose, or no purposes at all. */
int copenssl_certificate_is_for_clients(const struct x509_st *certificate);
int copenssl_certificate_has_key(const struct x509_st *certificate, const struct evp_pkey_st *key);
int copenssl_certificate_is_signed(struct x509_st *certificate, const struct x509_st *issuer);

/* Begins a certificate of a key with a random serial number. */
struct x509_st *copenssl_certificate_begin(struct evp_pkey_st *key, int64_t begin, int64_t end);
int copenssl_certificate_add_subject(struct x509_st *certificate, const char *attribute, const char *text);
/* Signs it, once subject and extensions are there. The issuer may be the certificate itself. */
int copenssl_certificate_sign(struct x509_st *certificate, const struct x509_st *issuer, struct evp_pkey_st *issuer_key);
/* An extension in the notation of x509v3_config(5); the issuer may be the certificate itself. */
int copenssl_certificate_add_extension(
  struct x509_st *certificate, struct x509_st *issuer, const char *name, const char *value);

#endif
