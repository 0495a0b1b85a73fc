import { spawnSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Pod } from './pod.ts';
import { programs } from './programs.ts';

let folder: string;
let pod: Pod;
let client: Client;

beforeAll(async () => {
  folder = await programs();
  pod = new Pod({ programs: folder, prompt: 'x' });
  await pod.startTools();
  client = new Client({ name: 'test', version: '1' });
  const args = [join(folder, 'connect.cjs'), join(pod.folder, 'run', 'mcp.sock')];
  await client.connect(new StdioClientTransport({ command: process.execPath, args }));
});
afterAll(async () => {
  await client.close();
  await pod.remove();
});

const call = async (name: string, input: Record<string, unknown> = {}) => {
  const result = await client.callTool({ name, arguments: input });
  return { text: (result.content as { text: string }[])[0]?.text ?? '', isError: result.isError === true };
};

it('offers its tools to any agent that takes an MCP server as a command', async () => {
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name).sort()).toEqual(['apply', 'ask', 'list_sessions', 'set_status', 'spawn']);
});

it('lists the Sessions of the project', async () => {
  expect(JSON.parse((await call('list_sessions')).text)).toEqual([{ name: 's', ready: 'Unknown', message: '' }]);
});

it('says what to do about a status line that is too long, and sets a good one', async () => {
  expect(await call('set_status', { text: 'x'.repeat(1025) })).toMatchObject({
    isError: true,
    text: expect.stringContaining('shorten the line to 1024 characters'),
  });
  expect(await call('set_status', { text: 'reading' })).toMatchObject({ isError: false });
  expect(pod.api.session().status?.message).toBe('reading');
});

it('refuses a child that breaks a rule, with the rule', async () => {
  const refused = await call('spawn', { prompt: 'x', repository: { url: 'http://169.254.169.254/x' } });
  expect(refused).toMatchObject({ isError: true, text: expect.stringContaining('metadata') });
  expect(pod.api.questions()).toEqual([]);
});

it('shows that somebody is still there while a question is open', async () => {
  const seen: string[] = [];
  const asked = client.callTool({ name: 'ask', arguments: { text: 'Still there?' } }, undefined, {
    onprogress: ({ message }) => seen.push(message ?? ''),
  });
  const { metadata } = await pod.until(() => seen.length > 1 && pod.api.questions()[0]);
  pod.api.answer(metadata.name, { text: 'yes' });
  expect((await asked).content).toEqual([{ type: 'text', text: 'yes' }]);
  expect(seen[0]).toContain(metadata.name);
});

it('finds the open question again after a call that was given up', async () => {
  const giveUp = new AbortController();
  const first = client.callTool({ name: 'ask', arguments: { text: 'Again?' } }, undefined, { signal: giveUp.signal });
  const { metadata } = await pod.until(() => pod.api.questions().find(({ spec }) => spec.text === 'Again?'));
  giveUp.abort();
  await expect(first).rejects.toThrow();
  pod.api.answer(metadata.name, { text: 'yes' });
  expect(await call('ask', { text: 'Again?' })).toEqual({ text: 'yes', isError: false });
  expect(pod.api.questions().filter(({ spec }) => spec.text === 'Again?')).toHaveLength(1);
});

it('keeps its tools, and the call that waits, when the tools are killed', async () => {
  const asked = call('ask', { text: 'Through it?' });
  const { metadata } = await pod.until(() => pod.api.questions().find(({ spec }) => spec.text === 'Through it?'));
  await pod.startTools();
  pod.api.answer(metadata.name, { text: 'yes' });
  expect(await asked).toEqual({ text: 'yes', isError: false });
  expect(pod.api.questions().filter(({ spec }) => spec.text === 'Through it?')).toHaveLength(1);
  expect(await call('set_status', { text: 'still here' })).toMatchObject({ isError: false });
});

it("keeps the sockets to the pod's group, and says so where nothing listens", () => {
  expect(statSync(join(pod.folder, 'run', 'mcp.sock')).mode & 0o777).toBe(0o660);
  const none = spawnSync(process.execPath, [join(folder, 'connect.cjs'), join(pod.folder, 'none.sock')], {
    encoding: 'utf8',
  });
  expect(none.status).toBe(1);
  expect(none.stderr).toContain('nothing listens there');
});
