/** What histories are played on: the stand-in's API server, or a real one with its controllers. */
import { startClaims } from '../../local/controllers/claim.ts';
import { startStandIn } from '../contract/stand-in.ts';
import { startWorld, type World } from '../contract/world.ts';

export interface Started {
  world: World;
  stop: () => Promise<unknown>;
}

async function onKubernetes(): Promise<Started> {
  const world = await startWorld({ controllers: true });
  await world.install(['rbac', 'rbac/policies']);
  return { world, stop: () => world.engine.stop() };
}

async function onStandIn(): Promise<Started> {
  const world = await startWorld({}, startStandIn);
  await world.install(['rbac']);
  // A claim goes only when this has seen that no pod uses it.
  const claims = startClaims({ client: world.admin, now: () => new Date(), random: Math.random, log: () => undefined });
  return { world, stop: () => claims.stop().then(() => world.engine.stop()) };
}

/** Throws where there is no real kube-apiserver and one is asked for. */
export const startSimulation = (engine: 'stand-in' | 'kubernetes'): Promise<Started> =>
  engine === 'kubernetes' ? onKubernetes() : onStandIn();
