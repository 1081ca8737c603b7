import { pathToFileURL } from 'node:url'
import { expect } from 'chai'
import { runNode, stopProcesses } from '../../helpers/processes.js'

describe('the authorization server', () => {
  after(() => stopProcesses())

  /** What is on standard error when a module is loaded. */
  async function errorsOf(module: string): Promise<string[]> {
    const loaded = runNode('load', ['-e', `import(${JSON.stringify(module)})`], {}, process.cwd())
    expect(await loaded.exitCode).to.equal(0)
    return loaded.errorLines
  }

  it('says of this version of Node what its package says', async () => {
    const ours = await errorsOf(pathToFileURL('dist/src/web/oauth/provider.js').href)
    expect(ours).to.deep.equal(await errorsOf('oidc-provider'))
  })
})
