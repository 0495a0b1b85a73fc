/**
 * Every command, with what the overview says of it and where its code is. A command's file is loaded only when that
 * command runs, so that `tiny ls` never pays for `tiny up`.
 */
import { DATA, type Entry, LIST, NAME, OBJECT, TABLE } from './entry.ts';

const sessions: Entry[] = (
  [
    {
      name: 'new',
      summary: 'Start a Session',
      cleansUp: ({ from }: Record<string, unknown>) => from !== undefined,
      outputs: OBJECT,
      load: () => import('./commands/new.ts'),
    },
    {
      name: 'ls',
      aliases: ['list', 'get'],
      summary: 'List Sessions',
      lists: true,
      outputs: LIST,
      load: () => import('./commands/ls.ts'),
    },
    { name: 'show', summary: 'Tell all about one Session', outputs: OBJECT, load: () => import('./commands/show.ts') },
    {
      name: 'logs',
      summary: 'Tell what was said and done in a Session',
      cleansUp: true,
      load: () => import('./commands/logs.ts'),
    },
    {
      name: 'attach',
      summary: "Converse with a Session's agent in the terminal",
      cleansUp: true,
      load: () => import('./commands/attach.ts'),
    },
    {
      name: 'export',
      summary: "Put a Session's work and conversation into an archive",
      cleansUp: true,
      load: () => import('./commands/export.ts'),
    },
    {
      name: 'send',
      summary: "Say something to a Session's agent",
      outputs: OBJECT,
      load: () => import('./commands/send.ts'),
    },
    {
      name: 'suspend',
      summary: 'Take Sessions to zero pods and keep their volumes',
      outputs: OBJECT,
      load: () => import('./commands/suspend.ts'),
    },
    {
      name: 'resume',
      summary: 'Let suspended Sessions go on',
      outputs: OBJECT,
      load: () => import('./commands/resume.ts'),
    },
    {
      name: 'touch',
      summary: 'Say that Sessions are to go on, in your name',
      outputs: OBJECT,
      load: () => import('./commands/touch.ts'),
    },
    { name: 'rm', summary: 'Delete Sessions', outputs: NAME, load: () => import('./commands/rm.ts') },
    {
      name: 'volumes',
      summary: 'List volumes that outlived their Sessions, or delete them',
      outputs: DATA,
      load: () => import('./commands/volumes.ts'),
    },
  ] satisfies Omit<Entry, 'group'>[]
).map((entry) => ({ ...entry, group: 'Sessions' }));

const questions: Entry[] = [
  {
    name: 'questions',
    summary: 'List what agents ask',
    lists: true,
    outputs: LIST,
    load: () => import('./commands/questions.ts'),
  },
  { name: 'answer', summary: 'Answer a Question', outputs: OBJECT, load: () => import('./commands/answer.ts') },
  { name: 'y', summary: 'Say yes to a Question', outputs: OBJECT, load: () => import('./commands/y.ts') },
  { name: 'n', summary: 'Say no to a Question', outputs: OBJECT, load: () => import('./commands/n.ts') },
].map((entry) => ({ ...entry, group: 'Questions' }));

const cluster: Entry[] = [
  { name: 'install', summary: 'Put tiny into a cluster', outputs: LIST, load: () => import('./commands/install.ts') },
  {
    name: 'init',
    summary: 'Prepare a namespace for Sessions',
    outputs: LIST,
    load: () => import('./commands/init.ts'),
  },
  {
    name: 'identity',
    summary: 'Say who people of Slack and GitHub are in the cluster',
    outputs: DATA,
    load: () => import('./commands/identity.ts'),
  },
  {
    name: 'doctor',
    summary: 'Find what is wrong, and say what to do',
    spans: true,
    outputs: OBJECT,
    load: () => import('./commands/doctor.ts'),
  },
  {
    name: 'settings',
    summary: "Show and change a project's settings",
    outputs: DATA,
    load: () => import('./commands/settings.ts'),
  },
  {
    name: 'uninstall',
    summary: 'Take tiny out of the cluster',
    outputs: OBJECT,
    load: () => import('./commands/uninstall.ts'),
  },
].map((entry) => ({ ...entry, group: 'Cluster' }));

const local: Entry[] = [
  { name: 'up', summary: 'Start a local cluster', cleansUp: true, load: () => import('./commands/up.ts') },
  { name: 'down', summary: 'Stop the local cluster', load: () => import('./commands/down.ts') },
  {
    name: 'status',
    summary: 'Tell what the local cluster runs',
    outputs: DATA,
    load: () => import('./commands/status.ts'),
  },
  {
    name: 'demo',
    summary: 'Play the whole story, then leave nothing running',
    cleansUp: true,
    load: () => import('./commands/demo.ts'),
  },
].map((entry) => ({ ...entry, group: 'Local cluster' }));

const other: Entry[] = [
  {
    name: 'audit',
    summary: 'Tell who did what',
    spans: true,
    outputs: TABLE,
    load: () => import('./commands/audit.ts'),
  },
  {
    name: 'events',
    summary: 'List events that could not be delivered',
    outputs: DATA,
    load: () => import('./commands/events.ts'),
  },
  {
    name: 'replay',
    summary: 'Give a stored event to a function',
    outputs: DATA,
    load: () => import('./commands/replay.ts'),
  },
  {
    name: 'whoami',
    summary: 'Tell who the cluster takes you for',
    outputs: OBJECT,
    load: () => import('./commands/whoami.ts'),
  },
  {
    name: 'completion',
    summary: 'Print a completion script for your shell',
    load: () => import('./commands/completion.ts'),
  },
  {
    name: 'version',
    summary: 'Print the versions of tiny and of the cluster',
    outputs: DATA,
    load: () => import('./commands/version.ts'),
  },
  { name: 'help', summary: 'Tell about a command', load: () => import('./commands/help.ts') },
].map((entry) => ({ ...entry, group: 'Other' }));

export const REGISTRY: readonly Entry[] = [...sessions, ...questions, ...cluster, ...local, ...other];
