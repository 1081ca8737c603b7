import { execFile } from 'node:child_process'
import { cpSync, existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'

/**
 * Compiles the project as `npm run build` does, but for its types, which `npm run check` looks after. What tests start
 * as a process of its own runs from there: the command line is up in 0.5 s instead of 1.0 s, web in 0.9 s instead of
 * 1.5 s (tsx reads and maps each file again), and a run of all tests starts some 200 of them.
 */
export async function compile(folder = 'dist'): Promise<void> {
  const options = ['--noCheck', '--outDir', folder, '--tsBuildInfoFile', join(folder, '.tsbuildinfo')]
  await promisify(execFile)(process.execPath, [
    'node_modules/typescript/bin/tsc',
    ...['-p', 'tsconfig.build.json', ...options],
  ])
  for (const script of readdirSync('src').filter((file) => file.endsWith('.lua'))) {
    cpSync(join('src', script), join(folder, 'src', script))
  }
  cpSync('src/web/assets', join(folder, 'src/web/assets'), { recursive: true })
  // Every file in the folder is run: also one whose source has another name since.
  const migrations = join(folder, 'migrations')
  for (const file of readdirSync(migrations)) {
    const source = join('migrations', file.replace(/\.js(\.map)?$/, '.ts'))
    if (!existsSync(source)) rmSync(join(migrations, file))
  }
}
