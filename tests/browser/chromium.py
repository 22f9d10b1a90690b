"""A page in headless Chromium, asked with JavaScript.

    from chromium import Page
    with Page("run.html", width=1200, height=800) as page:
        page.js("document.title")           # the value of an expression; a promise is waited for
        page.until("window.done")           # waits until it is true
        page.key("ArrowRight")              # a key pressed and released
        page.mouse("mouseWheel", 300, 200, deltaX=0, deltaY=-120)
        page.screenshot("run.png")
        page.errors                         # what the page logged as an error, or threw

Speaks the DevTools protocol over two pipes, so that nothing but Chromium and Python is needed.  A page that opens a
connection to anywhere is an error, too: nothing but the file itself may be loaded.

A process has one browser for all of its pages, and a test file one for all of its tests (browser.bash): to start one
takes longer than most tests, and so does a tab: one that no page needs any more serves the next.
"""
import atexit
import base64
import json
import os
import select
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

# Fonts in which pictures are looked at: as wide as Arial, as wide as Verdana, and one that is not there.
FONTS = ["Liberation Sans", "DejaVu Sans", "No Such Font"]

FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars", "--disable-background-networking",
         "--disable-component-update", "--disable-extensions", "--disable-sync", "--no-first-run",
         "--disable-features=Translate,OptimizationHints,MediaRouter", "--remote-debugging-pipe",
         "about:blank"]


def command(profile):
    program = shutil.which("chromium") or shutil.which("chromium-browser") or "chromium"
    return [program, f"--user-data-dir={profile}", *FLAGS]


class Browser:
    def __init__(self):
        self.id, self.rest, self.answers, self.pages = os.getpid() << 12, b"", {}, {}
        if "NSQ_CHROMIUM" in os.environ:
            self.pid, self.out, self.inp = map(int, os.environ["NSQ_CHROMIUM"].split())
        else:
            self.start()
        self.strange = True             # what a test before this one has left unread may begin anywhere
        self.call("Browser.getVersion")
        self.strange = False

    def start(self):
        profile = tempfile.mkdtemp(prefix="nsq-chromium-")
        to_browser, to_us = os.pipe(), os.pipe()

        def pipes():            # Chromium reads commands from 3 and writes answers to 4
            held = os.dup(to_browser[0]), os.dup(to_us[1])
            os.dup2(held[0], 3)
            os.dup2(held[1], 4)

        browser = subprocess.Popen(command(profile), preexec_fn=pipes, close_fds=False, env={**os.environ, "TMPDIR": profile},
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_browser[0])
        os.close(to_us[1])
        self.pid, self.out, self.inp = browser.pid, to_browser[1], to_us[0]

        def stop():
            browser.kill()
            browser.wait()
            shutil.rmtree(profile, ignore_errors=True)
        atexit.register(stop)

    def read(self):
        while b"\0" not in self.rest:
            while not select.select([self.inp], [], [], 5)[0]:
                os.kill(self.pid, 0)    # is it there at all?
            part = os.read(self.inp, 1 << 20)
            if not part:
                raise RuntimeError("chromium ended")
            self.rest += part
        text, self.rest = self.rest.split(b"\0", 1)
        try:
            said = json.loads(text)
        except ValueError:
            if self.strange:
                return
            raise
        if "id" in said:
            self.answers[said["id"]] = said
        elif said.get("sessionId") in self.pages:
            self.pages[said["sessionId"]].hear(said["method"], said.get("params", {}))

    def call(self, method, session=None, **params):
        self.id += 1
        message = {"id": self.id, "method": method, "params": params}
        if session:
            message["sessionId"] = session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self.out, data):]
        while self.id not in self.answers:
            self.read()
        said = self.answers.pop(self.id)
        if "error" in said:
            raise RuntimeError(f"{method}: {said['error']}")
        return said["result"]


browser = None


class Page:
    def __init__(self, file=None, width=1200, height=800, link="", dark=False):
        global browser
        browser = browser or Browser()
        self.errors = []
        free = [t["targetId"] for t in browser.call("Target.getTargets")["targetInfos"] if t["type"] == "page" and not t["attached"]]
        target = free[0] if free else browser.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = browser.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        browser.pages[self.session] = self
        for forget in ("Runtime.discardConsoleEntries", "Log.clear"):       # what the page before it in this tab said
            self.call(forget)
        for part in ("Page", "Runtime", "Log", "Network"):
            self.call(part + ".enable")
        self.call("Emulation.setFocusEmulationEnabled", enabled=True)
        self.look(width, height, dark)
        if file:
            self.open(file, link)

    def look(self, width, height, dark=False):
        """The size of the window, and whether the reader likes it dark."""
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])

    def open(self, file, link=""):
        self.loaded = False
        self.call("Page.navigate", url="about:blank")       # a link alone would not load the page again
        while not self.loaded:
            browser.read()
        self.url, self.loaded = Path(file).resolve().as_uri() + link, False
        self.call("Page.navigate", url=self.url)
        while not self.loaded:
            browser.read()

    def hear(self, what, about):
        if what == "Page.loadEventFired":
            self.loaded = True
        elif what == "Runtime.exceptionThrown":
            details = about["exceptionDetails"]
            self.errors.append(details.get("exception", {}).get("description") or details["text"])
        elif what == "Runtime.consoleAPICalled" and about["type"] == "error":
            self.errors.append(" ".join(str(a.get("value", a.get("description"))) for a in about["args"]))
        elif what == "Log.entryAdded" and about["entry"]["level"] == "error":
            self.errors.append(about["entry"]["text"])
        elif what == "Network.requestWillBeSent" and about["request"]["url"].split(":")[0] not in ("file", "data", "blob", "about"):
            self.errors.append("a request to " + about["request"]["url"])

    def call(self, method, **params):
        return browser.call(method, self.session, **params)

    def js(self, expression):
        said = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in said:
            raise RuntimeError(said["exceptionDetails"].get("exception", {}).get("description", expression))
        return said["result"].get("value")

    def until(self, expression):
        return self.js("new Promise((done, failed) => { const look = () => { try { const is = %s; is ? done(is) : setTimeout(look, 5) } "
                       "catch (e) { failed(e) } }; look() })" % expression)

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
        browser.call("Target.detachFromTarget", sessionId=self.session)
        del browser.pages[self.session]


if __name__ == "__main__":              # the command that starts Chromium, word by word
    print("\n".join(command(sys.argv[1])))
