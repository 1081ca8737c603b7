import { examine, type Examined } from '../../../bin/doctor/check.js'
import { CHECKS } from '../../../bin/doctor/checks.js'
import { openSubject } from '../../../bin/doctor/subject.js'
import type { Environment } from '../../helpers/process/environment.js'

/** What the doctor finds, by the name of the check. */
export async function runDoctor(environment: Environment): Promise<Record<string, Omit<Examined, 'name'>>> {
  const subject = openSubject(environment)
  try {
    const found = await Promise.all(examine(CHECKS, subject))
    return Object.fromEntries(found.map(({ name, ...finding }) => [name, finding]))
  } finally {
    await subject.close()
  }
}
