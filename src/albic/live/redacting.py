"""Text for strangers' eyes: what looks like a secret is left out.

Errors quote what they failed with, and that may be an address with a password in it. Nothing of
ours puts secrets into a journal; this is for what others wrote into their messages.
"""

import re

HIDDEN = "***"
#: What is longer is cut: nobody reads it to its end.
LONGEST = 2000
_WORDS = (
    r"pass(?:word|wd|phrase)?|secret|token|credentials?|signature|service[-_]?account|"
    r"(?:api|access|account|private)[-_.]?key"
)
#: user:password@ in an address.
_USER = re.compile(r"(?<=://)[^/\s@]+(?=@)")
#: password=…, fs.s3a.secret.key: …, Authorization: Bearer …
_SETTING = re.compile(
    rf"(?i)\b([\w.-]*(?:{_WORDS})[\w.-]*)(\"?'?\s*[=:]\s*)(\"[^\"]*\"|'[^']*'|[^\s,;&\"']+)"
)
_BEARER = re.compile(r"(?i)\b(bearer|basic)\s+[\w.~+/=-]{8,}")
#: A key as such: a block of PEM, the id of an Amazon key, sig=… in an address.
_KEY = re.compile(
    r"-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*-----|\Z)"
    r"|\bA(?:KIA|SIA)[A-Z0-9]{12,}|(?<=[?&]sig=)[^\s&]+",
    re.DOTALL,
)
#: A path that tells where a credential lies.
_NAME = r"[^\s/'\",;:?&=*]"
_PATH = re.compile(
    rf"(?i)(?:/{_NAME}+)*/{_NAME}*(?:{_WORDS}|id_rsa|id_ed25519|\.pem|\.key|\.p12|\.jks|\.keytab)[^\s'\",;:]*"
)


def without_secrets(text: str) -> str:
    """Return ``text`` with what looks like a secret, or like the place of one, left out."""
    text = text if len(text) <= LONGEST else f"{text[:LONGEST]} …"
    text = _KEY.sub(HIDDEN, _USER.sub(HIDDEN, text))
    text = _BEARER.sub(rf"\1 {HIDDEN}", text)
    text = _SETTING.sub(rf"\1\2{HIDDEN}", text)
    return _PATH.sub(HIDDEN, text)
