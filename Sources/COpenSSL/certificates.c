#define _DEFAULT_SOURCE /* timegm */
#include "COpenSSLKeys.h"

#include <openssl/asn1.h>
#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/objects.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>
#include <string.h>
#include <time.h>

static int result(int succeeded) {
  if (!succeeded) ERR_clear_error();
  return succeeded ? 0 : -1;
}

/* In place of OpenSSL's own, which asks at the terminal. */
static int no_passphrase(char *passphrase, int capacity, int is_for_writing, void *context) {
  (void)passphrase, (void)capacity, (void)is_for_writing, (void)context;
  return -1;
}

X509 *copenssl_certificate_read_pem(const void *pem, int count) {
  BIO *memory = BIO_new_mem_buf(pem, count);
  X509 *certificate = memory == NULL ? NULL : PEM_read_bio_X509_AUX(memory, NULL, no_passphrase, NULL);
  BIO_free(memory);
  ERR_clear_error();
  return certificate;
}

void copenssl_certificate_free(X509 *certificate) { X509_free(certificate); }

int copenssl_certificate_write_pem(X509 *certificate, char *pem, int capacity) {
  BIO *memory = BIO_new(BIO_s_mem());
  int length = -1;
  if (memory != NULL && PEM_write_bio_X509(memory, certificate)) {
    length = BIO_pending(memory) <= capacity ? BIO_read(memory, pem, capacity) : -1;
  }
  BIO_free(memory);
  ERR_clear_error();
  return length;
}

int copenssl_certificate_subject(const X509 *certificate, const char *attribute, char *text, int capacity) {
  const X509_NAME *name = X509_get_subject_name(certificate);
  int place = X509_NAME_get_index_by_NID(name, OBJ_txt2nid(attribute), -1);
  if (place < 0) return result(0);
  unsigned char *bytes = NULL;
  int length = ASN1_STRING_to_UTF8(&bytes, X509_NAME_ENTRY_get_data(X509_NAME_get_entry(name, place)));
  if (length < 0) return result(0);
  if (length > capacity) length = capacity;
  memcpy(text, bytes, (size_t)length);
  OPENSSL_free(bytes);
  return length;
}

static int seconds(const ASN1_TIME *time, int64_t *unix_seconds) {
  struct tm parts;
  if (!ASN1_TIME_to_tm(time, &parts)) return 0;
  *unix_seconds = timegm(&parts);
  return 1;
}

int copenssl_certificate_validity(const X509 *certificate, int64_t *begin, int64_t *end) {
  return result(seconds(X509_get0_notBefore(certificate), begin) && seconds(X509_get0_notAfter(certificate), end));
}

int copenssl_certificate_has_extension(const X509 *certificate, const char *identifier) {
  ASN1_OBJECT *object = OBJ_txt2obj(identifier, 1);
  int has = object != NULL && X509_get_ext_by_OBJ(certificate, object, -1) >= 0;
  ASN1_OBJECT_free(object);
  ERR_clear_error();
  return has;
}

int copenssl_certificate_is_for_clients(const X509 *certificate) {
  EXTENDED_KEY_USAGE *purposes = X509_get_ext_d2i(certificate, NID_ext_key_usage, NULL, NULL);
  ERR_clear_error();
  if (purposes == NULL) return 1;
  int includes = 0;
  for (int place = 0; place < sk_ASN1_OBJECT_num(purposes); place++) {
    int purpose = OBJ_obj2nid(sk_ASN1_OBJECT_value(purposes, place));
    if (purpose == NID_client_auth || purpose == NID_anyExtendedKeyUsage) includes = 1;
  }
  EXTENDED_KEY_USAGE_free(purposes);
  return includes;
}

int copenssl_certificate_has_key(const X509 *certificate, const EVP_PKEY *key) {
  EVP_PKEY *own = X509_get0_pubkey(certificate);
  int has = own != NULL && EVP_PKEY_eq(own, key) == 1;
  ERR_clear_error();
  return has;
}

int copenssl_certificate_is_signed(X509 *certificate, const X509 *issuer) {
  EVP_PKEY *key = X509_get0_pubkey(issuer);
  int is = key != NULL && X509_verify(certificate, key) == 1;
  ERR_clear_error();
  return is;
}

/* Making one */

X509 *copenssl_certificate_begin(EVP_PKEY *key, int64_t begin, int64_t end) {
  X509 *certificate = X509_new();
  BIGNUM *serial = BN_new();
  /* At most 20 octets and positive (RFC 5280, section 4.1.2.2). */
  int succeeded = certificate != NULL && serial != NULL && BN_rand(serial, 159, BN_RAND_TOP_ONE, BN_RAND_BOTTOM_ANY) &&
    BN_to_ASN1_INTEGER(serial, X509_get_serialNumber(certificate)) != NULL &&
    X509_set_version(certificate, X509_VERSION_3) &&
    ASN1_TIME_set(X509_getm_notBefore(certificate), (time_t)begin) != NULL &&
    ASN1_TIME_set(X509_getm_notAfter(certificate), (time_t)end) != NULL && X509_set_pubkey(certificate, key);
  BN_free(serial);
  if (succeeded) return certificate;
  X509_free(certificate);
  ERR_clear_error();
  return NULL;
}

int copenssl_certificate_add_subject(X509 *certificate, const char *attribute, const char *text) {
  return result(X509_NAME_add_entry_by_txt(
    X509_get_subject_name(certificate), attribute, MBSTRING_UTF8, (const unsigned char *)text, -1, -1, 0));
}

int copenssl_certificate_add_extension(X509 *certificate, X509 *issuer, const char *name, const char *value) {
  X509V3_CTX context;
  X509V3_set_ctx(&context, issuer, certificate, NULL, NULL, 0);
  X509V3_set_ctx_nodb(&context);
  X509_EXTENSION *extension = X509V3_EXT_nconf(NULL, &context, name, value);
  int succeeded = extension != NULL && X509_add_ext(certificate, extension, -1);
  X509_EXTENSION_free(extension);
  return result(succeeded);
}

int copenssl_certificate_sign(X509 *certificate, const X509 *issuer, EVP_PKEY *issuer_key) {
  return result(
    X509_set_issuer_name(certificate, X509_get_subject_name(issuer)) &&
    X509_sign(certificate, issuer_key, EVP_sha256()) > 0);
}
