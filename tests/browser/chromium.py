"""A page in headless Chromium, asked with JavaScript.

    from chromium import Page
    with Page("run.html", width=1200, height=800) as page:
        page.js("document.title")           # the value of an expression; a promise is waited for
        page.key("ArrowRight")              # a key pressed and released
        page.mouse("mouseWheel", 300, 200, deltaX=0, deltaY=-120)
        page.screenshot("run.png")
        page.errors                         # what the page logged as an error, or threw

Speaks the DevTools protocol over two pipes, so that nothing but Chromium and Python is needed.  A page that opens a
connection to anywhere is an error, too: nothing but the file itself may be loaded.
"""
import base64
import json
import os
import shutil
import subprocess
import tempfile
from pathlib import Path


class Page:
    def __init__(self, file, width=1200, height=800, link="", dark=False):
        self.errors, self.answers, self.id, self.rest = [], {}, 0, b""
        self.profile = tempfile.mkdtemp(prefix="nsq-chromium-")
        to_browser, to_us = os.pipe(), os.pipe()

        def pipes():            # Chromium reads commands from 3 and writes answers to 4
            held = os.dup(to_browser[0]), os.dup(to_us[1])
            os.dup2(held[0], 3)
            os.dup2(held[1], 4)

        program = shutil.which("chromium") or shutil.which("chromium-browser") or "chromium"
        self.browser = subprocess.Popen(
            [program, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
             "--disable-background-networking", "--disable-extensions", "--no-first-run", "--remote-debugging-pipe",
             f"--user-data-dir={self.profile}", f"--window-size={width},{height}"],
            preexec_fn=pipes, close_fds=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_browser[0])
        os.close(to_us[1])
        self.out, self.inp = os.fdopen(to_browser[1], "wb"), to_us[0]
        self.session = None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for part in ("Page", "Runtime", "Log", "Network"):
            self.call(part + ".enable")
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        if dark:
            self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark"}])
        self.url = Path(file).resolve().as_uri() + link
        self.loaded = False
        self.call("Page.navigate", url=self.url)
        while not self.loaded:
            self.read()

    def read(self):
        while b"\0" not in self.rest:
            part = os.read(self.inp, 1 << 20)
            if not part:
                raise RuntimeError("chromium ended")
            self.rest += part
        text, self.rest = self.rest.split(b"\0", 1)
        said = json.loads(text)
        if "id" in said:
            self.answers[said["id"]] = said
            return
        what, about = said["method"], said.get("params", {})
        if what == "Page.loadEventFired":
            self.loaded = True
        elif what == "Runtime.exceptionThrown":
            details = about["exceptionDetails"]
            self.errors.append(details.get("exception", {}).get("description") or details["text"])
        elif what == "Runtime.consoleAPICalled" and about["type"] == "error":
            self.errors.append(" ".join(str(a.get("value", a.get("description"))) for a in about["args"]))
        elif what == "Log.entryAdded" and about["entry"]["level"] == "error":
            self.errors.append(about["entry"]["text"])
        elif what == "Network.requestWillBeSent" and about["request"]["url"].split(":")[0] not in ("file", "data", "blob"):
            self.errors.append("a request to " + about["request"]["url"])

    def call(self, method, **params):
        self.id += 1
        message = {"id": self.id, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        self.out.write(json.dumps(message).encode() + b"\0")
        self.out.flush()
        while self.id not in self.answers:
            self.read()
        said = self.answers.pop(self.id)
        if "error" in said:
            raise RuntimeError(f"{method}: {said['error']}")
        return said["result"]

    def js(self, expression):
        said = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in said:
            raise RuntimeError(said["exceptionDetails"].get("exception", {}).get("description", expression))
        return said["result"].get("value")

    def key(self, key, text=None):
        if text is None and len(key) == 1:
            text = key
        self.call("Input.dispatchKeyEvent", type="keyDown", key=key, **({"text": text} if text else {}))
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key)

    def mouse(self, kind, x, y, **more):
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def click(self, x, y):
        for kind in ("mouseMoved", "mousePressed", "mouseReleased"):
            self.mouse(kind, x, y, button="none" if kind == "mouseMoved" else "left", clickCount=1)

    def screenshot(self, file):
        Path(file).write_bytes(base64.b64decode(self.call("Page.captureScreenshot")["data"]))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self.out.close()
        except OSError:
            pass
        self.browser.kill()
        self.browser.wait()
        os.close(self.inp)
        shutil.rmtree(self.profile, ignore_errors=True)
