import type { Bench } from './bench.js'
import type { Installation } from './installation.js'

/** An empty Linehook for this piece of work, and for nothing after it. */
export async function withInstallation<T>(
  bench: Bench,
  work: (installation: Installation) => Promise<T>,
): Promise<T> {
  const installation = await bench.install()
  try {
    return await work(installation)
  } finally {
    await installation.close()
  }
}
