import { expect, it } from 'vitest';
import { explain } from '../../cli/explain.ts';
import { Failure, UsageError } from '../../cli/failure.ts';
import { ApiError, ConnectionError } from '../../lib/kube/errors.ts';

const told = (error: unknown, program = 'tiny') => {
  const { message, hints, exit } = explain(error, { program });
  return { text: [message, ...hints].join('\n'), exit };
};

it('a missing right names the person, the right and the place', () => {
  const { text, exit } = told(
    new ApiError(403, {
      reason: 'Forbidden',
      message:
        'sessions.tiny.dev is forbidden: User "carol" cannot create resource "sessions" in API group "tiny.dev" in the namespace "demo"',
    }),
  );
  expect(text).toContain('you are carol and may not create sessions.tiny.dev in namespace demo');
  expect(text).toContain('verb "create" on "sessions.tiny.dev"');
  expect(exit).toBe(1);
});

it("a policy's refusal keeps its own words", () => {
  const message =
    'sessions.tiny.dev "x" is forbidden: ValidatingAdmissionPolicy \'tiny\' denied request: not an answerer';
  expect(told(new ApiError(403, { reason: 'Forbidden', message })).text).toContain('denied request: not an answerer');
});

it('a resource that the server does not know means that the CRDs are missing', () => {
  expect(told(new ApiError(404, { message: '404 page not found' })).text).toContain('`tiny install`');
});

it('a refused connection asks whether the cluster is up', () => {
  const cause = Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:6443'), { code: 'ECONNREFUSED' });
  const { text } = told(
    new ConnectionError(`can't reach the API server at https://127.0.0.1:6443: ${cause.message}`, { cause }),
  );
  expect(text).toContain('Is the cluster up? `tiny up` starts a local one.');
});

it('an untrusted certificate is not mistaken for a cluster that is down', () => {
  const cause = Object.assign(new Error('self-signed certificate'), { code: 'SELF_SIGNED_CERT_IN_CHAIN' });
  const { text } = told(new ConnectionError('self-signed certificate', { cause }));
  expect(text).toContain('kubeconfig');
  expect(text).not.toContain('tiny up');
});

it('an invalid object says each field', () => {
  const causes = [{ field: 'spec.deadline', message: 'must be a duration' }];
  const error = new ApiError(422, { reason: 'Invalid', message: 'x', details: { kind: 'Session', name: 'a', causes } });
  expect(told(error).text).toBe('the cluster refused it: Session "a"\nspec.deadline: must be a duration');
});

it('escape sequences in an error of the cluster are shown, not obeyed', () => {
  expect(told(new ApiError(500, { message: '\u001b[2Jgone' })).text).toContain('␛[2Jgone');
});

it('a failure is 1, a wrong call 2, and kubectl tiny is called so', () => {
  expect(told(new Failure('x')).exit).toBe(1);
  expect(told(new UsageError('x')).exit).toBe(2);
  expect(told(new Failure('x', '`tiny ls` lists'), 'kubectl tiny').text).toContain('`kubectl tiny ls` lists');
});
