#!/usr/bin/env python3
"""Prints what a Markdown text holds beyond plain text: links, HTML, and table rows of another width than their header.

Code spans count as text, and so do escaped characters, as in GitHub's Markdown.
"""
import re
import sys

SPAN = re.compile(r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)")
ESCAPE = re.compile(r"\\[!-/:-@\[-`{-~]")
OURS = re.compile(r"^ *(<details><summary>[^<>]*</summary>|</details>|<!-- picture [a-z_]+ -->)$|\[tables/([a-z_]+)\.csv\]\(tables/\2\.csv\)")
MARKUP = re.compile(r"<[A-Za-z/!?]|\]\(|https?://|www\.|&(?!(amp|lt|gt|#\d+);)", re.I)

cells = None
for number, line in enumerate(sys.stdin.read().split("\n"), 1):
    if line.startswith("|"):
        # GitHub splits a row before it looks at code; some readers take a bar behind two backslashes for the end of a cell
        n = len(re.findall(r"(?<!\\)\|", line))
        if cells is not None and n != cells or re.search(r"\\\\+\|", line):
            print(f"{number}: {n} bars, not {cells}: {line}")
        cells = n
    else:
        cells = None
    line = OURS.sub("", line)      # what a report folds away, or draws, and its tables
    plain = ESCAPE.sub(".", SPAN.sub(" ", ESCAPE.sub(lambda m: m[0] if m[0] != "\\`" else ".", line)))
    for found in MARKUP.finditer(plain):
        print(f"{number}: {found[0]}: {plain}")
