# dsgen/scripts/status_webhook.py without its comments.






from __future__ import annotations

import base64
import http.client
import json
import ssl
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from typing import Any, NamedTuple
from urllib.parse import SplitResult, unquote, urlsplit

import shared_settings as settings

SECRET = settings.ROOT / "etc/dsgen-webhook"
TIMEOUT_SECONDS = 5
BUDGET_SECONDS = 15
DELAYS = (1, 2, 4)
AGAIN = (408, 425, 429)


class NoRedirect(urllib.request.HTTPRedirectHandler):


  def redirect_request(self, *_):
    pass


class Address(NamedTuple):


  url: str
  schemes: tuple[str, ...] = ("https", "http")


def address(configured):

  if configured.webhook_url:
    return Address(configured.webhook_url)
  try:
    return Address((SECRET / "url").read_text(encoding="utf-8").strip(), schemes=("https",))
  except (OSError, ValueError):
    return Address("")


def body(configured, line):

  names = {"namespace": configured.namespace, "job": configured.job, "run": configured.run}
  return json.dumps({**names, **json.loads(line)}, ensure_ascii=False).encode()


def deliver(to, content, log, budget = BUDGET_SECONDS):

  until = time.monotonic() + budget
  try:
    parts = urlsplit(to.url)
    place = f"{parts.scheme}://{parts.hostname}"
    usable = parts.scheme in to.schemes and bool(parts.hostname) and parts.port != 0
  except ValueError:
    usable = False
  if not usable:
    log(f"webhook: nothing is sent: the address is not one of {' or '.join(to.schemes)}")
    return False
  for delay in (*DELAYS, 0):
    problem, again = send(parts, content, min(TIMEOUT_SECONDS, until - time.monotonic()))
    if not problem:
      log(f"webhook: {place} took the record")
      return True
    log(f"webhook: {place}: {problem}")
    if not again or not delay or time.monotonic() + delay >= until:
      return False
    time.sleep(delay)
  return False


def send(parts, content, seconds):

  try:
    with opener().open(request(parts, content), timeout=max(seconds, 0.1)):
      return "", False
  except urllib.error.HTTPError as error:
    error.close()
    if 300 <= error.code < 400:
      return f"answered {error.code}: redirections are not followed", False
    return f"answered {error.code}", error.code >= 500 or error.code in AGAIN
  except urllib.error.URLError as error:
    return reason(error.reason), True
  except OSError as error:
    return reason(error), True
  except (ValueError, http.client.HTTPException) as error:
    return type(error).__name__, not isinstance(error, ValueError)


def opener():

  authority = SECRET / "ca.crt"
  context = ssl.create_default_context()
  if authority.exists():
    context.load_verify_locations(authority)
  return urllib.request.build_opener(
    urllib.request.ProxyHandler({}), urllib.request.HTTPSHandler(context=context), NoRedirect()
  )


def request(parts, content):

  headers = {"Content-Type": "application/json", "User-Agent": "dsgen"}
  user, _, place = parts.netloc.rpartition("@")
  if user:
    headers["Authorization"] = "Basic " + base64.b64encode(unquote(user).encode()).decode("ascii")
  url = parts._replace(netloc=place, fragment="").geturl()
  return urllib.request.Request(url, data=content, headers=headers, method="POST")


def reason(error):

  if isinstance(error, ssl.SSLCertVerificationError):
    return f"its certificate is not trusted: {error.verify_message}"
  return str(getattr(error, "strerror", None) or type(error).__name__)
