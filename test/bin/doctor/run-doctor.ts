import { examine, type Examined } from '../../../bin/doctor/check.js'
import { CHECKS } from '../../../bin/doctor/checks.js'
import { openSubject } from '../../../bin/doctor/subject.js'
import type { Environment } from '../../helpers/process/environment.js'

type Findings = Record<string, Omit<Examined, 'name'>>

/** What a check says that a busy machine did not let answer. */
const LATE = /^It took longer than|did not respond within/
const MAX_TRIES = 5

/** What the doctor finds, by the name of the check. */
export async function runDoctor(environment: Environment): Promise<Findings> {
  for (let tries = 1; ; tries += 1) {
    const found = await runDoctorOnce(environment)
    if (tries === MAX_TRIES || !Object.values(found).some(({ why }) => LATE.test(why))) return found
  }
}

/** As `runDoctor`, where it is expected that a check gets no answer. */
export async function runDoctorOnce(environment: Environment): Promise<Findings> {
  const subject = openSubject(environment)
  try {
    const found = await Promise.all(examine(CHECKS, subject))
    return Object.fromEntries(found.map(({ name, ...finding }) => [name, finding]))
  } finally {
    await subject.close()
  }
}
