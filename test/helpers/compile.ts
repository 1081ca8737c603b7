import { bundleProject } from '../../dev/bundle.js'

/** What tests and `npm run chaos` start as processes of their own, beside the project's. */
const PROGRAMS = [
  'test/bin/linehook-with-birds.ts',
  'test/workers/scripted-worker.ts',
  ...['carrier', 'media', 'receiver', 'smsc'].map((name) => `chaos/stand-ins/${name}.ts`),
  // Is asked what it says when it is loaded.
  'src/web/oauth/provider.ts',
]

/** Compiles the project as `npm run build` does, which takes a second, and what is started beside it. */
export async function compile(): Promise<void> {
  await bundleProject('dist', PROGRAMS)
}
