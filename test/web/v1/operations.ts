import { readConfig } from '../../../src/config.js'
import { createVocabulary } from '../../../src/vocabulary.js'
import { describeApi } from '../../../src/web/openapi/document.js'
import { operationsOf, type DescribedOperation } from '../openapi/described.js'

/**
 * What the document has, before anything is served: a test for each needs their names.
 *
 * What people's browsers ask is no answer in JSON, and the rest of OAuth needs one of them: see oauth/quick-start.test.ts.
 */
export function describedOperations(): DescribedOperation[] {
  const config = readConfig({
    DATABASE_URL: 'postgres://none/none',
    REDIS_URL: 'redis://none',
    ENCRYPTION_KEY: Buffer.alloc(32, 1).toString('base64'),
    SIMULATOR: 'true',
  })
  const document = describeApi({ config, vocabulary: createVocabulary('line') })
  return operationsOf(document).filter(({ operation }) => !operation.tags.includes('OAuth'))
}
