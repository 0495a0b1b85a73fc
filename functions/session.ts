/** Function `session`: woken by a Session added or updated; makes its objects as its requester. */
import { sessions } from '../lib/session/plan.ts';
import { run } from './main.ts';

run('session', sessions);
