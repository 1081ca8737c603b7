const { writeFileSync } = require('node:fs')
const { reporters } = require('mocha')

/**
 * Mocha's own report, and a last line that says in one form how the run ended. Of a run that is a part of `npm test`
 * (TEST_COUNTS) it is not the last line: the counts and the failures go to the file that is named there.
 */
module.exports = class extends reporters.Spec {
  constructor(runner, options) {
    super(runner, options)
    const failed = []
    /** Milliseconds in tests by file, without what the hooks take. */
    const took = {}
    runner.on('pass', ({ file, duration }) => (took[file] = (took[file] ?? 0) + (duration ?? 0)))
    runner.on('fail', (test, error) => {
      failed.push({ test: test.fullTitle(), file: test.file, reason: error.stack ?? String(error) })
    })
    runner.once('end', () => {
      // After mocha's epilogue, which listens to the same event.
      setImmediate(() => {
        const { passes, failures } = this.stats
        if (process.env.TEST_COUNTS)
          writeFileSync(process.env.TEST_COUNTS, JSON.stringify({ passes, failed, took }))
        else console.log(`${passes} passed, ${failures} failed`)
      })
    })
  }
}
