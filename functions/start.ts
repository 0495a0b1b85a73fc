/** What a function's image runs: the bundle beside this file, `NAME.bundle.cjs` for `NAME.cjs`. */
import { load } from './load.ts';

const file = __filename.replace(/\.cjs$/, '.bundle.cjs');
load(file).runInThisContext()(exports, require, module, file, __dirname);
