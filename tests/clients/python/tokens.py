"""Keys and tokens of issuers, good and bad, for the tests of identity: made by PyJWT and cryptography.

Writes `tokens.json` into the folder that is named: key sets, and tokens by name. Private keys are kept nowhere.
"""

import base64
import hashlib
import hmac
import json
import sys
import time
from pathlib import Path

import jwt
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from jwt.algorithms import ECAlgorithm, OKPAlgorithm, RSAAlgorithm

ISSUER = "https://login.example"
AUDIENCE = "https://tools.example/mcp"

NOW = int(time.time())
HOUR = 3600

RSA = rsa.generate_private_key(public_exponent=65537, key_size=2048)
OTHER_RSA = rsa.generate_private_key(public_exponent=65537, key_size=2048)
EC = ec.generate_private_key(ec.SECP256R1())
ED = ed25519.Ed25519PrivateKey.generate()


def public(key, kid: str, **further: str) -> dict:
    kind = {rsa.RSAPrivateKey: RSAAlgorithm, ec.EllipticCurvePrivateKey: ECAlgorithm}
    algorithm = next((it for of, it in kind.items() if isinstance(key, of)), OKPAlgorithm)
    found = json.loads(algorithm.to_jwk(key.public_key()))
    found.pop("key_ops", None)
    return {**found, "kid": kid, "use": "sig", **further}


def claims(**changed: object) -> dict:
    found = {
        "iss": ISSUER,
        "aud": AUDIENCE,
        "sub": "anna",
        "tenant": "acme",
        "scope": "openid toolhost:caller",
        "iat": NOW,
        "exp": NOW + HOUR,
        **changed,
    }
    return {name: value for name, value in found.items() if value is not None}


def token(key=RSA, algorithm: str = "RS256", kid: str | None = "rsa-1", headers: dict | None = None, **changed) -> str:
    headers = {**({"kid": kid} if kid else {}), **(headers or {})}
    return jwt.encode(claims(**changed), key, algorithm=algorithm, headers=headers)


def part(value: object) -> str:
    text = value if isinstance(value, str) else json.dumps(value)
    return base64.urlsafe_b64encode(text.encode()).rstrip(b"=").decode()


def tampered() -> str:
    head, _, signature = token().split(".")
    return f"{head}.{part(claims(tenant='globex'))}.{signature}"


def signed_by_hand(header: dict, payload: object, key: bytes | None) -> str:
    message = f"{part(header)}.{part(payload)}"
    signature = hmac.new(key, message.encode(), hashlib.sha256).digest() if key else b""
    return f"{message}.{base64.urlsafe_b64encode(signature).rstrip(b'=').decode()}"


def signed(payload: str) -> str:
    """Any payload, well signed."""
    return jwt.PyJWS().encode(payload.encode(), RSA, algorithm="RS256", headers={"kid": "rsa-1", "typ": "JWT"})


def doubled() -> str:
    return signed(json.dumps(claims(exp=NOW - HOUR))[:-1] + f', "exp": {NOW + HOUR}}}')


PEM = RSA.public_key().public_bytes(
    serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
)

GOOD = {
    "rs256": token(),
    "ps256": token(algorithm="PS256"),
    "es256": token(EC, "ES256", "ec-1"),
    "eddsa": token(ED, "EdDSA", "ed-1"),
    "of_many_audiences": token(aud=["https://other.example", AUDIENCE]),
    "list_of_scopes": token(scope=["toolhost:caller"]),
    "approver": token(scope="toolhost:approver", sub="berta"),
    "own_approver": token(scope="toolhost:caller toolhost:approver"),
    "operator": token(scope="toolhost:operator", sub="otto"),
    "no_scope": token(scope=None),
    "narrow": token(tools=["multiply", "get_*"]),
    "nothing": token(tools=[]),
    "globex": token(tenant="globex"),
}

BAD = {
    "issuer": token(iss="https://evil.example"),
    "issuers": token(iss=None),
    "no_audience": token(aud=None),
    "no_expiry": token(exp=None),
    "expiry_is_text": signed(json.dumps(claims(exp="never"))),
    "expiry_is_negative": signed(json.dumps(claims(exp=-1))),
    "beginning_is_text": signed(json.dumps(claims(nbf="now"))),
    "no_claims": signed("[]"),
    "not_yet": token(nbf=NOW + HOUR),
    "from_the_future": token(iat=NOW + HOUR),
    "tampered": tampered(),
    "doubled": doubled(),
    "unsigned": signed_by_hand({"alg": "none", "typ": "JWT", "kid": "rsa-1"}, claims(), None),
    "no_signature": token().rsplit(".", 1)[0] + ".",
    "symmetric": signed_by_hand({"alg": "HS256", "typ": "JWT", "kid": "rsa-1"}, claims(), PEM),
    "other_algorithm": token(algorithm="RS512"),
    "critical": token(headers={"crit": ["bonds"], "bonds": 1}),
    "wrong_kind_of_key": token(EC, "ES256", "rsa-1"),
    "other_key": token(OTHER_RSA),
    "unknown_key": token(OTHER_RSA, kid="nobody"),
    "no_key_id": token(kid=None),
    "own_key": token(OTHER_RSA, kid="mine", headers={"jwk": public(OTHER_RSA, "mine")}),
    "own_address_of_keys": token(OTHER_RSA, kid="mine", headers={"jku": "https://evil.example/keys"}),
    "no_tenant": token(tenant=None),
    "unknown_tenant": token(tenant="nobody"),
    "tenant_is_no_name": token(tenant="../acme"),
    "user_is_no_name": token(sub="a\nb"),
    "tools_are_none": token(tools=["a b"]),
    "long": token(padding="x" * (20 << 10)),
    "encrypted": "a.b.c.d.e",
    "no_token": "a.b.c",
}

FURTHER = {
    "expired": token(exp=NOW - HOUR, iat=NOW - 2 * HOUR),
    "audience": token(aud="https://other.example/mcp"),
    "huge": token(padding="x" * (1 << 20)),
    "new_key": token(OTHER_RSA, kid="rsa-2"),
    "newer_key": token(OTHER_RSA, kid="rsa-3"),
}

SET = [public(RSA, "rsa-1"), public(EC, "ec-1"), public(ED, "ed-1")]

written = {
    "keys": {"keys": SET},
    "new_keys": {"keys": [*SET, public(OTHER_RSA, "rsa-2")]},
    "private_keys": {"keys": [json.loads(RSAAlgorithm.to_jwk(RSA)) | {"kid": "rsa-1"}]},
    "good": GOOD,
    "bad": BAD,
    "further": FURTHER,
}
Path(sys.argv[1], "tokens.json").write_text(json.dumps(written))
print("  ok  tokens.json is written")
