/** What tests and `npm run chaos` start as processes of their own, beside the project's. */
const PROGRAMS = [
  'test/bin/linehook-with-birds.ts',
  'test/workers/scripted-worker.ts',
  ...['carrier', 'media', 'receiver', 'smsc'].map((name) => `chaos/stand-ins/${name}.ts`),
  // Is asked what it says when it is loaded.
  'src/web/oauth/provider.ts',
]

/** Said by what starts or reads compiled programs, when it is loaded: a run without such files compiles nothing. */
export function needCompiled(): void {
  // Not a variable of this module: the loader may have more than one copy of it.
  process.env.TEST_NEEDS_COMPILED = 'true'
}

export function isCompiledNeeded(): boolean {
  return process.env.TEST_NEEDS_COMPILED === 'true'
}

/** Compiles the project as `npm run build` does, which takes a second, and what is started beside it. */
export async function compile(): Promise<void> {
  const { bundleProject } = await import('../../dev/bundle.js')
  await bundleProject('dist', PROGRAMS)
}
