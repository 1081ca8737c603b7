const { reporters } = require('mocha')

/** Mocha's own report, and a last line that says in one form how the run ended. */
module.exports = class extends reporters.Spec {
  constructor(runner, options) {
    super(runner, options)
    runner.once('end', () => {
      // After mocha's epilogue, which listens to the same event.
      setImmediate(() => {
        console.log(`${this.stats.passes} passed, ${this.stats.failures} failed`)
      })
    })
  }
}
