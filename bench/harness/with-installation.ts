import type { Bench } from './bench.js'
import type { Installation } from './installation.js'

/** Does a piece of work with an empty Linehook, which is closed after it. */
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
