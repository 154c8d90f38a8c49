/** Wraps a function so that its result is computed only once for each key. */
export function memoised<K, V>(compute: (key: K) => V): (key: K) => V {
  const results = new Map<K, V>();
  return (key) => {
    if (!results.has(key)) {
      results.set(key, compute(key));
    }
    return results.get(key) as V;
  };
}
