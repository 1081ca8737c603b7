import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

/**
 * `npm run release` checks whether the commit that is checked out may be released, and prints what to do. It changes
 * nothing.
 */
const git = (...args: string[]) => execFileSync('git', args, { encoding: 'utf8' }).trim()

const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string }
const tag = `v${version}`
const today = new Date().toISOString().slice(0, 10)
const heading = `## ${version} (${today})`

const faults = [
  git('status', '--porcelain') !== '' && 'Commit or stash your changes.',
  git('tag', '--list', tag) !== '' &&
    `${tag} is already released. Give package.json the next version (npm version --no-git-tag-version).`,
  !readFileSync('CHANGELOG.md', 'utf8').includes(`\n${heading}\n`) &&
    `CHANGELOG.md needs the heading "${heading}" above the new changes.`,
].filter((fault) => fault !== false)

if (faults.length > 0) {
  console.error(faults.join('\n'))
  process.exitCode = 1
} else {
  console.log(`${tag} can be released when these succeed:

  .ci/run
  npm run test:upgrade -- --from <the tag before>   (not for the first release)
  npm run chaos -- --short

Then:

  git tag -a ${tag} -m "Linehook ${version}"
  git push origin ${tag}
  npm run --silent sbom > linehook-${version}.cdx.json   (attach it to the release)`)
}
