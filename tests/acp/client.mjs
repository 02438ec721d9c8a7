// client.mjs - the official SDK's client against hamr-loop --acp.
//
//	node client.mjs FOLDER SERVER    (of a repository with the script in it;
//					 the command of an MCP server)
//
// Prints one line for each thing it did; check.t compares them.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { Readable, Writable } from 'node:stream';
import * as acp from '@agentclientprotocol/sdk';

const [folder, server] = process.argv.slice(2);
const say = (...words) => console.log(words.join(' '));
const A = acp.methods.agent, C = acp.methods.client;
const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+' +
	'M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const mcpServers = [{ name: 'ev', command: server, args: [], env: [] }];
let updates = [], onUpdate = () => {}, answer = 'allow_once';

// One life of the agent; op gets the connection and the process.
const live = async (op) => {
	const child = spawn('hamr-loop', ['--acp', '--no-config',
		'-o', 'provider.vision=true', '-o', 'mcp.ev.network=true',
		'--replay', `${folder}/script`],
		{ stdio: ['pipe', 'pipe', 'inherit'] });
	const stream = acp.ndJsonStream(Writable.toWeb(child.stdin),
		Readable.toWeb(child.stdout));
	updates = [];
	await acp.client({ name: 'check' })
		.onRequest(C.session.requestPermission, ({ params }) => {
			say('asked', params.toolCall.title,
				params.options.map((o) => o.kind).join(','));
			return { outcome: { outcome: 'selected', optionId: answer } };
		})
		.onRequest(C.fs.readTextFile, ({ params }) =>
			({ content: readFileSync(params.path, 'utf8') }))
		.onNotification(C.session.update, ({ params }) => {
			updates.push(params.update);
			onUpdate(params.update);
		})
		.connectWith(stream, async (agent) => {
			const info = await agent.request(A.initialize, {
				protocolVersion: acp.PROTOCOL_VERSION,
				clientCapabilities: {} });
			say('agent', info.agentInfo.name, info.protocolVersion);
			await op(agent, child);
		});
	child.stdin.end();
	child.kill();
};
const until = (test) => new Promise((done) => {
	onUpdate = (u) => test(u) && done();
});
// The SDK runs its handlers of updates beside what waits for the answer.
const settle = () => new Promise((done) => setTimeout(done, 200));
const ask = async (agent, sessionId, ...prompt) => {
	const r = await agent.request(A.session.prompt, { sessionId, prompt });
	await settle();
	return r;
};
const text = (t) => ({ type: 'text', text: t });
const tell = () => {
	for (const u of updates)
		if (u.sessionUpdate === 'tool_call_update' && u.status &&
		    u.status !== 'in_progress')
			say(u.toolCallId, u.status, u.content[0].type);
};

let sessionId;
await live(async (agent, child) => {
	({ sessionId } = await agent.request(A.session.new,
		{ cwd: folder, mcpServers }));
	let r = await ask(agent, sessionId, text('Make a, ask the server'),
		{ type: 'image', data: png, mimeType: 'image/png' });
	say('stopped', r.stopReason);
	tell();
	updates = [];
	let begun = until((u) => u.status === 'in_progress');
	let running = ask(agent, sessionId, text('Wait a while'));
	await begun;
	await agent.notify(A.session.cancel, { sessionId });
	say('stopped', (await running).stopReason);
	begun = until((u) => u.status === 'in_progress');
	running = ask(agent, sessionId, text('Wait once more'));
	await begun;
	running.catch(() => say('gone'));
	child.kill('SIGKILL');
	await new Promise((done) => child.on('exit', done));
}).catch((e) => say('lost', e.constructor.name));
await live(async (agent) => {
	const { sessions } = await agent.request(A.session.list,
		{ cwd: folder });
	say('listed', sessions.length, sessions[0].title);
	await agent.request(A.session.load,
		{ sessionId, cwd: folder, mcpServers });
	await settle();
	say('loaded', updates.filter((u) =>
		u.sessionUpdate === 'user_message_chunk' &&
		u.content.type === 'text').map((u) => u.content.text).join('; '));
	updates = [];
	const r = await ask(agent, sessionId, text('Go on'));
	say('stopped', r.stopReason, updates.filter((u) =>
		u.sessionUpdate === 'agent_message_chunk')[0].content.text);
	await agent.request(A.session.close, { sessionId });
	say('closed');
});
process.exit(0);
