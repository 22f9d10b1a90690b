// POSIX extended regular expressions, as nsq-find takes them (and glibc reads them in the C locale), as JavaScript.  There
// a character is a byte, so expressions and names are compared as strings of bytes.
"use strict";

{
	const CLASSES = {
		alnum: "0-9A-Za-z", alpha: "A-Za-z", blank: " \\t", cntrl: "\\x00-\\x1f\\x7f", digit: "0-9", graph: "!-~", lower: "a-z",
		print: " -~", punct: "!-/:-@[-`{-~", space: " \\t-\\r", upper: "A-Z", xdigit: "0-9A-Fa-f",
	};
	const ESCAPES = { w: "[\\w]", W: "[^\\w]", s: "[ \\t-\\r]", S: "[^ \\t-\\r]" };
	const ANCHORS = { b: "\\b", B: "\\B", "<": "\\b(?=\\w)", ">": "\\b(?<=\\w)", "`": "^", "'": "$" };
	const MOST = 32767;     // repetitions

	const quote = c => `\\x${c.charCodeAt(0).toString(16).padStart(2, "0")}`;

	class Reader {
		constructor(text) {
			this.text = text;
			this.at = 0;
			this.depth = 0;
		}

		get next() { return this.text[this.at]; }

		refuse() { throw new SyntaxError("not a regular expression"); }

		// Alternatives, up to the end or the parenthesis that closes them.
		alternatives() {
			const out = [this.branch()];
			while (this.next === "|") {
				this.at++;
				out.push(this.branch());
			}
			return out.join("|");
		}

		branch() {
			let out = "";
			while (this.next !== undefined && this.next !== "|" && !(this.next === ")" && this.depth))
				out += this.piece();
			return out;
		}

		// One thing and its repetitions; an anchor has none.
		piece() {
			const c = this.text[this.at++];
			let one;
			if ("*+?{".includes(c))
				this.refuse();
			if (c === "^" || c === "$")
				return c;
			if (c === "\\") {
				const e = this.text[this.at++];
				if (e === undefined || (e >= "1" && e <= "9"))
					this.refuse();
				if (e in ANCHORS)
					return ANCHORS[e];
				one = ESCAPES[e] ?? quote(e);
			} else
				one = c === "(" ? this.group() : c === "[" ? this.bracket() : c === "." ? "[^]" : quote(c);
			for (let times; (times = this.repetition());)
				one = `(?:${one}${times})`;
			return one;
		}

		group() {
			this.depth++;
			const inner = this.alternatives();
			this.depth--;
			if (this.text[this.at++] !== ")")
				this.refuse();
			return `(?:${inner})`;
		}

		repetition() {
			if ("*+?".includes(this.next ?? " "))
				return this.text[this.at++];
			if (this.next !== "{")
				return "";
			const [all, least, more, most] = /^\{(\d*)(,?)(\d*)\}/.exec(this.text.slice(this.at)) ?? this.refuse();
			if ((!least && !more) || Number(most || least) > MOST || (most && Number(least) > Number(most)))
				this.refuse();
			this.at += all.length;
			return `{${least || 0}${more}${most}}`;
		}

		// [...]: a backslash is itself, and so is a ] that comes first.
		bracket() {
			const not = this.next === "^" ? "^" : "";
			let out = "", first = true;
			this.at += not.length;
			for (; first || this.next !== "]"; first = false)
				out += this.element(first);
			this.at++;
			return `[${not}${out}]`;
		}

		// A class, a character or a range of them.  A - that is neither first nor last is that of a range.
		element(first) {
			const kind = this.named(":"), same = this.named("=");
			if (kind !== null)
				return Object.hasOwn(CLASSES, kind) ? CLASSES[kind] : this.refuse();
			if (same !== null)
				return same.length === 1 ? quote(same) : this.refuse();
			const last = () => "]" === this.text[this.at + 1];
			if (this.next === "-" && !first && !last())
				this.refuse();
			const from = this.character();
			if (this.next !== "-" || last())
				return quote(from);
			this.at++;
			const to = this.named(":") === null && this.named("=") === null ? this.character() : this.refuse();
			return to < from ? this.refuse() : `${quote(from)}-${quote(to)}`;
		}

		character() {
			const named = this.named(".");
			if (named !== null)
				return named.length === 1 ? named : this.refuse();
			return this.text[this.at++] ?? this.refuse();
		}

		// The NAME of [:NAME:], [.NAME.] or [=NAME=]; null: it is none.
		named(mark) {
			if (this.next !== "[" || this.text[this.at + 1] !== mark)
				return null;
			const end = this.text.indexOf(`${mark}]`, this.at + 2), name = this.text.slice(this.at + 2, end);
			this.at = end + 2;
			return end < 0 ? this.refuse() : name;
		}
	}

	const asBytes = bytes => Array.from(bytes, b => String.fromCharCode(b < 128 ? b : 0xe000 + b)).join("");    // only ASCII has a case

	// An expression for strings of bytes; exact: case matters.  Throws a SyntaxError.
	const posix = (text, exact) => new RegExp(new Reader(asBytes(new TextEncoder().encode(text))).alternatives(), exact ? "" : "i");

	Object.assign(nsq, { posix, asBytes });
}
