// client.mjs PACKAGES NSQ FOLDER: a session with nsq mcp as the public client libraries hold it, in both eras of the
// protocol: npm's @modelcontextprotocol/sdk (with a handshake) and @modelcontextprotocol/client (2026-07-28, without).
// Prints what was agreed on, and what a call of each kind brought.
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [packages, nsq, folder] = process.argv.slice(2);
const from = createRequire(packages + "/package.json");
const load = async (name) => import(pathToFileURL(from.resolve(name)).href);

async function session(name, Client, Transport, options) {
	const client = new Client({ name: "test", version: "1" }, options);
	const transport = new Transport({ command: nsq, args: ["mcp", folder] });
	const call = async (tool, args, how) => {
		const result = await client.callTool({ name: "nsq_" + tool, arguments: args }, ...how ?? []);
		return { error: result.isError, text: result.content.map((c) => c.text).join("") };
	};
	await client.connect(transport);
	const pid = transport.pid;
	console.log(name, client.getNegotiatedProtocolVersion?.() ?? "-", client.getServerVersion().name,
		client.getInstructions().startsWith("nsq answers"));
	const { tools } = await client.listTools();
	console.log(tools.length > 25, tools.every((t) => t.inputSchema.type === "object" && t.description));
	console.log((await call("traces", {})).text.split("\n")[1].split("\t")[0]);
	const window = await call("window", { traces: ["run.sqlite"] });
	const result = /result (r\d+)/.exec(window.text)[1];
	const [head, row] = (await call("gaps", { windows: result, by: ["cause"], rows: 1 })).text.split("\n").map((l) => l.split("\t"));
	console.log(result, row[head.indexOf("cause")], row[head.indexOf("idle_ns")]);
	// several at once; a tool's own error; what is not in the folder
	const all = await Promise.all(["kernels", "api", "nvtx"].map((t) => call(t, { windows: result, rows: 1 })));
	console.log(all.map((r) => r.error ?? false).join(" "));
	console.log((await call("gaps", { traces: ["run.sqlite"], each: true, by: ["cause"] })).text.split("\n")[0]);
	console.log((await call("setup", { traces: ["/etc/passwd"] })).error);
	await client.callTool({ name: "nsq_no_such", arguments: {} }).then(console.log, (e) => console.log(e.code));
	// a call that is given up is ended, and the next is answered
	const stop = new AbortController();
	const endless = { query: "with recursive n(i) as (select 1 union all select i + 1 from n) select count(*) from n",
		timeout: "0", traces: ["run.sqlite"] };
	const given_up = client.callTool({ name: "nsq_sql", arguments: endless },
		...(options.legacy ? [undefined, { signal: stop.signal }] : [{ signal: stop.signal }])).then(() => "answered", () => "given up");
	setTimeout(() => stop.abort(), 200);
	console.log(await given_up);
	const children = () => readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim();
	for (let i = 0; i < 100 && children(); i++)
		await new Promise((r) => setTimeout(r, 50));
	console.log(JSON.stringify(children()), (await call("setup", { traces: ["run.sqlite"] })).error ?? false);
	await client.close();
}

const one = await load("@modelcontextprotocol/sdk/client/index.js"), one_stdio = await load("@modelcontextprotocol/sdk/client/stdio.js");
await session("sdk", one.Client, one_stdio.StdioClientTransport, { legacy: true });
const two = await load("@modelcontextprotocol/client"), two_stdio = await load("@modelcontextprotocol/client/stdio");
await session("client", two.Client, two_stdio.StdioClientTransport, { versionNegotiation: { mode: { pin: "2026-07-28" } } });
await session("client", two.Client, two_stdio.StdioClientTransport, { versionNegotiation: { mode: "auto" } });
