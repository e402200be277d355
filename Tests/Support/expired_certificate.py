#!/usr/bin/env python3
"""Makes a server certificate for localhost and 127.0.0.1 that ended yesterday, signed by an authority at hand.

usage: expired_certificate.py CA_PEM CA_KEY OUT_PEM OUT_KEY
"""

import datetime
import ipaddress
import sys

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec


def main():
    ca_file, ca_key_file, out, out_key = sys.argv[1:]
    with open(ca_file, "rb") as file:
        authority = x509.load_pem_x509_certificate(file.read())
    with open(ca_key_file, "rb") as file:
        authority_key = serialization.load_pem_private_key(file.read(), None)
    key = ec.generate_private_key(ec.SECP256R1())
    now = datetime.datetime.now(datetime.timezone.utc)
    names = x509.SubjectAlternativeName(
        [x509.DNSName("localhost"), x509.IPAddress(ipaddress.ip_address("127.0.0.1"))])
    certificate = (
        x509.CertificateBuilder()
        .subject_name(x509.Name([x509.NameAttribute(x509.oid.NameOID.COMMON_NAME, "expired")]))
        .issuer_name(authority.subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=30))
        .not_valid_after(now - datetime.timedelta(days=1))
        .add_extension(names, critical=False)
        .sign(authority_key, hashes.SHA256()))
    with open(out, "wb") as file:
        file.write(certificate.public_bytes(serialization.Encoding.PEM))
    with open(out_key, "wb") as file:
        file.write(key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()))


if __name__ == "__main__":
    main()
