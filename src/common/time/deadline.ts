/**
 * The result of the work, or `late` after a timeout. The work continues, and its result is discarded. A result that
 * arrived while the event loop was busy is read before the timeout counts. @param milliseconds the timeout
 */
export async function inTime<T, L>(work: Promise<T>, milliseconds: number, late: L): Promise<T | L> {
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<L>((resolve) => {
    timer = setTimeout(() => setImmediate(resolve, late), milliseconds).unref();
  });
  try {
    return await Promise.race([work, deadline]);
  } finally {
    clearTimeout(timer);
  }
}
