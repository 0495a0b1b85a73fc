/** Function `session`: woken by a Session added or updated; makes its objects as its requester. */
import { withImagesFrom } from '../lib/session/images.ts';
import { sessionsWithin } from '../lib/session/plan.ts';
import { environment } from './env.ts';
import { run } from './main.ts';

const { TINY_REGISTRY, TINY_MAX_AGE } = environment();
run('session', withImagesFrom(TINY_REGISTRY, sessionsWithin(TINY_MAX_AGE)));
