/** Whether this machine and the API server agree on what time it is. Pure. */
import type { Finding } from './finding.ts';
import type { System } from './observed.ts';

/** The server tells whole seconds, milliseconds. */
const GRAIN = 1000;
const WARN = 5000;
const ERROR = 60_000;

/** Milliseconds that the server is ahead (or, below zero, behind) for sure. */
export function skew({ now, serverTime, asked }: Pick<System, 'now' | 'serverTime' | 'asked'>): number {
  if (!serverTime) return 0;
  const apart = serverTime.getTime() - now.getTime();
  return Math.sign(apart) * Math.max(0, Math.abs(apart) - asked - GRAIN);
}

/** Beyond five seconds; an error beyond a minute. */
export function checkClock(system: System): Finding[] {
  const apart = skew(system);
  if (Math.abs(apart) < WARN) return [];
  return [
    {
      severity: Math.abs(apart) < ERROR ? 'warning' : 'error',
      reason: 'ClockSkew',
      object: 'clock of this machine',
      what: `is ${Math.round(Math.abs(apart) / 1000)} s ${apart > 0 ? 'behind' : 'ahead of'} the API server's`,
      why: 'Ages, deadlines and whether a Question has expired are told wrong; tokens may be refused.',
      fix: 'timedatectl set-ntp true   (or whatever sets the clock here)',
    },
  ];
}
