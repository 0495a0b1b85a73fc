/** Writes objects for as long as it lives, and says each one once the store has taken it. Run by `durability.test.ts`. */
import { writeSync } from 'node:fs';
import { Store } from '../../../local/api/store.ts';

const store = new Store(process.argv[2] ?? '', 50);
for (let at = 0; ; at++) {
  const name = `n${at % 20}`;
  const metadata = { name, namespace: 'work' };
  const { metadata: done } = store.put('configmaps', {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata,
    data: { at: String(at) },
  });
  writeSync(1, `${name} ${at} ${done.resourceVersion}\n`);
  if (at % 7 === 0)
    writeSync(
      1,
      `${name} gone ${store.remove('configmaps', { apiVersion: 'v1', kind: 'ConfigMap', metadata }).metadata.resourceVersion}\n`,
    );
}
