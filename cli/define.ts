/** What a command's file gives. */
import type { Command } from 'commander';
import type { App } from './app.ts';

/** Adds arguments, options and the action to `command`. */
export type Define = (command: Command, app: App) => unknown;
