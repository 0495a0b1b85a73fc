/** Function `session`: woken by a Session added or updated; makes its objects as its requester. */
import { withImagesFrom } from '../lib/session/images.ts';
import { sessions } from '../lib/session/plan.ts';
import { environment } from './env.ts';
import { run } from './main.ts';

run('session', withImagesFrom(environment().TINY_REGISTRY, sessions));
