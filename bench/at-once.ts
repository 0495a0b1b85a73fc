/** Does `work` for each of `items`, so many at a time. Milliseconds in all. */
export async function atOnce<T>(
  count: number,
  items: readonly T[],
  work: (item: T) => Promise<unknown>,
): Promise<number> {
  const queue = items.values();
  const began = performance.now();
  const worker = async () => {
    for (const item of queue) await work(item);
  };
  await Promise.all(Array.from({ length: count }, worker));
  return performance.now() - began;
}
