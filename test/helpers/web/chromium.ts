import { execFile, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'

export interface BrowserProgram {
  executablePath: string
  env: NodeJS.ProcessEnv
}

const PACKAGE = '@sparticuz/chromium'
const INSTALLED = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']

/** `CHROMIUM`, else the one that the distribution installed, else the one in the npm package. */
export async function findChromium(): Promise<BrowserProgram> {
  const executablePath = process.env.CHROMIUM ?? INSTALLED.find(runs)
  return executablePath === undefined ? packagedChromium() : { executablePath, env: process.env }
}

/** Ubuntu's chromium-browser may be a script that only says where to get a browser. */
function runs(path: string): boolean {
  return existsSync(path) && spawnSync(path, ['--version']).status === 0
}

/**
 * The package is made for AWS Lambda: what it unpacks there are a browser, and the libraries and a font for machines
 * that have none. It is done once, below `.data`, and again for another version.
 */
async function packagedChromium(): Promise<BrowserProgram> {
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    throw new Error(
      `${PACKAGE} has no browser for ${process.platform}-${process.arch}: name yours with CHROMIUM=/path/to/it`,
    )
  }
  const manifest = join(dirname(createRequire(import.meta.url).resolve(PACKAGE)), '../package.json')
  const { version } = JSON.parse(await readFile(manifest, 'utf8')) as { version: string }
  const folder = resolve('.data/packages', `chromium-${version}`)
  if (!existsSync(folder)) await unpack(folder)
  const libraries = [join(folder, 'al2023/lib'), process.env.LD_LIBRARY_PATH].filter(Boolean).join(':')
  return {
    executablePath: join(folder, 'chromium'),
    env: { ...process.env, LD_LIBRARY_PATH: libraries, FONTCONFIG_FILE: join(folder, FONTS) },
  }
}

async function unpack(folder: string): Promise<void> {
  await mkdir(dirname(folder), { recursive: true })
  const partial = await mkdtemp(`${folder}.`)
  try {
    // It unpacks into TMPDIR, and the libraries only where it believes that it is on Lambda. A process of its own
    // keeps both out of this one's environment.
    const script = `const { default: chromium } = await import('${PACKAGE}'); await chromium.executablePath()`
    const env = { ...process.env, TMPDIR: partial, AWS_LAMBDA_JS_RUNTIME: 'nodejs20.x' }
    await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script], { env })
    await writeFile(join(partial, FONTS), FONTS_XML)
    await rename(partial, folder).catch((error: unknown) => {
      // Another run was faster.
      if (!existsSync(folder)) throw error
    })
  } finally {
    await rm(partial, { recursive: true, force: true })
  }
}

/** The system's fonts, if it has any, and the package's own. Its fonts.conf looks for them in Lambda's folders. */
const FONTS = 'linehook-fonts.conf'
const FONTS_XML = `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <include ignore_missing="yes">/etc/fonts/fonts.conf</include>
  <dir>/usr/share/fonts</dir>
  <dir prefix="relative">fonts</dir>
  <cachedir prefix="xdg">fontconfig</cachedir>
</fontconfig>
`
