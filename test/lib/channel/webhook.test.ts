import { createServer, type IncomingHttpHeaders } from 'node:http';
import { describe, expect, onTestFinished, test } from 'vitest';
import { isPublic, post } from '../../../lib/channel/post.ts';
import { makeTelling } from '../../../lib/channel/telling.ts';
import { signed, webhookChannel } from '../../../lib/channel/webhook.ts';
import { listen } from '../../../local/functions/port.ts';
import { makeQuestion, NOW } from '../../support/objects.ts';

const TELLING = makeTelling(makeQuestion(), NOW);

async function receiver(status = 200, headers: Record<string, string> = {}) {
  const got: { headers: IncomingHttpHeaders; body: string }[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    got.push({ headers: request.headers, body });
    response.writeHead(status, headers).end('x');
  });
  onTestFinished(() => void server.close());
  return { got, url: `http://127.0.0.1:${await listen(server)}/` };
}

const channel = (more: { anywhere?: boolean; secret?: string } = {}) => {
  const { anywhere = true, secret = 'shared' } = more;
  return webhookChannel({ post, now: () => NOW.getTime(), secret: () => secret, anywhere });
};

describe('a webhook', () => {
  test('gets all of it as JSON, signed with the time', async () => {
    const { got, url } = await receiver(204);
    await channel().post(TELLING, url);
    const [{ headers, body } = { headers: {}, body: '' }] = got;
    expect(JSON.parse(body)).toMatchObject({ uid: 'uid-of-fix-1', state: 'Open', namespace: 'team-a', text: 'May I?' });
    expect(headers['tiny-signature']).toBe(signed('shared', NOW.getTime() / 1000, body));
    expect(headers['tiny-delivery']).toBe('uid-of-fix-1/Open');
  });

  test.each([
    [500, true],
    [503, true],
    [429, true],
    [404, false],
    [302, false],
  ])('that answers %d: it passes by itself: %s', async (status, passes) => {
    const { url } = await receiver(status, { 'retry-after': '7', location: 'http://127.0.0.1:1/' });
    const retryAfterSeconds = passes ? 7 : expect.anything();
    await expect(channel().post(TELLING, url)).rejects.toMatchObject({ passes, retryAfterSeconds });
  });

  test('without a secret is told nothing', async () => {
    const { got, url } = await receiver();
    await expect(channel({ secret: '' }).post(TELLING, url)).rejects.toMatchObject({ reason: 'NotConfigured' });
    expect(got).toEqual([]);
  });

  test.each([
    'http://example.com/',
    'https://127.0.0.1/',
    'https://[::1]/',
    'https://169.254.169.254/',
    'https://localhost/',
    'file:///etc/passwd',
    'x',
  ])('at %s is not called, whatever a project sets', async (url) => {
    await expect(channel({ anywhere: false }).post(TELLING, url)).rejects.toMatchObject({ reason: 'Refused' });
  });
});

test('public addresses are those that are nobody’s own', () => {
  for (const address of ['8.8.8.8', '1.1.1.1', '2606:4700::1111', '::ffff:8.8.8.8'])
    expect([address, isPublic(address)]).toEqual([address, true]);
  for (const address of [
    ...[
      '10.1.2.3',
      '127.0.0.1',
      '169.254.169.254',
      '172.31.0.1',
      '192.168.1.1',
      '100.64.0.1',
      '0.0.0.0',
      '224.0.0.1',
      '255.255.255.255',
    ],
    ...[
      '::',
      '::1',
      'fe80::1',
      'fd00::1',
      'ff02::1',
      '::ffff:127.0.0.1',
      '::ffff:169.254.169.254',
      '64:ff9b::a00:1',
      '2002:a00:1::',
      'x',
      '',
    ],
  ])
    expect([address, isPublic(address)]).toEqual([address, false]);
});
