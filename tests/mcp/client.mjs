// client.mjs - the official SDK's client against hamr-tool --mcp.
//
//	node client.mjs FOLDER    (of a repository with src/a.c in it)
//
// Prints one line for each thing it did; check.t compares them.
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from
	'@modelcontextprotocol/sdk/client/stdio.js';

const transport = new StdioClientTransport({ command: 'hamr-tool',
	args: ['--mcp', '--yes', '--root', process.argv[2]],
	env: process.env });
const client = new Client({ name: 'check', version: '1' });
const say = (...words) => console.log(words.join(' '));
const call = async (name, args, options) => {
	const r = await client.callTool({ name, arguments: args }, undefined,
		options);
	return [r.isError ? 'error' : 'fine',
		r.content.map((c) => c.text).join('|').split('\n')[0]].join(' ');
};

await client.connect(transport);
say('server', client.getServerVersion().name);
const { tools } = await client.listTools();
for (const name of ['read', 'edit', 'write', 'bash']) {
	const t = tools.find((x) => x.name === name);
	say('tool', name, t.inputSchema.type, t.annotations.readOnlyHint);
}
await client.ping();
say('ping');
const change = { path: 'src/a.c', old: 'one', new: 'two' };
say('unread', (await call('edit', change)).split(' ')[0]);
say('read', await call('read', { path: 'src/a.c' }));
say('edit', (await call('edit', change)).split(' ')[0]);
say('bash', await call('bash', { command: 'cat src/a.c; exit 3' }));
try {
	await call('nonsense', {});
	say('nonsense was taken');
} catch (e) {
	say('nonsense', e.code);
}
const stop = new AbortController();
const long = call('bash', { command: 'sleep 30' }, { signal: stop.signal })
	.then(() => say('it was not cancelled'), () => say('cancelled'));
const begun = Date.now();
setTimeout(() => stop.abort(), 300);
await long;
say('after it', await call('bash', { command: 'echo here' }));
say('at once', Date.now() - begun < 8000);
await client.close();
