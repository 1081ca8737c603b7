import { expect } from 'chai'
import { findMissed, isTime } from '../../chaos/goals.js'
import { runAll, type Outcome } from '../../chaos/run-all.js'
import { SHORT_FORM } from '../../chaos/short-form.js'
import { createDataFolder } from '../helpers/services/services.js'

/** Nothing is said about times: the machine may have other things to do. What never recovers is lost. */
describe('chaos, in its short form', function () {
  this.timeout(900_000)

  const story: string[] = []
  let outcome: Outcome

  before(async () => {
    outcome = await runAll(SHORT_FORM, [1], {
      folder: createDataFolder('chaos'),
      parallel: 3,
      say: (line) => void story.push(line),
    })
  })

  for (const fault of SHORT_FORM) {
    it(`${fault.name}: ${fault.about}`, () => {
      const result = outcome.results.find((each) => each.fault === fault.name)
      if (result === undefined) throw new Error(`it was not run:\n${story.join('\n')}`)
      const missed = findMissed(fault, result).filter((goal) => !isTime(goal))
      const figures = Object.fromEntries(missed.map((goal) => [goal, result.score[goal]]))
      const { story: done, lost, outOfOrder, score, load } = result
      const evidence = JSON.stringify({ lost, outOfOrder, score, load })
      expect(figures, [...done, evidence].join('\n')).to.deep.equal({})
    })
  }
})
