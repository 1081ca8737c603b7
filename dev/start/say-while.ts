/** If it spoke up sooner, a slow start would look like a fault. If it spoke up later, people would give up. */
const EVERY_MS = 10_000

/** Says every 10 s what is still missing, and keeps waiting, because on a slow machine silence looks like a fault. */
export async function sayWhile<T>(
  work: Promise<T>,
  what: () => string,
  print: (line: string) => void,
  everyMs = EVERY_MS,
): Promise<T> {
  const startedAt = Date.now()
  const timer = setInterval(() => {
    print(`${what()} after ${Math.round((Date.now() - startedAt) / 1000)} s, waiting for it …`)
  }, everyMs)
  try {
    return await work
  } finally {
    clearInterval(timer)
  }
}
